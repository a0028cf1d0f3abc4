// Many connections from one address that send the same bytes again and again.
import { connect, type Socket } from 'node:net'

export interface CrowdPlan {
  port: number
  address: string
  connections: number
  /** The bytes to send on a connection, and again after each answer. Nothing: it is only held open. */
  say?: () => string
}

export interface Crowd {
  /** Answers by their status. */
  statuses: Record<string, number>
  /** Connections that were established and then closed by the server. */
  opened: () => number
  closed: () => number
  stop(): void
}

/** A closed connection is reopened after this long: this is about held connections, not about a storm of new ones. */
const BACK_MS = 1000
/** So many connections are opened at once, this often. */
const AT_ONCE = 100
const OPEN_EVERY_MS = 20

export function crowd({ port, address, connections, say }: CrowdPlan): Crowd {
  const statuses: Record<string, number> = {}
  const sockets = new Set<Socket>()
  let [opened, closed, isOver] = [0, 0, false]
  const open = (): void => {
    if (isOver) return
    const socket = connect({ port, host: '127.0.0.1', localAddress: address })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('connect', () => {
      opened++
      if (say) socket.write(say())
    })
    socket.on('data', (bytes: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1]
      if (status === undefined) return
      statuses[status] = (statuses[status] ?? 0) + 1
      if (say) socket.write(say())
    })
    socket.once('close', () => {
      closed++
      sockets.delete(socket)
      setTimeout(open, BACK_MS)
    })
  }
  let begun = 0
  // Not all at once: the system would drop most of them and retry seconds later.
  const opening = setInterval(() => {
    for (let n = 0; n < AT_ONCE && begun < connections; n++, begun++) open()
    if (begun === connections) clearInterval(opening)
  }, OPEN_EVERY_MS)
  return {
    statuses,
    opened: () => opened,
    closed: () => closed,
    stop: () => {
      isOver = true
      clearInterval(opening)
      for (const socket of sockets) socket.destroy()
    },
  }
}

export function told(statuses: Readonly<Record<string, number>>): string {
  const all = Object.entries(statuses).map(([status, count]) => `${count} with ${status}`)
  return all.join(', ') || 'nothing'
}
