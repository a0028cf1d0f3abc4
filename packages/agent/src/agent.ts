// The agent as a whole: starts its loops in an order in which nothing is lost, and ends them in one.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Check, MonitorClient, type Result } from '@dogwatch/monitor-sdk'
import { bufferDir, GROUP_MS, ResultBuffer } from './buffer.ts'
import { type Checks, isFresh, loadChecks, saveChecks } from './check-set.ts'
import { ServerClock } from './clock.ts'
import type { Config } from './config.ts'
import { Connectivity, dialTcp, hostOf } from './connectivity.ts'
import { EXIT_HOPELESS, Fatal, wordsOf } from './fatal.ts'
import { type EnrollOptions, enroll, type Identity, loadIdentity, neverArrived } from './identity.ts'
import { type Log, say } from './log.ts'
import { Metrics, serveMetrics } from './metrics.ts'
import { planRuns } from './planning.ts'
import { DefinitionFaults, type Definitions, DefinitionsFile } from './private-definitions.ts'
import { Bell, repeat } from './repeat.ts'
import { REPORT_MS, statusOf } from './report.ts'
import type { Finding, RunCheck } from './run-check.ts'
import { Runner } from './runner.ts'
import { Schedule } from './schedule.ts'
import { setAside } from './set-aside.ts'
import { openStateDir } from './state-dir.ts'
import { Sync, type Synced } from './sync.ts'
import { backoff, IDLE_MS, Uploader } from './upload.ts'
import { VERSION } from './version.ts'

export interface AgentOptions {
  config: Config
  runCheck: RunCheck
  log: Log
  /** From DOGWATCH_ENROLLMENT_TOKEN. */
  enrollment_token?: string | undefined
  /** A directory that keeps others out by itself, such as systemd's credentials. */
  trusted_dir?: string | undefined
  /** Milliseconds of a clock that only goes forth. */
  mono?: () => number
  /** The machine's own idea of the time, in milliseconds since the Unix epoch. */
  wall?: () => number
  random?: () => number
}

const DEFINITIONS_LOOK_MS = 2000
const CLOCK_WARN_MS = 5000
const ENROLL_MS = 10_000
const IN_FLIGHT_END_MS = 10_000
const LAST_UPLOAD_MS = 3000
const LAST_STATUS_MS = 2000

export class Agent {
  readonly #options: Required<Pick<AgentOptions, 'mono' | 'wall' | 'random'>> & AgentOptions
  readonly #metrics = new Metrics()
  readonly #loops = new AbortController()
  readonly #uploads = new AbortController()
  readonly #runs = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #bells = { sync: new Bell(), upload: new Bell(), status: new Bell(), definitions: new Bell() }
  readonly #told = new Set<string>()
  readonly #clock: ServerClock
  readonly #client: MonitorClient
  readonly #schedule: Schedule
  readonly #runner: Runner
  readonly #connectivity: Connectivity
  readonly #began: number
  #identity: Identity | undefined
  #buffer: ResultBuffer | undefined
  #sync: Sync | undefined
  #uploader: Uploader | undefined
  #definitions: Definitions = new Map()
  #definitionsFile: DefinitionsFile | undefined
  /** The server will not have this monitor, for now: nothing runs. */
  #isRefused = false
  #isUploadIdle = false

  constructor(options: AgentOptions) {
    const { mono = () => performance.now(), wall = Date.now, random = Math.random } = options
    this.#options = { ...options, mono, wall, random }
    this.#began = mono()
    this.#clock = new ServerClock(mono, wall() - mono())
    this.#client = this.#makeClient()
    this.#schedule = this.#makeSchedule()
    this.#connectivity = this.#makeConnectivity()
    this.#runner = this.#makeRunner()
  }

  /**
   * Runs until `signal` aborts, and then ends what is under way.
   *
   * @throws Fatal for what ends it otherwise; what was found is kept then, too.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stopLoops()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await this.#start()
      await this.#work()
    } finally {
      signal.removeEventListener('abort', stop)
      this.#stopLoops()
      await this.#end()
    }
  }

  /** Reads the private definitions again, now. */
  reload(): void {
    this.#bells.definitions.ring()
  }

