// Whether hours are sealed in this database, or may be from now on (decision record 7). While they are not, statements read
// `results` alone, and cost what they cost before there were sealed hours.
import type pg from 'pg'

/** How old what we know may be. Whoever seals closes no hour before everybody has looked again. */
export const SEALING_KNOWN_MS = 5_000
/**
 * How old it may be while nobody can look. Statements are told it and last for twenty seconds; what they read is merged or dropped a minute
 * after it was sealed.
 */
const LAST_KNOWN_MS = 30_000

const HAS_BEGUN = `
  select is_on or announced > '-infinity' or closed > '-infinity' or sealed_until > '-infinity' as is_so,
    coalesce(wire_time(sealed_until), '-infinity') as sealed_until
  from seal_progress`

/** What a transaction of `dogwatch shard` holds: while tables move between nodes, no result moves between tables. */
const MOVING = '4403168290107734152'

/** Whether no table moves, as part of a statement; then none does until the transaction ends. */
export const MAY_MOVE_RESULTS = `pg_try_advisory_xact_lock_shared(${MOVING})`

/** Waits for the steps of sealing that are under way, and keeps others from beginning until the connection ends, which this takes for itself. */
export async function holdSealingUp(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(${MOVING})`)
}

/** False: sealing has not begun. Otherwise until when hours are sealed. */
type SealedUntil = string | false

export class Sealing {
  /** Nobody who waits for something else holds these connections. */
  readonly #pool: Pick<pg.ClientBase, 'query'>
  /** The last answer, and whether it is not too old. */
  #last: SealedUntil | undefined
  #lastAnswer: object | undefined
  #isFresh = false
  #asking: Promise<SealedUntil | undefined> | undefined
  #forgetting: NodeJS.Timeout | undefined
  readonly #last_known_ms: number

  constructor(pool: Pick<pg.ClientBase, 'query'>, { last_known_ms = LAST_KNOWN_MS } = {}) {
    this.#pool = pool
    this.#last_known_ms = last_known_ms
  }

  /** True also as long as nobody could tell: reading sealed hours is right in any case. */
  async hasBegun(): Promise<boolean> {
    return (await this.sealedUntil()) !== false
  }

  /** Up to five seconds old, or thirty while nobody could tell; after that, undefined. Nothing is dropped or merged for a minute after it was sealed. */
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
    const answer: { isPast?: true } = {}
    setTimeout(() => {
      answer.isPast = true
      if (this.#lastAnswer === answer) this.#last = undefined
    }, this.#last_known_ms).unref()
    const asking = this.#pool
      .query<{ is_so: boolean; sealed_until: string }>(HAS_BEGUN)
      .then(({ rows: [row] }) => (row?.is_so === true ? row.sealed_until : false))
    try {
      const sealed_until = await asking
      if (answer.isPast) return undefined
      if (this.#forgetting !== forgetting) return sealed_until
      this.#last = sealed_until
      this.#lastAnswer = answer
      this.#isFresh = !isOld
      return sealed_until
    } catch {
      // The primary may be away for a moment. Others may reach it, and seal.
      return this.#last
    } finally {
      if (this.#forgetting === forgetting) this.#asking = undefined
    }
  }
}
