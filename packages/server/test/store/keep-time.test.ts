// The clock of a server process is set before anything else runs, also by a database that is late once.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { silentLog } from '@dogwatch/runtime/log'
import { expect, test } from '@jest/globals'
import { createTestDatabase, wayTo } from '../../../store/test/support/database.ts'
import { keepTime } from '../../src/bin/keep-time.ts'

test('a first connection that nobody answers does not end the start', async () => {
  const database = await createTestDatabase()
  const { hostname, port } = new URL(database.url)
  const near: Socket[] = []
  const server = createServer((socket) => {
    near.push(socket)
    socket.on('error', () => {})
    if (near.length === 1) return
    const far = connect(Number(port), hostname).on('error', () => {})
    socket.pipe(far).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(database.url)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = new DatabaseClock()
  const self = { process_id: crypto.randomUUID(), role: 'web', host: 'here', pid: process.pid }
  try {
    const end = await keepTime({ ...wayTo(database.url), url: url.href }, clock, { log: silentLog, self })
    expect(near.length).toBeGreaterThan(1)
    expect(clock.state().doubt).toBeUndefined()
    await end()
  } finally {
    for (const socket of near) socket.destroy()
    server.close()
    await database.drop()
  }
})
