// Probes an icmp:// target: sends echo requests, and measures loss, latency and jitter.
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { openPingSocket } from '../../process/ping-socket.ts'
import type { Attempt } from '../attempt.ts'
import { familyOf, findPeers } from '../datagram.ts'
import type { Probe } from '../probe.ts'
import { readEcho, summarise, TOKEN_BYTES, writeEcho } from './echo.ts'

/** Interval between echo requests, in milliseconds. */
const INTERVAL_MS = 200
/** Maximum wait for missing replies after the last request, if another reply has arrived, in milliseconds. */
const LATE_MS = 2000
/** Port of the socket address. ICMP has no ports, but the platform requires one. */
const ANY_PORT = 1

export const probeIcmp: Probe<'icmp'> = (attempt, { host, count }) => {
  findPeers(attempt, { host, port: ANY_PORT }, ([peer]) => {
    if (!peer) return
    attempt.enter('first_byte')
    attempt.address = peer.address
    ping(attempt, peer.address, count)
  })
}

function ping(attempt: Attempt, address: string, count: number): void {
  const family = familyOf(address)
  const socket = createSocket(`udp${family}`)
  const token = randomBytes(TOKEN_BYTES)
  const sent_at: number[] = []
  const trips = new Map<number, number>()
  const interval_ms = Math.min(INTERVAL_MS, attempt.bounds.timeout_ms / (2 * count))
  let timer: NodeJS.Timeout | undefined
  const destroy = (): void => {
    clearTimeout(timer)
    socket.close()
  }
  const end = (): void => report(attempt, count, trips)

  // Without a callback, Node discards errors of sending. Once a reply has arrived, a request that could not be sent counts as
  // lost.
  const onSent = (error: Error | null): void => {
    if (!error || trips.size > 0) return
    attempt.enter('connect')
    attempt.failBy(error)
  }

  const sendNext = (): void => {
    const sequence = sent_at.length
    socket.send(writeEcho(family, sequence, token), ANY_PORT, address, attempt.guarded(onSent))
    sent_at.push(performance.now())
    if (sent_at.length < count) timer = setTimeout(attempt.guarded(sendNext), interval_ms)
    else if (trips.size > 0) timer = setTimeout(attempt.guarded(end), LATE_MS)
  }

  const onMessage = (message: Buffer): void => {
    const sequence = readEcho(family, message, token)
    const began = sequence === undefined ? undefined : sent_at[sequence]
    if (sequence === undefined || began === undefined || trips.has(sequence)) return
    trips.set(sequence, performance.now() - began)
    if (trips.size === count) return end()
    if (sent_at.length < count) return
    clearTimeout(timer)
    timer = setTimeout(attempt.guarded(end), LATE_MS)
  }
  socket.on('message', attempt.guarded(onMessage))
  attempt.failOnErrorOf(socket)
  attempt.hold({ destroy })
  attempt.onTimeout = () => (trips.size > 0 ? record(attempt, count, trips) : '')
  socket.bind({ fd: openPingSocket(family) }, attempt.guarded(sendNext))
}

function report(attempt: Attempt, count: number, trips: ReadonlyMap<number, number>): void {
  attempt.finish(record(attempt, count, trips))
}

/** Records the facts that rules can compare, and returns them as text. */
function record(attempt: Attempt, count: number, trips: ReadonlyMap<number, number>): string {
  const inOrder = [...trips].toSorted(([one], [other]) => one - other).map(([, trip]) => trip)
  const { loss, latency_ms, jitter_ms } = summarise(count, inOrder)
  Object.assign(attempt.facts, { loss, jitter_ms })
  attempt.latency_ms = latency_ms
  return [
    `replies: ${trips.size} of ${count}`,
    `loss: ${loss} %`,
    `latency: ${latency_ms} ms`,
    `jitter: ${jitter_ms} ms`,
  ].join('\n')
}
