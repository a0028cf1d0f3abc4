// When a check runs next, by the turns that its monitors take (the monitor API's description has the rule).
import { createHash } from 'node:crypto'

/** Of all its monitors together: one of them begins a run in each slot. */
export function nextRunAt({ guid, interval_sec }: { guid: string; interval_sec: number }, now: Date): Date {
  const interval_ms = interval_sec * 1000
  const phase_ms = (createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32) * interval_ms
  const slot = Math.floor((now.getTime() - phase_ms) / interval_ms) + 1
  return new Date(Math.ceil(slot * interval_ms + phase_ms))
}
