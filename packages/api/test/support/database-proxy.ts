// A way to Postgres that can forget its connections, as a NAT does, or cut them; new ones work.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DatabaseProxy {
  url: string
  /** Swallows what goes through the connections there are: neither side is told. */
  forget(): void
  /** The machine is gone without a word, for new connections as well, until it is back. The old ones end then. */
  hang(): void
  /** The same as soon as a new connection is ready for its first statement. */
  hangWhenReady(): void
  wake(): void
  /** Ends the connections there are. */
  cut(): void
  /** New connections lead there from now on, as when an address moves; those that there are stay. */
  moveTo(database_url: string): void
  close(): Promise<void>
}

/** The end of what Postgres says until a client may ask. */
const READY = Buffer.from('Z\0\0\0\x05I')

export async function databaseProxy(database_url: string): Promise<DatabaseProxy> {
  let target = new URL(database_url)
  const open = new Set<Socket>()
  const forgotten = new Set<Socket>()
  let isHanging = false
  let isHangingSoon = false
  const server = createServer({ noDelay: true }, (near) => {
    if (isHanging) forgotten.add(near)
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    open.add(near)
    near.on('data', (data) => forgotten.has(near) || far.write(data))
    far.on('data', (data) => {
      if (forgotten.has(near)) return
      near.write(data)
      if (isHangingSoon && data.includes(READY)) forgotten.add(near)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {}).on('close', () => other.destroy())
    }
    near.on('close', () => open.delete(near))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    forget: () => {
      for (const socket of open) forgotten.add(socket)
    },
    hang: () => {
      isHanging = true
      for (const socket of open) forgotten.add(socket)
    },
    hangWhenReady: () => {
      isHangingSoon = true
    },
    wake: () => {
      isHanging = false
      isHangingSoon = false
      for (const socket of forgotten) socket.destroy()
    },
    cut,
    moveTo: (other_url) => {
      target = new URL(other_url)
    },
    close: async () => {
      cut()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}
