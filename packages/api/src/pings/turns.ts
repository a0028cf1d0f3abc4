// Handles the pings of one heartbeat one after the other, so that a job that pings without end delays only itself and
// uses only one database connection.
import { HttpError } from '../errors.ts'

/** Maximum number of waiting pings of a heartbeat: as many as the database keeps. */
const MOST_WAITING = 100
const RETRY_SEC = '5'

interface Turn<Entry> {
  entry: Entry
  over: Promise<void>
  hasBegun: boolean
}

export class Turns<Entry> {
  readonly #joins: (entry: Entry, waiting: Entry) => boolean
  readonly #most: number
  /** Turns by key, in order. The first one of a key is in progress. */
  readonly #turns = new Map<string, Turn<Entry>[]>()

  /** Creates the turns. `joins` decides whether an entry can share the work of an entry that is still waiting. */
  constructor(joins: (entry: Entry, waiting: Entry) => boolean, most = MOST_WAITING) {
    this.#joins = joins
    this.#most = most
  }

  /**
   * Does the work after all earlier work for this key. If the work fails, later work is unaffected. An entry that joins the last
   * waiting one shares its outcome. Refuses if too many entries are waiting.
   */
  async take(key: string, entry: Entry, work: () => Promise<void>): Promise<void> {
    const turns = this.#turns.get(key) ?? []
    const last = turns.at(-1)
    if (last && !last.hasBegun && this.#joins(entry, last.entry)) return last.over
    if (turns.length > this.#most) {
      throw new HttpError(429, 'too many pings for this heartbeat are waiting to be processed; try again later', {
        'Retry-After': RETRY_SEC,
      })
    }
    const before = last ? last.over.catch(() => {}) : Promise.resolve()
    const turn: Turn<Entry> = { entry, hasBegun: false, over: before }
    turn.over = before.then(() => {
      turn.hasBegun = true
      return work()
    })
    turns.push(turn)
    this.#turns.set(key, turns)
    try {
      await turn.over
    } finally {
      turns.shift()
      if (turns.length === 0) this.#turns.delete(key)
    }
  }
}
