// Runs that people ask this monitor for: each is done once and at once, and reported without waiting for the next upload.
import type { Check, MonitorClient, RunReport, RunRequest } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import type { Log } from '../process/log.ts'
import { reportOf } from '../run/run-report.ts'
import type { Run } from '../run/sent-result.ts'
import type { ScheduledRuns } from './scheduled-runs.ts'

export interface AskedRunsOptions {
  runs: Pick<ScheduledRuns, 'runNow' | 'tryOut'>
  client: Pick<MonitorClient, 'reportRuns'>
  /** Milliseconds of server time. */
  now: () => number
  log: Pick<Log, 'debug'>
}

/** Somebody waits for a report, and not for long. */
const REPORT_RETRIES = 2

/** More at once would be felt by the checks that are run in turn. */
const AT_ONCE = 8
const REMEMBERED = 200

export class AskedRuns {
  readonly #options: AskedRunsOptions
  /** Those that were taken, so that none is done twice. */
  readonly #taken = new Set<string>()
  #underWay = 0

  constructor(options: AskedRunsOptions) {
    this.#options = options
  }

  /** Starts what an answer asks for. Whatever is no request of ours is passed over: it comes from elsewhere. */
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
    // What else is wrong with a definition is its verdict.
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
