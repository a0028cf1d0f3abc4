// Which results people may be waiting for: failures, the first success after one, and the first result of a check.
import type { Result } from '@dogwatch/monitor-sdk'

/** More checks than an agent has. Beyond that it forgets, and the next result of each check is news. */
const CHECKS_MAX = 100_000

export class News {
  /** The checks whose last result was a success. */
  readonly #well = new Set<string>()

  /** Asked once of each result, in the order in which they came. */
  isIn({ check_guid, success }: Pick<Result, 'check_guid' | 'success'>): boolean {
    if (!success) {
      this.#well.delete(check_guid)
      return true
    }
    if (this.#well.has(check_guid)) return false
    if (this.#well.size >= CHECKS_MAX) this.#well.clear()
    this.#well.add(check_guid)
    return true
  }
}
