// Outcomes of requests, counted until somebody asks.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { KINDS, type RequestKind, type Tally } from './orders.ts'

type Counts = Omit<Tally, 'p50' | 'p99' | 'most'>

/** Histograms hold whole numbers: microseconds. */
const UNITS_A_MS = 1000

export class Tallies {
  readonly #histograms = eachKind(() => createHistogram())
  #counts = eachKind(noCounts)

  of(kind: RequestKind): Counts {
    return this.#counts[kind]
  }

  answered(kind: RequestKind, status: number, took_ms: number): void {
    const { statuses } = this.#counts[kind]
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) record(this.#histograms[kind], took_ms)
  }

  /** Returns the counts, and resets them. */
  take(): Record<RequestKind, Tally> {
    const counts = this.#counts
    const taken = eachKind((kind) => ({ ...counts[kind], ...quantilesOf(this.#histograms[kind]) }))
    this.#counts = eachKind(noCounts)
    for (const kind of KINDS) this.#histograms[kind].reset()
    return taken
  }
}

export function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * UNITS_A_MS)))
}

export function quantilesOf(histogram: RecordableHistogram): { p50: number; p99: number; most: number } {
  if (histogram.count === 0) return { p50: 0, p99: 0, most: 0 }
  const at = (percent: number) => histogram.percentile(percent) / UNITS_A_MS
  return { p50: at(50), p99: at(99), most: histogram.max / UNITS_A_MS }
}

function noCounts(): Counts {
  return { due: 0, statuses: {}, retry_after: 0, broken: 0, given_up: 0, dropped: 0 }
}

function eachKind<Value>(make: (kind: RequestKind) => Value): Record<RequestKind, Value> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<RequestKind, Value>
}
