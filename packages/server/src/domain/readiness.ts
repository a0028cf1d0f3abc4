// Whether this process should be sent requests, and if not, why.
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { findMissingMigrations } from '../store/migrate.ts'
import type { Watch } from '../store/watch.ts'
import type { Deps } from './deps.ts'

/** How long an answer holds: however many ask, the database is asked about once a second. */
const FRESH_MS = 1000

/** What stands in the way, in one line; undefined when nothing does. */
export type Obstacle = string | undefined

export class Readiness {
  readonly #look: () => Promise<Finding>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #log: Log
  #isDraining = false
  #last: { at: number; obstacle: Obstacle } | undefined
  #looking: Promise<Obstacle> | undefined

  constructor({ clock, log }: Pick<Deps, 'clock' | 'log'>, watch: Watch) {
    this.#clock = clock
    this.#log = log
    this.#look = () => look(watch)
  }

  /** From now on it is not ready, for good. */
  drain(): void {
    this.#isDraining = true
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  async obstacle(): Promise<Obstacle> {
    if (this.#isDraining) return 'draining'
    const { at = -Infinity, obstacle } = this.#last ?? {}
    if (this.#clock.monotonicMs() - at < FRESH_MS) return obstacle
    const found = await (this.#looking ??= this.#lookAgain())
    // It may have begun meanwhile.
    return this.isDraining ? 'draining' : found
  }

  async #lookAgain(): Promise<Obstacle> {
    const before = this.#last?.obstacle
    const { obstacle, err } = await this.#look()
    this.#last = { at: this.#clock.monotonicMs(), obstacle }
    this.#looking = undefined
    if (obstacle === undefined && before !== undefined) this.#log.info('ready again')
    if (obstacle !== undefined && obstacle !== before) this.#log.warn({ obstacle, err }, 'not ready')
    return obstacle
  }
}

interface Finding {
  obstacle: Obstacle
  err?: unknown
}

/** What an error says is for the log: whoever asks is anybody. */
async function look(watch: Watch): Promise<Finding> {
  try {
    const missing = await findMissingMigrations(watch)
    return { obstacle: missing.length === 0 ? undefined : `the schema lacks ${missing.join(', ')}` }
  } catch (err) {
    return { obstacle: 'the database cannot be asked', err }
  }
}
