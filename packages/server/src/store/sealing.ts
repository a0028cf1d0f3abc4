// Whether hours are sealed in this database, or may be from now on (decision record 7). While they are not, statements read
// `results` alone, and cost what they cost before there were sealed hours.
import type pg from 'pg'

/** How old what we know may be. Whoever seals closes no hour before everybody has looked again. */
export const SEALING_KNOWN_MS = 5_000

const HAS_BEGUN = `
  select exists (
    select from seal_progress
    where is_on or announced > '-infinity' or closed > '-infinity' or sealed_until > '-infinity') as is_so`

export class Sealing {
  /** Nobody who waits for something else holds these connections. */
  readonly #pool: Pick<pg.ClientBase, 'query'>
  /** The last answer, and whether it is not too old. */
  #last: boolean | undefined
  #isFresh = false
  #asking: Promise<boolean> | undefined
  #forgetting: NodeJS.Timeout | undefined

  constructor(pool: Pick<pg.ClientBase, 'query'>) {
    this.#pool = pool
  }

  /** True also as long as nobody could tell: reading sealed hours is right in any case. */
  async hasBegun(): Promise<boolean> {
    if (this.#isFresh && this.#last !== undefined) return this.#last
    return (this.#asking ??= this.#ask())
  }

  /** For a process that turns sealing on or off: it need not wait until it looks again. */
  forget(): void {
    clearTimeout(this.#forgetting)
    this.#isFresh = false
    this.#asking = undefined
  }

  async #ask(): Promise<boolean> {
    // An answer is as old as its question.
    let isOld = false
    const forgetting = setTimeout(() => {
      isOld = true
      if (this.#forgetting === forgetting) this.#isFresh = false
    }, SEALING_KNOWN_MS).unref()
    this.#forgetting = forgetting
    const asking = this.#pool.query<{ is_so: boolean }>(HAS_BEGUN).then(({ rows }) => rows[0]?.is_so === true)
    try {
      const hasBegun = await asking
      if (this.#forgetting !== forgetting) return hasBegun
      this.#last = hasBegun
      this.#isFresh = !isOld
      return hasBegun
    } catch {
      // A replica is read while the primary is away. Nobody turns sealing on then, and whatever else is wanted fails as well.
      return this.#last ?? true
    } finally {
      if (this.#forgetting === forgetting) this.#asking = undefined
    }
  }
}