  // ---- start ------------------------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    const { config } = this.#options
    await openStateDir(config['state-dir'])
    // First of all: its lock keeps a second agent from enrolling.
    this.#buffer = await this.#openBuffer()
    await this.#openDefinitions()
    await this.#takeUpSavedSet()
    if (config['metrics-port'] !== undefined) await this.#openMetrics(config['metrics-port'])
    this.#identity = (await loadIdentity(config['state-dir'], config.server)) ?? (await this.#becomeMonitor())
    if (this.#identity) this.#info({ event: 'started', version: VERSION, monitor_id: this.#identity.monitor_id })
  }

  #openBuffer(): Promise<ResultBuffer> {
    return ResultBuffer.open({
      dir: bufferDir(this.#options.config['state-dir']),
      now: () => this.#clock.now(),
      log: (event) => {
        if (event.event === 'dropped') this.#metrics.dropped.inc({ why: event.why }, event.results)
        say(this.#options.log, event.event === 'disk_works_again' ? 'info' : 'error', event)
      },
    })
  }

  async #openDefinitions(): Promise<void> {
    const path = this.#options.config.definitions
    if (path === undefined) return
    this.#definitionsFile = new DefinitionsFile({
      path,
      trusted_dir: this.#options.trusted_dir,
      onChange: (definitions) => {
        this.#definitions = definitions
        this.#plan()
      },
      log: (event) => say(this.#options.log, event.event === 'definitions_refused' ? 'error' : 'info', event),
    })
    await this.#definitionsFile.open().catch((error: unknown) => {
      const faults = error instanceof DefinitionFaults ? error.faults : [wordsOf(error)]
      throw new Fatal([`the definitions in ${path} cannot be used:`, ...faults].join('\n  '), EXIT_HOPELESS)
    })
  }

  async #takeUpSavedSet(): Promise<void> {
    const { config, wall, mono } = this.#options
    const saved = await loadChecks(config['state-dir'])
    const isUsed = saved !== undefined && isFresh(saved, wall())
    const checks = new Map(isUsed ? saved.checks.map((check) => [check.guid, check] as const) : [])
    if (isUsed) this.#clock.learn({ sent: mono(), received: mono(), server_ms: wall() + saved.clock_ahead_ms })
    this.#sync = this.#makeSync(checks)
  }

  async #openMetrics(port: number): Promise<void> {
    const since = (at: number): number => (this.#options.mono() - at) / 1000
    this.#metrics.observe({
      in_flight: () => this.#schedule.inFlight,
      checks: () => this.#schedule.size,
      buffered: () => this.#buffer?.size ?? 0,
      buffered_bytes: () => this.#buffer?.bytes ?? 0,
      sync_age: () => since(this.#sync?.answeredAt ?? 0),
      full_sync_age: () => since(this.#sync?.fullAt ?? 0),
      clock_ahead: () => this.#clockAhead() / 1000,
      in_outage: () => Number(this.#connectivity.isOut),
    })
    await serveMetrics(this.#metrics, port).catch((error: unknown) => {
      throw new Fatal(`the metrics port ${port} cannot be used: ${wordsOf(error)}`, 1)
    })
  }

  /** Enrolls, however long nobody can be reached. Undefined when the agent is told to end before. */
  async #becomeMonitor(): Promise<Identity | undefined> {
    const { signal } = this.#loops
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const identity = await enroll(this.#enrollOptions(), this.#options.config['monitor-id'])
        this.#info({ event: 'enrolled', monitor_id: identity.monitor_id })
        return identity
      } catch (error) {
        if (error instanceof Fatal) throw error
        if (!neverArrived(error)) throw lostEnrollment(error)
        const wait_ms = backoff(failures, 500, this.#options.random)
        this.#warn({ event: 'enroll_failed', error: wordsOf(error), wait_ms })
        await pause(wait_ms, undefined, { signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  #enrollOptions(): EnrollOptions {
    const { config } = this.#options
    const { server, name, region, country, city, 'state-dir': state_dir } = config
    return {
      state_dir,
      base_url: server,
      place: { name, region, country, city },
      token: () => this.#enrollmentToken(),
      // Not ended early: the key is told once, and would be lost.
      enroll: (request, token) => this.#client.enroll(request, { token, timeout: ENROLL_MS }),
    }
  }

  async #enrollmentToken(): Promise<string | undefined> {
    const { enrollment_token, config } = this.#options
    const path = config['enrollment-token-file']
    if (enrollment_token || path === undefined) return enrollment_token || undefined
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new Fatal(`the enrollment token cannot be read: ${wordsOf(error)}`, EXIT_HOPELESS)
    })
    return text.trim() || undefined
  }

  // ---- work -------------------------------------------------------------------------------------------------------

  async #work(): Promise<void> {
    const { signal } = this.#loops
    if (signal.aborted) return
    if (this.#options.config.connectivity) void this.#connectivity.start()
    this.#uploader = this.#makeUploader()
    this.#plan()
    const loops = {
      sync: (ending: AbortSignal) => this.#sync?.step(ending) ?? Promise.resolve(0),
      upload: () => this.#upload(),
      status: (ending: AbortSignal) => this.#reportStatus(ending),
      definitions: async () => {
        await this.#definitionsFile?.refresh()
        return DEFINITIONS_LOOK_MS
      },
    }
    const running = (Object.keys(loops) as (keyof typeof loops)[]).map((name) =>
      repeat(
        {
          step: loops[name],
          bell: this.#bells[name],
          onError: (error) => this.#warn({ event: `${name}_failed`, error }),
        },
        signal,
      ),
    )
    try {
      await Promise.all(running)
    } finally {
      // One that is fatal ends the others.
      this.#stopLoops()
      await Promise.allSettled(running)
    }
  }

  async #upload(): Promise<number> {
    if (this.#isRefused || !this.#uploader) return REPORT_MS
    const wait = await this.#uploader.step(this.#uploads.signal)
    if (wait !== IDLE_MS) return wait
    this.#isUploadIdle = true
    // What came in the meantime is not on disk yet.
    return this.#buffer?.size ? GROUP_MS : IDLE_MS
  }

  async #keep(result: Result): Promise<void> {
    await this.#buffer?.add(result)
    if (!this.#isUploadIdle) return
    this.#isUploadIdle = false
    this.#bells.upload.ring()
  }

  async #reportStatus(signal: AbortSignal): Promise<number> {
    if (!this.#isRefused) {
      const status = statusOf({
        version: VERSION,
        uptime_ms: this.#options.mono() - this.#began,
        unsent_results: this.#buffer?.size ?? 0,
        last_outage: this.#connectivity.lastOutage,
      })
      await this.#client.reportStatus(status, { signal }).catch((error: unknown) => {
        this.#options.log.debug({ error: wordsOf(error) }, 'status_failed')
      })
    }
    return REPORT_MS
  }

  /** What the server wants run, less what it will not have from us now. */
  #wanted(): Checks {
    return this.#isRefused ? new Map<string, Check>() : (this.#sync?.checks ?? new Map<string, Check>())
  }

  #plan(): void {
    if (!this.#identity) return
    const wanted = this.#wanted()
    const { planned, undefined_guids, unranked_guids } = planRuns(wanted.values(), this.#definitions)
    this.#schedule.plan(planned)
    this.#runner.forgetAllBut(wanted)
    this.#tellOnce('no_definition', undefined_guids)
    this.#tellOnce('no_rank', unranked_guids)
  }

  #tellOnce(event: string, guids: readonly string[]): void {
    for (const check of guids) {
      if (this.#told.has(`${event} ${check}`)) continue
      this.#told.add(`${event} ${check}`)
      this.#warn({ event, check })
    }
    const named = new Set(guids.map((guid) => `${event} ${guid}`))
    for (const told of this.#told) if (told.startsWith(event) && !named.has(told)) this.#told.delete(told)
  }

  async #synced({ checks, is_full, rows }: Synced): Promise<void> {
    const wasRefused = this.#isRefused
    this.#isRefused = false
    this.#uploader?.forgive()
    if (wasRefused) this.#info({ event: 'taken_back' })
    if (wasRefused) this.#bells.upload.ring()
    if (!is_full && rows === 0 && !wasRefused) return
    this.#plan()
    this.#options.log[is_full && !wasRefused ? 'debug' : 'info']({ is_full, rows, checks: checks.size }, 'synced')
    const saved_at = new Date(this.#options.wall()).toISOString()
    const saved = { saved_at, clock_ahead_ms: this.#clockAhead(), checks: [...checks.values()] }
    await saveChecks(this.#options.config['state-dir'], saved).catch((error: unknown) => {
      this.#warn({ event: 'checks_not_saved', error: wordsOf(error) })
    })
  }

  async #refused(status: 401 | 403): Promise<void> {
    if (!this.#isRefused) this.#warn({ event: status === 401 ? 'key_refused' : 'disabled' })
    this.#isRefused = true
    this.#plan()
    if (status === 403 || !this.#identity) return
    try {
      this.#identity = await enroll(this.#enrollOptions(), this.#identity.monitor_id)
    } catch (error) {
      if (error instanceof Fatal || neverArrived(error)) throw error
      throw lostEnrollment(error)
    }
    this.#info({ event: 'enrolled', monitor_id: this.#identity.monitor_id })
  }

  #learnTime(sample: Parameters<ServerClock['learn']>[0]): void {
    const step_ms = Math.round(this.#clock.learn(sample))
    if (step_ms === 0) return
    this.#info({ event: 'clock_set', step_ms })
    const ahead_ms = Math.round(this.#clockAhead())
    if (Math.abs(ahead_ms) > CLOCK_WARN_MS) this.#warn({ event: 'clock_differs', ahead_ms })
    this.#schedule.timeWasSet()
  }

  #clockAhead(): number {
    const { wall, mono } = this.#options
    return this.#clock.offset + mono() - wall()
  }

  // ---- end --------------------------------------------------------------------------------------------------------

  #stopLoops(): void {
    this.#schedule.stop()
    this.#loops.abort()
    // What is on its way to the server may arrive: sent twice it would be stored once, but why send it twice.
    setTimeout(() => this.#uploads.abort(), LAST_UPLOAD_MS).unref()
  }

  async #end(): Promise<void> {
    this.#connectivity.stop()
    await withTimeout(Promise.all(this.#underWay), IN_FLIGHT_END_MS)
    this.#runs.abort()
    await Promise.all(this.#underWay)
    if (!this.#buffer) return
    await this.#buffer.flush()
    if (this.#identity && this.#uploader && !this.#isRefused) await this.#sayGoodbye(this.#uploader)
    const unsent_results = this.#buffer.size
    await this.#buffer.close()
    this.#info({ event: 'stopped', unsent_results })
  }

  async #sayGoodbye(uploader: Uploader): Promise<void> {
    await uploader.step(AbortSignal.timeout(LAST_UPLOAD_MS)).catch(() => undefined)
    await this.#reportStatus(AbortSignal.timeout(LAST_STATUS_MS))
  }

  // ---- parts ------------------------------------------------------------------------------------------------------

  #makeClient(): MonitorClient {
    return new MonitorClient({
      baseUrl: this.#options.config.server,
      token: () => this.#identity?.api_key ?? '',
      // Each loop has a pace of its own.
      retries: 0,
      userAgent: `dogwatch-agent/${VERSION}`,
    })
  }

  #makeSchedule(): Schedule {
    return new Schedule({
      now: () => this.#clock.now(),
      timer: callLater,
      run: (guid) => {
        const run = this.#runner.run(guid).finally(() => this.#underWay.delete(run))
        this.#underWay.add(run)
        return run
      },
      onStart: (late_ms) => {
        this.#metrics.started.inc()
        this.#metrics.late.observe(late_ms / 1000)
      },
      onSkip: (why) => this.#metrics.skipped.inc({ why }),
    })
  }

  #makeRunner(): Runner {
    const { config, runCheck, mono, log } = this.#options
    return new Runner({
      runCheck,
      mono,
      now: () => this.#clock.now(),
      checks: () => this.#wanted(),
      definitions: () => this.#definitions,
      wasOut: async (began) => config.connectivity && this.#connectivity.wasOut(began),
      keep: (result) => void this.#keep(result),
      public_targets_only: config['public-targets-only'],
      signal: this.#runs.signal,
      onRun: (kind, finding) => this.#count(kind, finding),
      log: (event) => say(log, event.event === 'crashed' ? 'error' : 'debug', event),
    })
  }

  #count(kind: string, finding: Finding | undefined): void {
    this.#metrics.ran.inc({ kind })
    for (const [phase, ms] of Object.entries(finding?.phases ?? {}) as [string, number | undefined][]) {
      if (ms !== undefined) this.#metrics.phases.observe({ phase }, ms / 1000)
    }
  }

  #makeConnectivity(): Connectivity {
    const { config, mono, log } = this.#options
    const url = new URL(config.server)
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    return new Connectivity({
      api: { host: hostOf(config.server), port },
      references: config.references,
      dial: dialTcp,
      mono,
      now: () => this.#clock.now(),
      timer: callLater,
      log: (event) => say(log, 'warn', event),
    })
  }

  #makeSync(checks: Checks): Sync {
    const { mono, random, log } = this.#options
    return new Sync({
      client: this.#client,
      mono,
      random,
      checks,
      learn: (sample) => this.#learnTime(sample),
      onSynced: (synced) => this.#synced(synced),
      onRefused: (status) => this.#refused(status),
      log: (event) => say(log, 'warn', event),
    })
  }

  #makeUploader(): Uploader {
    const { mono, random, log, config } = this.#options
    if (!this.#buffer) throw new Error('there is no buffer yet')
    return new Uploader({
      client: this.#client,
      buffer: this.#buffer,
      mono,
      random,
      sleep: (ms, signal) => pause(ms, undefined, { signal }),
      setAside: async (value, why) => {
        const { check_guid } = JSON.parse(value) as { check_guid: string }
        this.#metrics.dropped.inc({ why: 'rejected' })
        this.#warn({ event: 'result_set_aside', check: check_guid, why })
        await setAside(config['state-dir'], value, why)
      },
      onRefused: () => this.#bells.sync.ring(),
      onAnswer: (outcome, results) => {
        this.#metrics.uploads.inc({ outcome })
        if (outcome === 'stored') this.#metrics.uploaded.inc(results)
      },
      log: (event) => say(log, 'warn', event),
    })
  }

  #info(event: { event: string; [fact: string]: unknown }): void {
    say(this.#options.log, 'info', event)
  }

  #warn(event: { event: string; [fact: string]: unknown }): void {
    say(this.#options.log, 'warn', event)
  }
}

/** The answer may have been lost, and with it the key of a monitor that is there now. */
function lostEnrollment(error: unknown): Fatal {
  const what = `enrolling failed, and may have made a monitor whose key nobody has: ${wordsOf(error)}.`
  return new Fatal(`${what} If a monitor without results shows up, have it reset and start with --monitor-id.`, 1)
}

function callLater(fire: () => void, ms: number): () => void {
  const timer = setTimeout(fire, ms)
  return () => clearTimeout(timer)
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  const ending = new AbortController()
  await Promise.race([work, pause(ms, undefined, { signal: ending.signal }).catch(() => undefined)])
  ending.abort()
}
