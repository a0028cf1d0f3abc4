// A server of datagrams on loopback, gone after the test.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach } from '@jest/globals'

const running: Socket[] = []

afterEach(() => {
  for (const socket of running.splice(0)) socket.close()
})

/** Resolves with the port. `answers`: the datagrams to send for one that came, which is the nth. */
export async function serveDatagrams(answers: (datagram: Buffer, nth: number) => Uint8Array[]): Promise<number> {
  const socket = createSocket('udp4')
  running.push(socket)
  let nth = 0
  socket.on('message', (datagram, { port, address }) => {
    nth += 1
    for (const answer of answers(datagram, nth)) socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}
