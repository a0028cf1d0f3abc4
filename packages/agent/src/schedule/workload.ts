// Determines what this agent runs now: the server's checks, with private definitions filled in, and nothing while the server
// refuses this monitor.
import type { Check } from '@dogwatch/monitor-sdk'
import type { Definitions } from '../definitions/private-definitions.ts'
import { type Log, say } from '../process/log.ts'
import type { Checks } from '../sync/check-set.ts'
import { planRuns } from './planning.ts'
import type { PlannedCheck } from './schedule.ts'

export interface WorkloadOptions {
  /** Returns the checks that the server wants run. */
  checks: () => Checks
  plan: (planned: readonly PlannedCheck[]) => void
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

  /** Whether the server has disabled this monitor for now. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** Whether the agent has checks to run, or results to upload. */
  get isOn(): boolean {
    return this.#hasBegun && !this.#isRefused
  }

  /** Starts running checks, unless they already run. */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.plan()
  }

  define(definitions: Definitions): void {
    this.#definitions = definitions
    this.plan()
  }

  /** Stops all checks, because the server has disabled this monitor. Returns false if they were already stopped. */
  refuse(): boolean {
    const isNew = !this.#isRefused
    this.#isRefused = true
    this.plan()
    return isNew
  }

  /** Records that the server accepts this monitor. */
  admit(): void {
    this.#isRefused = false
  }

  /** Updates the schedule to the checks and definitions. */
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
