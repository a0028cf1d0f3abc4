// Results as a naive model keeps them: every row that was accepted, in one list, and nothing else. However results are stored,
// what is read of them must be what this says.

/** What a monitor sends of one run. */
export interface Run {
  check: number
  /** In microseconds since the Unix epoch. */
  at_us: number
  success: boolean
  http_status: number
  latency_ms: number
  error: string
  response_sample: string
  timings: Readonly<Record<string, number>>
  retries: number | undefined
  cert_expires_at: string | undefined
}

export interface Row extends Run {
  monitor_id: string
  /** By which verdicts order: no result counts as later than it came. */
  judged_us: number
}

const DAY_MS = 86_400_000
const OLDEST_MS = 400 * DAY_MS
const AHEAD_MS = 10 * 60_000

export class NaiveRows {
  #rows = new Map<string, Row>()

  /** Returns how many of a batch count as accepted. What was stored first stays. */
  take(monitor_id: string, runs: readonly Run[], now_ms: number): number {
    const accepted = runs.filter(({ at_us }) => {
      const at = Math.floor(at_us / 1000)
      return at >= now_ms - OLDEST_MS && at <= now_ms + AHEAD_MS
    })
    for (const run of accepted) {
      const key = `${run.check} ${run.at_us} ${monitor_id}`
      if (!this.#rows.has(key))
        this.#rows.set(key, { ...run, monitor_id, judged_us: Math.min(run.at_us, now_ms * 1000) })
    }
    return accepted.length
  }

  /** Nothing of a check's rows quotes its definition any more. */
  wipe(check: number): void {
    for (const [key, row] of this.#rows) {
      if (row.check !== check) continue
      this.#rows.set(key, { ...row, error: '', response_sample: '', cert_expires_at: undefined })
    }
  }

  /** Rows from before an instant go. */
  prune(edge_ms: number): void {
    for (const [key, { at_us }] of this.#rows) if (at_us < edge_ms * 1000) this.#rows.delete(key)
  }

  /** A check's rows in the order of their key. */
  of(check: number): Row[] {
    const own = [...this.#rows.values()].filter((row) => row.check === check)
    return own.toSorted((a, b) => a.at_us - b.at_us || (a.monitor_id < b.monitor_id ? -1 : 1))
  }

  /** Whether a check's latest result succeeded; undefined when there is none, or several at once that differ. */
  latestSuccess(check: number): boolean | undefined {
    const own = this.of(check)
    const latest = Math.max(...own.map(({ judged_us }) => judged_us))
    const outcomes = new Set(own.filter(({ judged_us }) => judged_us === latest).map(({ success }) => success))
    return outcomes.size === 1 ? [...outcomes][0] : undefined
  }
}

/** An instant as it is told: with six digits. */
export function wireOf(us: number): string {
  const text = new Date(Math.floor(us / 1000)).toISOString()
  return text.replace('Z', `${String(us % 1000).padStart(3, '0')}Z`)
}
