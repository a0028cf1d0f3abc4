// Paces the pings of each client. No ping is refused for its rate: pings that come faster wait.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Rate, spendOne } from '../../domain/limits/gcra.ts'

/** Maximum number of remembered clients. Beyond it, those with a full bucket are forgotten. */
const MOST_REMEMBERED = 10_000

export class Pace {
  readonly #rate: Rate | undefined
  /** Time (ms) at which the bucket of each client is full again. */
  readonly #fullAt = new Map<string, number>()

  /** Creates a pace. Without a rate, no ping waits. */
  constructor(rate: Rate | undefined) {
    this.#rate = rate
  }

  /** Resolves when the next ping of this client can be handled: at once within the burst, then one by one at the rate. */
  async keep(client: string): Promise<void> {
    if (!this.#rate) return
    const now = performance.now()
    const full_at = this.#fullAt.get(client) ?? now
    const spent = spendOne(this.#rate, full_at, now)
    const wait_ms = spent.isAllowed ? 0 : spent.wait_ms
    // Reserves its turn now, even if it has to wait for it.
    this.#fullAt.delete(client)
    this.#fullAt.set(client, spent.isAllowed ? spent.full_at : full_at + 1000 / this.#rate.per_sec)
    if (this.#fullAt.size > MOST_REMEMBERED) this.#forget(now)
    if (wait_ms > 0) await sleep(wait_ms)
  }

  #forget(now: number): void {
    for (const [client, full_at] of this.#fullAt) {
      if (full_at <= now || this.#fullAt.size > 2 * MOST_REMEMBERED) this.#fullAt.delete(client)
    }
  }
}
