// Divides the time of a run into its phases, in whole milliseconds that add up.
import type { Result } from '@dogwatch/monitor-sdk'
import type { Phase, Phases } from '../probes/observation.ts'

export type Timings = NonNullable<Result['timings']>

const NAMES: readonly (readonly [Phase, keyof Timings])[] = [
  ['dns', 'dns_ms'],
  ['connect', 'connect_ms'],
  ['tls', 'tls_ms'],
  ['first_byte', 'first_byte_ms'],
  ['body', 'transfer_ms'],
]

interface Part {
  name: keyof Timings
  ms: number
  whole: number
}

/**
 * Returns the phases of a run, each summed over redirects. They add up to exactly `latency_ms`, a whole number of milliseconds.
 * Returns undefined for a run that did not begin.
 */
export function timingsOf(phases: Phases, latency_ms: number): Timings | undefined {
  const parts = NAMES.flatMap(([phase, name]): Part[] => {
    const ms = phases[phase]
    return ms === undefined ? [] : [{ name, ms, whole: 0 }]
  })
  if (parts.length === 0) return undefined
  dropWaiting(parts, latency_ms)
  for (const part of parts) part.whole = Math.floor(part.ms)
  spread(parts, latency_ms - parts.reduce((sum, { whole }) => sum + whole, 0))
  return Object.fromEntries(parts.map(({ name, whole }) => [name, whole]))
}

/** Removes from the last phase the time after the last part of the response arrived, while the probe waited in vain for more. */
function dropWaiting(parts: readonly Part[], latency_ms: number): void {
  const last = parts.at(-1)
  const total_ms = parts.reduce((sum, { ms }) => sum + ms, 0)
  if (last && total_ms > latency_ms) last.ms = Math.max(0, last.ms - (total_ms - latency_ms))
}

/** Distributes the milliseconds that rounding lost: one to each part that lost most, and the rest to the longest part. */
function spread(parts: readonly Part[], left: number): void {
  const byLoss = parts.toSorted((a, b) => b.ms - b.whole - (a.ms - a.whole))
  let rest = left
  for (const part of byLoss) {
    if (rest <= 0) break
    part.whole += 1
    rest -= 1
  }
  const longest = parts.reduce((one, other) => (other.whole > one.whole ? other : one))
  longest.whole = Math.max(0, longest.whole + rest)
}
