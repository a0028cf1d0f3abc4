// Decides whether this process should get requests, and if not, why.
import type { ClockState } from '@dogwatch/runtime/database-clock'
import { fresh } from '@dogwatch/runtime/fresh'
import type { Log } from '@dogwatch/runtime/log'
import { findMissingMigrations } from '@dogwatch/store/migrate'
import { type SparePool, takesChanges } from '@dogwatch/store/postgres/spare-pool'
import type { Deps } from './deps.ts'
import type { Nodes } from './nodes.ts'

/** Time that a response is reused, so that the database gets about one query a second, whatever the number of callers. */
const FRESH_MS = 1000

/** Reason why the process is not ready, in one line. Undefined if it is ready. */
export type Obstacle = string | undefined

/** Response of `/readyz`. */
export interface Report {
  isReady: boolean
  line: string
}

type Witness = () => Pick<ClockState, 'doubt' | 'note'> & Partial<Pick<ClockState, 'others'>>

export class Readiness {
  readonly #log: Log
  readonly #look: () => Promise<Obstacle>
  readonly #witness: Witness
  readonly #nodes: Pick<Nodes, 'look'> | undefined
  #isDraining = false
  #last: Obstacle

  /** Reads the state of this process's clock from `witness`, and that of a sharded database from `nodes`. */
  constructor(
    { clock, log }: Pick<Deps, 'clock' | 'log'>,
    sparePool: SparePool,
    witness: Witness = () => ({ doubt: undefined, note: undefined }),
    nodes?: Pick<Nodes, 'look'>,
  ) {
    this.#witness = witness
    this.#nodes = nodes
    this.#log = log
    this.#look = fresh(clock, FRESH_MS, () => this.#lookAt(sparePool))
  }

  /** Marks the process as not ready, for good. */
  drain(): void {
    this.#isDraining = true
  }

  async obstacle(): Promise<Obstacle> {
    const found = this.#isDraining ? undefined : await this.#look()
    // Draining can have begun in the meantime.
    if (this.#isDraining) return 'draining'
    return found ?? this.#witness().doubt
  }

  /** Returns in one line that the process is ready, with notes for the operator, or why it is not. */
  async report(): Promise<Report> {
    const obstacle = await this.obstacle()
    if (obstacle !== undefined) return { isReady: false, line: obstacle }
    const { note, others } = this.#witness()
    const { layout, away } = (await this.#nodes?.look()) ?? {}
    const notes = [note, others, away].filter((one) => one !== undefined)
    const where = layout === undefined ? '' : ` (${layout})`
    return { isReady: true, line: notes.length === 0 ? `ready${where}` : `ready, but ${notes.join('; ')}${where}` }
  }

  async #lookAt(sparePool: SparePool): Promise<Obstacle> {
    const { obstacle, err } = await findObstacle(sparePool)
    if (obstacle === undefined && this.#last !== undefined) this.#log.info('ready again')
    if (obstacle !== undefined && obstacle !== this.#last) this.#log.warn({ obstacle, err }, 'not ready')
    this.#last = obstacle
    return obstacle
  }
}

/** Finds out why the process is not ready. Details of an error belong in the log, because anyone may request readiness. */
async function findObstacle(sparePool: SparePool): Promise<{ obstacle: Obstacle; err?: unknown }> {
  try {
    if (!(await takesChanges(sparePool))) return { obstacle: 'the database does not accept writes' }
    const missing = await findMissingMigrations(sparePool)
    return { obstacle: missing.length === 0 ? undefined : `the schema lacks ${missing.join(', ')}` }
  } catch (err) {
    return { obstacle: 'the database does not respond', err }
  }
}
