// What this agent is to run at present: the server's checks, definitions laid over those that are private, and nothing
// while the server will not have it.
import type { Check } from '@dogwatch/monitor-sdk'
import type { Definitions } from '../definitions/private-definitions.ts'
import { type Log, say } from '../process/log.ts'
import type { Checks } from '../sync/check-set.ts'
import { planRuns } from './planning.ts'
import type { Planned } from './schedule.ts'

export interface WorkloadOptions {
  /** What the server wants run. */
  checks: () => Checks
  plan: (planned: readonly Planned[]) => void
  log: Log
}

const NOTHING: Checks = new Map<string, Check>()

export class Workload {
  readonly #options: WorkloadOptions
  readonly #told = new Set<string>()
  #definitions: Definitions = new Map()
  #hasBegun = false
  #isRefused = false

  constructor(options: WorkloadOptions) {
    this.#options = options
  }

  get checks(): Checks {
    return this.#isRefused ? NOTHING : this.#options.checks()
  }

  get definitions(): Definitions {
    return this.#definitions
  }

  /** The server has disabled this monitor, for now. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** Whether there is anything to run or to upload for. */
  get isOn(): boolean {
    return this.#hasBegun && !this.#isRefused
  }

  /** Nothing is run before. False when that was known. */
  begin(): boolean {
    if (this.#hasBegun) return false
    this.#hasBegun = true
    this.plan()
    return true
  }

  define(definitions: Definitions): void {
    this.#definitions = definitions
    this.plan()
  }

  /** The server has disabled this monitor: nothing runs. False when that was known. */
  refuse(): boolean {
    const isNew = !this.#isRefused
    this.#isRefused = true
    this.plan()
    return isNew
  }

  /** The server has this monitor. False when that was known. */
  admit(): boolean {
    const isNew = this.#isRefused
    this.#isRefused = false
    return isNew
  }

  /** Brings the schedule in line with checks and definitions. */
  plan(): void {
    if (!this.#hasBegun) return
    const { planned, undefined_guids, unranked_guids, unplannable_guids } = planRuns(
      this.checks.values(),
      this.#definitions,
    )
    this.#options.plan(planned)
    this.#tellOnce('no_definition', undefined_guids)
    this.#tellOnce('no_rank', unranked_guids)
    this.#tellOnce('no_interval', unplannable_guids)
  }

  #tellOnce(event: string, guids: readonly string[]): void {
    for (const check of guids) {
      if (this.#told.has(`${event} ${check}`)) continue
      this.#told.add(`${event} ${check}`)
      say(this.#options.log, 'warn', { event, check })
    }
    const named = new Set(guids.map((guid) => `${event} ${guid}`))
    for (const told of this.#told) if (told.startsWith(event) && !named.has(told)) this.#told.delete(told)
  }
}
