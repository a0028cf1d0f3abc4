// Finds out whether hours are sealed in this database, or can be from now on (decision record 7). While they are not, statements
// read `results` alone, and sealed hours cost them nothing.
import type pg from 'pg'

/** Maximum age of our knowledge about sealing, in milliseconds. Sealing closes no hour before all processes have looked again. */
export const SEALING_KNOWN_MS = 5_000
/**
 * Maximum age of our knowledge while the database does not respond, in milliseconds. Statements that rely on it last up to 20 s,
 * and sealing merges or drops their results only after a minute.
 */
const LAST_KNOWN_MS = 30_000

const HAS_BEGUN = `
  select is_on or announced > '-infinity' or closed > '-infinity' or sealed_until > '-infinity' as is_so,
    coalesce(wire_time(sealed_until), '-infinity') as sealed_until
  from seal_progress`

/** Advisory lock of a transaction of `dogwatch shard`: while tables move between nodes, no result moves between tables. */
const MOVING = '4403168290107734152'

/** SQL condition that no table moves. If it holds, none moves until the transaction ends. */
export const MAY_MOVE_RESULTS = `pg_try_advisory_xact_lock_shared(${MOVING})`

/**
 * Waits for steps of sealing that are under way, and keeps others from beginning until the connection ends. The connection must
 * serve nothing else.
 */
export async function holdSealingUp(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(${MOVING})`)
}

/** Time until which hours are sealed. False if sealing has not begun. */
type SealedUntil = string | false

export class Sealing {
  /** Connections that no caller holds while waiting for something else. */
  readonly #pool: Pick<pg.ClientBase, 'query'>
  /** Last known answer. `#isFresh` says whether it is recent enough. */
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

  /** Whether sealing has begun. Returns true if that is unknown, because reading sealed hours is always correct. */
  async hasBegun(): Promise<boolean> {
    return (await this.sealedUntil()) !== false
  }

  /**
   * Returns until when hours are sealed, as known up to 5 s ago, or up to 30 s ago while the database does not respond. Returns
   * undefined after that.
   */
  async sealedUntil(): Promise<SealedUntil | undefined> {
    if (this.#isFresh && this.#last !== undefined) return this.#last
    return (this.#asking ??= this.#ask())
  }

  /** Forgets the answer, for a process that has changed the progress of sealing and must not wait until it looks again. */
  forget(): void {
    clearTimeout(this.#forgetting)
    // The answer to a question that is under way is not kept either.
    this.#forgetting = undefined
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
      // The primary can be unreachable for a moment. Other processes can reach it, and seal.
      return this.#last
    } finally {
      if (this.#forgetting === forgetting) this.#asking = undefined
    }
  }
}
