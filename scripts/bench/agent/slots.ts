// Compares results with the slots that were due.
import { nextSlot, slotNumberAt, turnOf } from '../../../packages/monitor-sdk/dist/agent.js'
import type { Check, Result } from '../../../packages/monitor-sdk/dist/index.js'

export interface Account {
  due: number
  /** Slots without a result, and slots with more than one. */
  missing: number
  doubled: number
  failed: number
  /** How long after the beginning of its slot each run started, in ms. */
  delays: number[]
  latencies: { url: string; latency_ms: number }[]
}

/** Of the slots that began between these times of the server. */
export function account(
  checks: readonly Check[],
  results: readonly Result[],
  { from, until }: { from: number; until: number },
): Account {
  const byCheck = Map.groupBy(results, ({ check_guid }) => check_guid)
  const sum: Account = { due: 0, missing: 0, doubled: 0, failed: 0, delays: [], latencies: [] }
  for (const check of checks) {
    const turn = turnOf(check)
    // Times of results are cut to whole milliseconds, those of slots are not.
    const bySlot = Map.groupBy(byCheck.get(check.guid) ?? [], ({ ran_at }) =>
      slotNumberAt(turn, Date.parse(ran_at) + 1),
    )
    for (let slot = nextSlot(turn, from); slot.at < until; slot = nextSlot(turn, slot.at, slot.number)) {
      const found = bySlot.get(slot.number) ?? []
      const [result] = found
      sum.due++
      if (found.length > 1) sum.doubled++
      if (!result) {
        sum.missing++
        continue
      }
      if (!result.success) sum.failed++
      sum.delays.push(Date.parse(result.ran_at) - slot.at)
      sum.latencies.push({ url: check.url, latency_ms: result.latency_ms })
    }
  }
  return sum
}

/** The quantile: the value below which this share of them lies. */
export function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
