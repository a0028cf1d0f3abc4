// An address that leads to a port, and that can move to another one, like an address of a cluster manager.
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { listen, type Undo } from './proof.ts'

export interface MovingAddress {
  readonly port: number
  /** Leads new connections to this port. Existing connections stay. */
  moveTo(port: number): void
}

export async function openAddress(first: number, undo: Undo): Promise<MovingAddress> {
  let behind = first
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: behind, host: '127.0.0.1', noDelay: true })
    // Closes both ends together.
    pipeline(near, far, near, () => {})
  })
  return { port: await listen(server, undo), moveTo: (to) => void (behind = to) }
}
