// Opens an address that leads to a port. It can later lead to another port, like the address of a database cluster.
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { listen, type Undo } from './proof.ts'

export interface MovingAddress {
  readonly port: number
  /** Leads new connections to this port. Existing connections stay with the previous one. */
  moveTo(port: number): void
}

export async function openAddress(first: number, undo: Undo): Promise<MovingAddress> {
  let behind = first
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: behind, host: '127.0.0.1', noDelay: true })
    // If one end closes, the other end closes, too.
    pipeline(near, far, near, () => {})
  })
  return { port: await listen(server, undo), moveTo: (to) => void (behind = to) }
}
