// Assembles the parts of the agent, starts them in an order in which no result is lost, and stops them in order.
import { type Check, MonitorClient } from '@dogwatch/monitor-sdk'
import type { AgentOptions } from './agent-options.ts'
import { Outbox } from './buffer/outbox.ts'
import { DefinitionsFile } from './definitions/definitions-file.ts'
import { isPrivateRow } from './definitions/private-definitions.ts'
import { Enrollment } from './identity/enrollment.ts'
import { KeyRefusal, waitRefused } from './identity/key-refusal.ts'
import { unlessEnded } from './process/ending.ts'
import { Fatal, wordsOf } from './process/fatal.ts'
import { type LogEvent, say } from './process/log.ts'
import { Metrics, serveMetrics } from './process/metrics.ts'
import { monotonicClock } from './process/monotonic.ts'
import { Bell, type Loop, repeatAll } from './process/repeat.ts'
import { openStateDir, tidyStateDir, unusable } from './process/state-dir.ts'
import { VERSION } from './process/version.ts'
import { AskedRuns } from './schedule/asked-runs.ts'
import { ScheduledRuns } from './schedule/scheduled-runs.ts'
import { Workload } from './schedule/workload.ts'
import { takeOnlyOurs } from './sync/answers.ts'
import { isFresh, loadChecks, saveChecks } from './sync/check-set.ts'
import { REPORT_MS, statusOf } from './sync/report.ts'
import { Sync, type SyncResult } from './sync/sync.ts'
import { Timekeeper } from './sync/timekeeper.ts'
import { NewsWaiter } from './sync/waiting.ts'

type LoopName = 'sync' | 'waiting' | 'upload' | 'status' | 'definitions'

const DEFINITIONS_LOOK_MS = 2000
const NO_DEFINITIONS_MS = 3_600_000
/** Maximum time that the first sync waits until the agent has sent its first status report, in milliseconds. */
const FIRST_STATUS_MS = 5000
const LAST_STATUS_MS = 2000
/** Interval at which a disabled monitor checks whether it is still disabled, in milliseconds. */
const DISABLED_MS = 60_000

