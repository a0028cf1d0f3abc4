// Whose turn it is when, worked out from the words of the protocol.
import { createHash } from 'node:crypto'
import type { Check } from './server.ts'

/** An agent knows the server's time to half a round trip, which on a busy machine is long: that much a run may be early. */
const EARLY_MS = 300
/** The part of an interval within which a run is in its slot; the rest tells a wrong clock from a slow machine. */
const IN_TIME = 0.45

export interface Run {
  /** Milliseconds since the Unix epoch, on server time. */
  at: number
}

export interface Judged {
  number: number
  late_ms: number
  isInTurn: boolean
}

/** Milliseconds into the interval at which the slots of a check begin: first 4 bytes of SHA-256(guid) / 2^32 x interval. */
export function phaseOf({ guid, interval_sec }: Pick<Check, 'guid' | 'interval_sec'>): number {
  return (createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32) * interval_sec * 1000
}

/** Which slot a run falls into, and whether that is one of this monitor's. */
export function judge(check: Check, { at }: Run): Judged {
  const interval = check.interval_sec * 1000
  const since = at - phaseOf(check)
  const number = Math.floor((since + EARLY_MS) / interval)
  const late_ms = Math.round(since - number * interval)
  const count = Math.max(1, check.monitor_count ?? 1)
  const isInTurn = late_ms < IN_TIME * interval && number % count === (check.monitor_rank ?? 0) % count
  return { number, late_ms, isInTurn }
}

/** When the runs of a check began within a round of its monitors, when this monitor's turn begins, and by which formula. */
export function toldTurn(check: Check, runs: readonly Run[]): string {
  const count = Math.max(1, check.monitor_count ?? 1)
  const round_ms = check.interval_sec * 1000 * count
  const inRound = (ms: number): string => `${((((ms % round_ms) + round_ms) % round_ms) / 1000).toFixed(2)} s`
  const turn = inRound(phaseOf(check) + ((check.monitor_rank ?? 0) % count) * check.interval_sec * 1000)
  const seen = runs.slice(0, 4).map(({ at }) => inRound(at))
  return (
    `${check.guid} (rank ${check.monitor_rank ?? 0} of ${count}) was run at ${seen.join(', ')} of each ${round_ms / 1000} s, ` +
    `and its turn begins at ${turn}`
  )
}

export const FORMULA =
  'phase = (first 4 bytes of SHA-256(guid), big-endian) / 2^32 x interval_sec, slot = floor((server time - phase) / interval_sec), ' +
  'run where slot mod monitor_count = monitor_rank: monitor.yaml, Turns, with test vectors'
