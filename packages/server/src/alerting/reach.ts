// Whether it is their network or ours: if several unrelated hosts cannot be reached within the same moment and none can, it is ours.
import { isIP } from 'node:net'

/** Within that time. */
const MOMENT_MS = 60_000
/** So many hosts that have nothing to do with each other. */
const ENOUGH = 3

/** An attempt that was counted before it was clear that the trouble is ours. */
export interface Counted {
  org_id: number
  delivery_id: number
  /** As recorded. */
  attempts: number
}

/** Enough to take back; what was counted before that stays counted. */
const MOST_COUNTED = 1000

/** Of one process. Times are monotonic. */
export class Reach {
  /** When each host, or its neighbours, could last not be reached. */
  readonly #failed = new Map<string, number>()
  #counted: Counted[] = []
  #reached_ms = Number.NEGATIVE_INFINITY

  /** A host answered: what failed before was the trouble of others. */
  reached(now_ms: number): void {
    this.#reached_ms = now_ms
    this.#failed.clear()
    this.#counted = []
  }

  /** A host could not be reached. */
  failed(host: string, now_ms: number): void {
    this.#failed.set(groupOf(host), now_ms)
  }

  /** Whether the trouble is ours, as far as it shows by now. */
  isOurs(now_ms: number): boolean {
    for (const [key, at_ms] of this.#failed) if (now_ms - at_ms > MOMENT_MS) this.#failed.delete(key)
    return this.#failed.size >= ENOUGH && now_ms - this.#reached_ms > MOMENT_MS
  }

  /** Notes that an attempt was counted although no host has been reached since. */
  count(counted: Counted): void {
    if (this.#counted.length < MOST_COUNTED) this.#counted.push(counted)
  }

  /** The attempts that were counted since a host was last reached; each is given once. */
  takeCounted(): Counted[] {
    return this.#counted.splice(0)
  }
}

/** Hosts that may share their trouble count once: those of one domain, or of one network. */
function groupOf(host: string): string {
  const family = isIP(host)
  if (family === 4) return host.split('.').slice(0, 3).join('.')
  if (family === 6) return host.split(':').slice(0, 3).join(':')
  return host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.')
}
