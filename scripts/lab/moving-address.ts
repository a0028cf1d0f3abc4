// An address that leads to a port, and that can move to another one, like an address of a cluster manager.
import { connect, createServer, type Socket } from 'node:net'
import { listen, type Undo } from './proof.ts'

export interface MovingAddress {
  readonly port: number
  /** Leads new connections to this port. Existing connections stay. */
  moveTo(port: number): void
}

export async function openAddress(first: number, undo: Undo): Promise<MovingAddress> {
  let behind = first
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ port: behind, host: '127.0.0.1', noDelay: true })
    near.setNoDelay(true)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.resetAndDestroy())
      one.on('close', () => {
        open.delete(one)
        other.destroySoon()
      })
    }
  })
  const port = await listen(server, undo)
  undo(() => open.forEach((socket) => socket.destroy()))
  return { port, moveTo: (to) => void (behind = to) }
}
