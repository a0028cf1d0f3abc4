// Decides whether a failure is the receiver's or our own: when several unrelated hosts fail in the same moment and none
// can be reached, it is our own network.
import { isIP } from 'node:net'

/** Failures within this time count as the same moment. */
const MOMENT_MS = 60_000
/** The number of unrelated hosts. */
const ENOUGH = 3

/** An attempt that was counted before it was clear that the trouble is ours. */
export interface Counted {
  org_id: number
  delivery_id: number
  /** The state that was recorded. */
  attempts: number
}

/** The most attempts that are taken back; earlier ones stay counted. */
const MOST_COUNTED = 1000

/** For one process. Times are monotonic. */
export class Reach {
  /** When each host, or its neighbours, last could not be reached. */
  readonly #failed = new Map<string, number>()
  #counted: Counted[] = []
  #reached_ms = Number.NEGATIVE_INFINITY

  /** A host answered: earlier failures were not ours. */
  reached(now_ms: number): void {
    this.#reached_ms = now_ms
    this.#failed.clear()
    this.#counted = []
  }

  /** A host could not be reached. */
  failed(host: string, now_ms: number): void {
    this.#failed.set(groupOf(host), now_ms)
  }

  /** Whether the trouble is ours, as far as it is known now. */
  isOurs(now_ms: number): boolean {
    for (const [key, at_ms] of this.#failed) if (now_ms - at_ms > MOMENT_MS) this.#failed.delete(key)
    return this.#failed.size >= ENOUGH && now_ms - this.#reached_ms > MOMENT_MS
  }

  /** Remembers that an attempt was counted although no host has been reached since. */
  count(counted: Counted): void {
    if (this.#counted.length < MOST_COUNTED) this.#counted.push(counted)
  }

  /** The attempts that were counted since a host was last reached; each is returned once. */
  takeCounted(): Counted[] {
    return this.#counted.splice(0)
  }
}

/** Hosts that may fail together count once: those of one domain, or of one network. */
function groupOf(host: string): string {
  const family = isIP(host)
  if (family === 4) return host.split('.').slice(0, 3).join('.')
  if (family === 6) return host.split(':').slice(0, 3).join(':')
  return host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.')
}
