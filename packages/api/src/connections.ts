// Limits open connections: a maximum per address, and fewer idle connections when many are open.
import type { Socket } from 'node:net'
import { clientAt } from '@dogwatch/domain/limits/address'
import type { Trust } from './client.ts'

export interface ConnectionBounds {
  /** Maximum number of connections of one address. Trusted proxies are not limited. */
  of_address: number
  /** Number of open connections beyond which each new one closes an idle connection of an address with the most. */
  crowded: number
  /** Minimum time in milliseconds that a connection can be idle, even beyond `crowded` connections. */
  idle_ms: number
}

/**
 * Maximum number of requests in progress on one connection. A client that sends more before their responses is neither a browser
 * nor an agent.
 */
const MOST_UNDER_WAY = 32
/** Factor of the limit for a whole network, because many clients can share one /48 of IPv6. */
const OF_NETWORK = 4

interface ConnectionHolder {
  open: number
  /** Idle connections, with the times (monotonic ms) since which they are idle. The one that has been idle longest is first. */
  idle: Map<Socket, number>
}

interface OpenConnection {
  holder: ConnectionHolder
  under_way: number
}

export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #trusts: Trust
  readonly #holders = new Map<string, ConnectionHolder>()
  readonly #networks = new Map<string, number>()
  readonly #held = new Map<Socket, OpenConnection>()
  #open = 0

  constructor(bounds: ConnectionBounds, trusts: Trust) {
    this.#bounds = bounds
    this.#trusts = trusts
  }

  /** Counts a new connection. Returns false if its address or network has too many. */
  admit(socket: Socket): boolean {
    const peer = socket.remoteAddress ?? ''
    const isProxy = this.#trusts(peer, 0)
    if (!isProxy && !this.#hold(socket, peer)) return false
    this.#open++
    socket.once('close', () => this.#open--)
    if (this.#open > this.#bounds.crowded) this.#closeIdle()
    return true
  }

  /**
   * Counts a request. Returns a function to call after the response. Returns undefined if too many requests of the connection are
   * in progress.
   */
  begin(socket: Socket): (() => void) | undefined {
    const held = this.#held.get(socket)
    if (!held) return () => {}
    if (held.under_way >= MOST_UNDER_WAY) return undefined
    held.under_way++
    held.holder.idle.delete(socket)
    return () => {
      held.under_way--
      if (held.under_way === 0 && this.#held.has(socket)) held.holder.idle.set(socket, performance.now())
    }
  }

  #hold(socket: Socket, peer: string): boolean {
    const { address: block, network } = clientAt(peer)
    const holder = this.#holders.get(block) ?? { open: 0, idle: new Map<Socket, number>() }
    const of_network = this.#networks.get(network) ?? 0
    const { of_address } = this.#bounds
    if (holder.open >= of_address || of_network >= OF_NETWORK * of_address) return false
    holder.open++
    // Counts as idle, because the connection has not sent a request yet, and perhaps never will.
    holder.idle.set(socket, performance.now())
    this.#holders.set(block, holder)
    this.#networks.set(network, of_network + 1)
    this.#held.set(socket, { holder, under_way: 0 })
    socket.once('close', () => {
      holder.open--
      holder.idle.delete(socket)
      this.#held.delete(socket)
      if (holder.open === 0) this.#holders.delete(block)
      const left = (this.#networks.get(network) ?? 1) - 1
      if (left === 0) this.#networks.delete(network)
      else this.#networks.set(network, left)
    })
    return true
  }

  /**
   * Closes the connection that has been idle longest, of the address with the most open connections. Considers only connections
   * that have been idle for `idle_ms`.
   */
  #closeIdle(): void {
    const before = performance.now() - this.#bounds.idle_ms
    let most = 0
    let chosen: Socket | undefined
    for (const { open, idle } of this.#holders.values()) {
      if (open <= most) continue
      const [longest] = idle
      if (!longest || longest[1] > before) continue
      most = open
      chosen = longest[0]
    }
    chosen?.destroy()
  }
}
