// Decides whether a failure is the receiver's or our own: when several unrelated hosts fail in the same moment and none
// can be reached, it is our own network.
import { isIP } from 'node:net'

/** Failures within this time count as the same moment. */
const MOMENT_MS = 60_000
/** Minimum number of unrelated hosts that must fail. */
const ENOUGH = 3

/** An attempt that was counted before it was clear that the fault is on our side. */
export interface CountedAttempt {
  org_id: number
  delivery_id: number
  /** Number of attempts that is recorded for the delivery, including this one. */
  attempts: number
}

/** Maximum number of attempts that can be uncounted. Attempts beyond this number stay counted. */
const MOST_COUNTED = 1000

/** Connectivity of one process. All times are monotonic. */
export class Reach {
  /** Time at which each group of hosts last could not be reached. */
  readonly #failed = new Map<string, number>()
  #counted: CountedAttempt[] = []
  #reached_ms = Number.NEGATIVE_INFINITY

  /** Notes that a host responded, so earlier failures were not on our side. */
  reached(now_ms: number): void {
    this.#reached_ms = now_ms
    this.#failed.clear()
    this.#counted = []
  }

  /** Notes that a host could not be reached. */
  failed(host: string, now_ms: number): void {
    this.#failed.set(groupOf(host), now_ms)
  }

  /** Whether the fault is probably on our side. */
  isOurs(now_ms: number): boolean {
    for (const [key, at_ms] of this.#failed) if (now_ms - at_ms > MOMENT_MS) this.#failed.delete(key)
    return this.#failed.size >= ENOUGH && now_ms - this.#reached_ms > MOMENT_MS
  }

  /** Remembers a counted attempt, to uncount it if the fault turns out to be on our side. */
  count(counted: CountedAttempt): void {
    if (this.#counted.length < MOST_COUNTED) this.#counted.push(counted)
  }

  /** Returns the attempts that were counted since a host last responded, and forgets them. */
  takeCounted(): CountedAttempt[] {
    return this.#counted.splice(0)
  }
}

/** Returns the group of a host. Hosts of one domain or one network are in one group, because they can fail together. */
function groupOf(host: string): string {
  const family = isIP(host)
  if (family === 4) return host.split('.').slice(0, 3).join('.')
  if (family === 6) return host.split(':').slice(0, 3).join(':')
  return host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.')
}
