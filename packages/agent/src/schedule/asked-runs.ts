// Runs checks that people request from this monitor, each once and at once, and reports the outcomes without waiting for the next
// upload.
import type { Check, MonitorClient, RunReport, RunRequest } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import type { Log } from '../process/log.ts'
import { reportOf } from '../run/run-report.ts'
import type { Run } from '../run/sent-result.ts'
import type { ScheduledRuns } from './scheduled-runs.ts'

export interface AskedRunsOptions {
  runs: Pick<ScheduledRuns, 'runNow' | 'tryOut'>
  client: Pick<MonitorClient, 'reportRuns'>
  /** Returns the server time, in milliseconds. */
  now: () => number
  log: Pick<Log, 'debug'>
}

/** Maximum retries of a report, because a person waits for it, but not for long. */
const REPORT_RETRIES = 2

/** Maximum number of simultaneous requested runs. More would delay scheduled checks. */
const AT_ONCE = 8
const REMEMBERED = 200

export class AskedRuns {
  readonly #options: AskedRunsOptions
  /** Ids of accepted requests, so that none runs twice. */
  readonly #taken = new Set<string>()
  #underWay = 0

  constructor(options: AskedRunsOptions) {
    this.#options = options
  }

  /** Starts the runs that a response requests. Ignores invalid requests, because the response comes from another machine. */
  take(requests: unknown): void {
    if (!Array.isArray(requests)) return
    for (const request of requests as (Partial<RunRequest> | null)[]) {
      const id = request?.id
      if (typeof id !== 'string' || this.#taken.has(id)) continue
      this.#remember(id)
      void this.#answer({ ...request, id })
    }
  }

  async #answer(request: RunRequest): Promise<void> {
    const { client, log } = this.#options
    const report = await this.#find(request)
    await client.reportRuns([report], { retries: REPORT_RETRIES }).catch((error: unknown) => {
      log.debug({ error: wordsOf(error) }, 'report_lost')
    })
  }

  async #find({ id, check, check_guid }: RunRequest): Promise<RunReport> {
    if (this.#underWay >= AT_ONCE) return { id, not_run: 'busy' }
    this.#underWay += 1
    try {
      const run = await this.#run(check, check_guid)
      if (run === false) return { id, not_run: 'unknown_check' }
      return run ? reportOf(id, run, this.#options.now()) : { id, not_run: 'no_verdict' }
    } finally {
      this.#underWay -= 1
    }
  }

  async #run(check: Check | undefined, guid: string | undefined): Promise<Run | undefined | false> {
    // A definition with another fault runs, so that its verdict reports the fault.
    if (typeof check?.url === 'string') return this.#options.runs.tryOut(check)
    return typeof guid === 'string' && this.#options.runs.runNow(guid)
  }

  #remember(id: string): void {
    this.#taken.add(id)
    if (this.#taken.size <= REMEMBERED) return
    const [oldest] = this.#taken
    if (oldest !== undefined) this.#taken.delete(oldest)
  }
}
