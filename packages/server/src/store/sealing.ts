// Whether hours are sealed in this database, or may be from now on (decision record 7). While they are not, statements read
// `results` alone, and cost what they cost before there were sealed hours.
import type pg from 'pg'

/** How old what we know may be. Whoever seals closes no hour before everybody has looked again. */
export const SEALING_KNOWN_MS = 5_000

const HAS_BEGUN = `
  select is_on or announced > '-infinity' or closed > '-infinity' or sealed_until > '-infinity' as is_so,
    coalesce(wire_time(sealed_until), '-infinity') as sealed_until
  from seal_progress`

/** False: sealing has not begun. Otherwise until when hours are sealed. */
type SealedUntil = string | false

export class Sealing {
  /** Nobody who waits for something else holds these connections. */
  readonly #pool: Pick<pg.ClientBase, 'query'>
  /** The last answer, and whether it is not too old. */
  #last: SealedUntil | undefined
  #isFresh = false
  #asking: Promise<SealedUntil | undefined> | undefined
  #forgetting: NodeJS.Timeout | undefined

  constructor(pool: Pick<pg.ClientBase, 'query'>) {
    this.#pool = pool
  }

  /** True also as long as nobody could tell: reading sealed hours is right in any case. */
  async hasBegun(): Promise<boolean> {
    return (await this.sealedUntil()) !== false
  }

  /** Up to five seconds old; undefined when nobody could tell. Nothing is dropped or merged for a minute after it was sealed. */
  async sealedUntil(): Promise<SealedUntil | undefined> {
    if (this.#isFresh && this.#last !== undefined) return this.#last
    return (this.#asking ??= this.#ask())
  }

  /** For a process that turns sealing on or off: it need not wait until it looks again. */
  forget(): void {
    clearTimeout(this.#forgetting)
    this.#isFresh = false
    this.#asking = undefined
  }

  async #ask(): Promise<SealedUntil | undefined> {
    // An answer is as old as its question.
    let isOld = false
    const forgetting = setTimeout(() => {
      isOld = true
      if (this.#forgetting === forgetting) this.#isFresh = false
    }, SEALING_KNOWN_MS).unref()
    this.#forgetting = forgetting
    const asking = this.#pool
      .query<{ is_so: boolean; sealed_until: string }>(HAS_BEGUN)
      .then(({ rows: [row] }) => (row?.is_so === true ? row.sealed_until : false))
    try {
      const sealed_until = await asking
      if (this.#forgetting !== forgetting) return sealed_until
      this.#last = sealed_until
      this.#isFresh = !isOld
      return sealed_until
    } catch {
      // A replica is read while the primary is away. Nobody seals then, and whatever else is wanted fails as well.
      return this.#last
    } finally {
      if (this.#forgetting === forgetting) this.#asking = undefined
    }
  }
}
