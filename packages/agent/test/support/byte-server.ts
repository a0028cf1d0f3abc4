// A server that exchanges bytes as a test wants: what it receives is read by a number of bytes, as a protocol does.
import type { Socket } from 'node:net'
import { serveTcp } from './servers.ts'

export interface Peer {
  socket: Socket
  /** Resolves with the next bytes. */
  take: (count: number) => Promise<Buffer>
  send: (...parts: (Buffer | string)[]) => void
}

/** Serves each connection by a script, whose errors end the connection. Resolves with the port. */
export function serveScript(script: (peer: Peer) => Promise<void>): Promise<number> {
  return serveTcp((socket) => {
    script(peerOf(socket)).catch(() => socket.destroy())
  })
}

export function peerOf(socket: Socket): Peer {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let held = Buffer.alloc(0)
  return {
    socket,
    take: async (count) => {
      while (held.length < count) {
        const { value, done } = await chunks.next()
        if (done) throw new Error('the client hung up')
        held = Buffer.concat([held, value])
      }
      const part = held.subarray(0, count)
      held = held.subarray(count)
      return part
    },
    send: (...parts) => {
      socket.write(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))))
    },
  }
}