export class Agent {
  readonly #options: Required<Pick<AgentOptions, 'mono' | 'wall' | 'random'>> & AgentOptions
  readonly #metrics = new Metrics()
  readonly #bells: Record<LoopName, Bell> = {
    sync: new Bell(),
    waiting: new Bell(),
    upload: new Bell(),
    status: new Bell(),
    definitions: new Bell(),
  }
  readonly #ending = new AbortController()
  readonly #client: MonitorClient
  readonly #time: Timekeeper
  readonly #enrollment: Enrollment
  readonly #workload: Workload
  readonly #runs: ScheduledRuns
  readonly #asked: AskedRuns
  readonly #waiting: NewsWaiter
  readonly #definitions: DefinitionsFile | undefined
  readonly #began: number
  #outbox: Outbox | undefined
  #sync: Sync | undefined
  /** Whether the server knows the abilities of this version. Syncs report them first, because the response depends on them. */
  #hasReported = false
  /** Whether the agent corrected the server time, but the state on disk still has the old time. */
  #isTimeSet = false
  readonly #key: KeyRefusal

  constructor(options: AgentOptions) {
    const { mono = monotonicClock(), wall = Date.now, random = Math.random } = options
    this.#options = { ...options, mono, wall, random }
    this.#began = mono()
    this.#key = new KeyRefusal(options.key_wait_max_ms, options.reclaim_after_ms)
    this.#client = this.#makeClient()
    this.#time = this.#makeTimekeeper()
    this.#enrollment = new Enrollment({ ...this.#options, client: this.#client })
    this.#workload = this.#makeWorkload()
    this.#runs = this.#makeRuns()
    this.#asked = new AskedRuns({
      runs: this.#runs,
      client: this.#client,
      now: () => this.#time.now(),
      log: options.log,
    })
    const [client, bells] = [this.#client, this.#bells]
    this.#waiting = new NewsWaiter({ client, mono, random, bell: bells.waiting, onNews: () => bells.sync.ring() })
    this.#definitions = this.#makeDefinitions()
  }

  /**
   * Runs the agent until `signal` aborts, then finishes the runs and uploads in progress. @throws Fatal if another reason ends
   * the agent. Even then, results stay on disk.
   */
  async run(signal: AbortSignal): Promise<void> {
    const ending = this.#ending
    ending.signal.addEventListener('abort', () => this.#stop())
    const stop = (): void => ending.abort()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await this.#start()
      if (!ending.signal.aborted) await this.#work()
    } finally {
      signal.removeEventListener('abort', stop)
      ending.abort()
      await this.#end()
    }
  }

  /** Rereads the file of private definitions now. */
  reload(): void {
    this.#bells.definitions.ring()
  }

  /** Requests changes from the server now. */
  syncNow(): void {
    this.#bells.sync.ring()
  }

  // ---- start ------------------------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    const { config } = this.#options
    await openStateDir(config['state-dir'])
    // Opens the outbox first, because its lock keeps a second agent from enrolling, and from deleting files that the first one
    // writes.
    this.#outbox = await this.#openOutbox().catch((error: unknown) => {
      throw error instanceof Fatal ? error : unusable(config['state-dir'], error)
    })
    await tidyStateDir(config['state-dir'])
    if (this.#definitions) await unlessEnded(this.#definitions.open(), this.#ending.signal)
    this.#sync = await this.#takeUpSync()
    if (config['metrics-port'] !== undefined) await this.#openMetrics(config['metrics-port'])
    const identity = await this.#enrollment.begin(this.#ending.signal)
    if (identity) this.#info({ event: 'started', version: VERSION, monitor_id: identity.monitor_id })
  }

  async #takeUpSync(): Promise<Sync> {
    const { config, wall } = this.#options
    const saved = await loadChecks(config['state-dir'])
    if (!saved || !isFresh(saved, wall())) return this.#makeSync([])
    this.#time.resume(saved)
    return this.#makeSync(saved.checks)
  }

  async #openMetrics(port: number): Promise<void> {
    const since = (at: number): number => (this.#options.mono() - at) / 1000
    this.#metrics.observe({
      in_flight: () => this.#runs.inFlight,
      checks: () => this.#runs.size,
      buffered: () => this.#outbox?.size ?? 0,
      buffered_bytes: () => this.#outbox?.bytes ?? 0,
      sync_age: () => since(this.#sync?.answeredAt ?? 0),
      full_sync_age: () => since(this.#sync?.fullAt ?? 0),
      clock_ahead: () => this.#time.ahead_ms / 1000,
      clock_age: () => since(this.#time.toldAt),
      in_outage: () => Number(this.#runs.isOut),
      cannot_resolve: () => Number(this.#runs.cannotResolve),
      held_back: () => this.#outbox?.heldSize ?? 0,
      set_aside: () => this.#outbox?.asideSize ?? 0,
      key_refused: () => this.#key.lasting(this.#options.mono()) / 1000,
    })
    await serveMetrics(this.#metrics, port).catch((error: unknown) => {
      throw new Fatal(`cannot use metrics port ${port}: ${wordsOf(error)}`, 1)
    })
  }

  // ---- work -------------------------------------------------------------------------------------------------------

  async #work(): Promise<void> {
    this.#runs.begin()
    const steps: Record<LoopName, Loop['step']> = {
      sync: (signal) => this.#syncOnce(signal),
      waiting: async (signal) => (this.#key.isOn ? REPORT_MS : this.#waiting.step(signal)),
      upload: async () => (this.#mayUpload ? (this.#outbox?.upload() ?? REPORT_MS) : REPORT_MS),
      // The sync loop sends the first status report. This loop sends only later ones.
      status: async (signal) => (this.#hasReported ? this.#reportStatus(signal) : REPORT_MS),
      definitions: async () => {
        if (!this.#definitions) return NO_DEFINITIONS_MS
        await this.#definitions.refresh()
        return DEFINITIONS_LOOK_MS
      },
    }
    const loops = (Object.keys(steps) as LoopName[]).map((name) => ({
      step: steps[name],
      bell: this.#bells[name],
      // At the end, the agent does not wait for this loop, because a read from a dead mount never returns.
      ...(name === 'definitions' ? { end_ms: 0 } : {}),
      onError: (error: string) => this.#warn({ event: `${name}_failed`, error }),
    }))
    await repeatAll(loops, this.#ending)
  }

  async #syncOnce(signal: AbortSignal): Promise<number> {
    if (!this.#sync) return 0
    const couldUpload = this.#mayUpload
    if (!this.#hasReported) await this.#reportStatus(AbortSignal.any([signal, AbortSignal.timeout(FIRST_STATUS_MS)]))
    const wait = await this.#sync.step(signal)
    // Checks do not run before the first response with a credible time, because checks and time from before a restart can be
    // wrong. If the server is unreachable, they run nevertheless.
    if (!this.#sync.isTimeDoubted) this.#workload.begin()
    if (this.#mayUpload && !couldUpload) this.#bells.upload.ring()
    if (this.#workload.isOn) this.#asked.take(this.#sync.takeRuns())
    return wait
  }

  /** Whether, according to its latest responses, the server knows this monitor and accepts its requests. */
  get #isWelcome(): boolean {
    return !this.#workload.isRefused && !this.#key.isOn
  }

  get #mayUpload(): boolean {
    return this.#workload.isOn && !this.#key.isOn && this.#sync?.hasTime === true
  }

  async #reportStatus(signal: AbortSignal): Promise<number> {
    if (!this.#isWelcome) return REPORT_MS
    const status = statusOf({
      version: VERSION,
      uptime_ms: this.#options.mono() - this.#began,
      unsent_results: this.#outbox?.size ?? 0,
      sent_at: this.#time.now(),
      last_outage: this.#runs.lastOutage,
    })
    await this.#client.reportStatus(status, { signal }).then(
      () => (this.#hasReported = true),
      (error: unknown) => this.#options.log.debug({ error: wordsOf(error) }, 'status_failed'),
    )
    return REPORT_MS
  }

  async #synced({ checks, is_full, rows }: SyncResult): Promise<void> {
    const { config, wall, log } = this.#options
    const isTakenBack = !this.#isWelcome
    this.#workload.admit()
    this.#key.over()
    this.#outbox?.admitted(isTakenBack)
    if (isTakenBack) this.#info({ event: 'taken_back' })
    const isTimeNews = this.#isTimeSet
    this.#isTimeSet = false
    if (!is_full && rows === 0 && !isTakenBack && !isTimeNews) return
    this.#workload.plan()
    log[is_full && !isTakenBack ? 'debug' : 'info']({ is_full, rows, checks: checks.size }, 'synced')
    const saved_at = new Date(wall()).toISOString()
    const saved = { saved_at, ...this.#time.saved, checks: [...checks.values()] }
    await saveChecks(config['state-dir'], saved).catch((error: unknown) => {
      this.#warn({ event: 'checks_not_saved', error: wordsOf(error) })
    })
    if (is_full) this.#options.onFullSync?.(this.#enrollment.identity?.monitor_id ?? '', checks.size)
  }

  /** Handles a response of 401 or 403 to a sync, and returns the time until the next sync, in milliseconds. */
  async #refused(status: 401 | 403): Promise<number> {
    if (status === 401) return this.#keyRefused()
    this.#key.over()
    if (this.#workload.refuse()) this.#warn({ event: 'disabled' })
    return DISABLED_MS
  }

  #keyRefused(): Promise<number> {
    const { mono, random } = this.#options
    const tell = (event: LogEvent): void => this.#warn({ ...event, buffered: this.#outbox?.size })
    return waitRefused(this.#key, { enrollment: this.#enrollment, signal: this.#ending.signal, mono, random, tell })
  }

  // ---- end --------------------------------------------------------------------------------------------------------

  #stop(): void {
    this.#runs.stop()
    this.#outbox?.stop()
  }

  async #end(): Promise<void> {
    await this.#runs.end()
    if (!this.#outbox) return
    await this.#outbox.flush()
    if (this.#enrollment.identity && this.#isWelcome) {
      if (this.#mayUpload) await this.#outbox.uploadLast()
      await this.#reportStatus(AbortSignal.timeout(LAST_STATUS_MS))
    }
    const unsent_results = this.#outbox.size
    await this.#outbox.close()
    this.#info({ event: 'stopped', unsent_results })
  }

  // ---- parts ------------------------------------------------------------------------------------------------------

  #makeClient(): MonitorClient {
    return new MonitorClient({
      baseUrl: this.#options.config.server,
      token: () => this.#enrollment.identity?.api_key ?? '',
      // The client does not retry, because each loop of the agent repeats its requests at its own pace.
      retries: 0,
      userAgent: `dogwatch-agent/${VERSION}`,
      fetch: takeOnlyOurs((url, init) => fetch(url, init)),
    })
  }

  #makeTimekeeper(): Timekeeper {
    const { mono, wall, log } = this.#options
    return new Timekeeper({
      mono,
      wall,
      log,
      onSet: (by_ms, wasAssumed) => {
        if (wasAssumed) this.#outbox?.recordClockLead(-by_ms)
        this.#metrics.clockSet.inc({ direction: by_ms > 0 ? 'forward' : 'back' })
        this.#isTimeSet = true
        this.#runs.timeWasSet()
      },
      onDoubted: () => this.#metrics.clockDoubted.inc(),
    })
  }

  #makeWorkload(): Workload {
    return new Workload({
      checks: () => this.#sync?.checks ?? new Map<string, Check>(),
      plan: (planned) => this.#runs.plan(planned),
      log: this.#options.log,
    })
  }

  #makeRuns(): ScheduledRuns {
    const { config, runCheck, mono, log } = this.#options
    return new ScheduledRuns({
      config,
      runCheck,
      mono,
      log,
      now: () => this.#time.now(),
      isShared: () => this.#enrollment.isShared,
      checks: () => this.#workload.checks,
      definitions: () => this.#workload.definitions,
      keep: (result) => void this.#outbox?.keep(result),
      metrics: this.#metrics,
    })
  }

  #makeDefinitions(): DefinitionsFile | undefined {
    const { config, trusted_dir, log } = this.#options
    if (config.definitions === undefined) return undefined
    return new DefinitionsFile({
      path: config.definitions,
      trusted_dir,
      onChange: (definitions) => this.#workload.define(definitions),
      log: (event) => say(log, event.event === 'definitions_refused' ? 'error' : 'info', event),
    })
  }

  #openOutbox(): Promise<Outbox> {
    const { config, mono, wall, random, log } = this.#options
    const given = { mono, wall, now: () => this.#time.now(), random, log }
    return Outbox.open({
      ...given,
      state_dir: config['state-dir'],
      client: this.#client,
      bell: this.#bells.upload,
      onRefused: () => this.#bells.sync.ring(),
      isPrivate: (guid) => isPrivateRow(this.#sync?.checks.get(guid)),
      metrics: this.#metrics,
    })
  }

  #makeSync(checks: readonly Check[]): Sync {
    const { mono, random, log } = this.#options
    return new Sync({
      mono,
      random,
      client: this.#client,
      checks: new Map(checks.map((check) => [check.guid, check])),
      hear: (answered) => this.#time.hear(answered),
      hearClass: (told) => this.#enrollment.noteClass(told),
      onSynced: (synced) => this.#synced(synced),
      hearWait: (told) => this.#waiting.hear(told),
      onRefused: (status) => this.#refused(status),
      onUnheard: () => this.#key.interrupted(),
      log: (event) => say(log, 'warn', event),
    })
  }

  #info(event: LogEvent): void {
    say(this.#options.log, 'info', event)
  }

  #warn(event: LogEvent): void {
    say(this.#options.log, 'warn', event)
  }
}
