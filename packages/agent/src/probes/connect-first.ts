// Connects to the first of several addresses that accepts (RFC 8305), so that a dead address delays the check only for a moment.
import type { LookupAddress } from 'node:dns'
import { connect, type Socket } from 'node:net'
import type { Attempt } from './attempt.ts'

interface ConnectFirstOptions {
  addresses: readonly LookupAddress[]
  port: number
  /** Whether an accepted connection is enough, even if the target resets it at once. */
  isAcceptEnough?: boolean
  onConnect: (socket: Socket) => void
}

/** Maximum number of addresses to try. A name may have hundreds. */
const ADDRESSES_MAX = 32
/** Time after which the next address is tried in parallel, in milliseconds. */
const HEAD_START_MS = 500
/** Fraction of the available time for trying all addresses. */
const SHARE = 0.75
/** Maximum number of parallel connections. Each retransmits a lost packet after a second by itself. */
const AT_ONCE = 4

/** Connects to the first address that accepts. The attempt ends if none does. */
export function connectFirst(
  attempt: Attempt,
  { addresses, port, isAcceptEnough = false, onConnect }: ConnectFirstOptions,
): void {
  const left = alternating(addresses).slice(0, ADDRESSES_MAX)
  const head_start_ms = Math.max(10, Math.min(HEAD_START_MS, (SHARE * attempt.bounds.timeout_ms) / left.length))
  const pending = new Set<Socket>()
  const errors: unknown[] = []
  let timer: NodeJS.Timeout | undefined
  const destroy = (): void => {
    clearTimeout(timer)
    for (const socket of pending) socket.destroy()
    pending.clear()
  }
  attempt.hold({ destroy })

  const startNext = (): void => {
    clearTimeout(timer)
    const next = left.shift()
    if (!next) return
    const [oldest] = pending
    if (oldest && pending.size >= AT_ONCE) giveUp(oldest, Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
    attempt.address = next.address
    const socket = connect({ host: next.address, port })
    pending.add(socket)
    socket.once(
      'connect',
      attempt.guarded(() => opened(socket)),
    )
    socket.on(
      'error',
      attempt.guarded((error: Error) => failed(socket, error)),
    )
    if (left.length > 0) timer = setTimeout(attempt.guarded(startNext), head_start_ms)
  }

  const opened = (socket: Socket): void => {
    if (!pending.delete(socket) || attempt.isOver) return
    destroy()
    if (socket.remoteAddress) attempt.address = socket.remoteAddress
    onConnect(socket)
  }

  const giveUp = (socket: Socket, error: unknown): void => {
    pending.delete(socket)
    socket.destroy()
    errors.push(error)
  }

  const failed = (socket: Socket, error: unknown): void => {
    if (!pending.has(socket)) return
    // A target that does not accept connections refuses them. A reset means that the target accepted, and then reset the
    // connection before this machine noticed.
    if (isAcceptEnough && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return opened(socket)
    giveUp(socket, error)
    if (left.length > 0) startNext()
    else if (pending.size === 0) attempt.failBy(errors.length === 1 ? error : new AggregateError(errors))
  }

  startNext()
}

/**
 * Orders addresses so that the two families alternate, because one family may be dead altogether. Keeps the order within each
 * family.
 */
export function alternating(addresses: readonly LookupAddress[]): LookupAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const second = addresses.filter(({ family }) => family !== addresses[0]?.family)
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((address) => address !== undefined)
}
