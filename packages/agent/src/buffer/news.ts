// Decides which results people may be waiting for: failures, the first success after one, and the first result of a check.
import type { Result } from '@dogwatch/monitor-sdk'

/**
 * Maximum number of checks to remember, which is more than an agent has. Above it, forgets all checks, so that people may be
 * waiting for each check's next result.
 */
const CHECKS_MAX = 100_000

export class News {
  /** Guids of checks whose last result was a success. */
  readonly #well = new Set<string>()

  /** Whether people may be waiting for the result. The caller must pass each result once, in the order of arrival. */
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
