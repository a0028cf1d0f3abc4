// Runs each check in its slots, and finds out whether this machine was offline during a run.
import { setTimeout as pause } from 'node:timers/promises'
import type { Check, Result } from '@dogwatch/monitor-sdk'
import type { Definitions } from '../definitions/private-definitions.ts'
import { Connectivity, dialTcp, hostOf } from '../outages/connectivity.ts'
import type { Outage } from '../outages/own-outage.ts'
import { lookUpName, Resolver, witnessNames } from '../outages/resolver.ts'
import type { Config } from '../process/config.ts'
import { type Log, say } from '../process/log.ts'
import { LoopLag } from '../process/loop-lag.ts'
import type { Metrics } from '../process/metrics.ts'
import type { RunCheck } from '../run/run-check.ts'
import type { RunResult } from '../run/run-result.ts'
import type { Run } from '../run/sent-result.ts'
import type { Checks } from '../sync/check-set.ts'
import { Runner } from './runner.ts'
import { type PlannedCheck, Schedule } from './schedule.ts'

export interface ScheduledRunsOptions {
  config: Config
  /** Whether the server counts this monitor among the shared monitors. */
  isShared: () => boolean
  runCheck: RunCheck
  checks: () => Checks
  definitions: () => Definitions
  keep: (result: Result) => void
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the server time, in milliseconds. */
  now: () => number
  metrics: Metrics
  log: Log
}

const LEVELS = new Map(Object.entries<keyof Log>({ crashed: 'error', own_trouble: 'warn' }))
const IN_FLIGHT_END_MS = 10_000

export class ScheduledRuns {
  readonly #options: ScheduledRunsOptions
  readonly #schedule: Schedule
  readonly #runner: Runner
  readonly #connectivity: Connectivity
  readonly #resolver: Resolver
  readonly #lag: LoopLag
  readonly #runs = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  /** Callbacks that wait for a run, by the guid of the check. */
  readonly #asking = new Map<string, ((run: Run | undefined) => void)[]>()

  constructor(options: ScheduledRunsOptions) {
    this.#options = options
    this.#lag = new LoopLag(options.mono)
    this.#schedule = this.#makeSchedule()
    this.#connectivity = this.#makeConnectivity()
    this.#resolver = this.#makeResolver()
    this.#runner = this.#makeRunner()
  }

  /** Number of checks in the schedule. */
  get size(): number {
    return this.#schedule.size
  }

  get inFlight(): number {
    return this.#schedule.inFlight
  }

  /** Whether this machine is offline. */
  get isOut(): boolean {
    return this.#connectivity.outage.isOut
  }

  /** Whether this machine cannot resolve names. */
  get cannotResolve(): boolean {
    return this.#resolver.outage.isOut
  }

  /** The last outage of this machine that ended, of its network or of its resolver. */
  get lastOutage(): Outage | undefined {
    const [network, names] = [this.#connectivity.outage.last, this.#resolver.outage.last]
    return network && names ? (names.ended_at > network.ended_at ? names : network) : (network ?? names)
  }

  begin(): void {
    if (this.#options.config.connectivity) void this.#connectivity.outage.look()
    void this.#resolver.outage.look()
  }

  /** Runs exactly these checks from now on. */
  plan(planned: readonly PlannedCheck[]): void {
    this.#schedule.plan(planned)
    // Drops the callers' waits for checks that no longer run, because a run that still waits for its start is dropped, too.
    const guids = new Set(planned.map(({ guid }) => guid))
    for (const guid of this.#asking.keys()) if (!guids.has(guid)) this.#tell(guid, undefined)
    this.#runner.forgetAllBut(this.#options.checks())
  }

  /**
   * Runs a check now, or waits for its run in progress. Returns the run if it counts, or false if this monitor does not run the
   * check or has too much to do.
   */
  async runNow(guid: string): Promise<Run | undefined | false> {
    const over = new Promise<Run | undefined>((resolve) => {
      this.#asking.set(guid, [...(this.#asking.get(guid) ?? []), resolve])
    })
    if (this.#schedule.runNow(guid)) return over
    this.#tell(guid, undefined)
    return false
  }

  /** Runs a definition once that is not a check of the server. Returns undefined if there is no verdict. */
  async tryOut(check: Check): Promise<Run | undefined> {
    let found: Run | undefined
    await this.#track(async () => {
      found = await this.#runner.tryOut(check)
    })
    return found
  }

  timeWasSet(): void {
    this.#schedule.timeWasSet()
  }

  /** Starts no more runs from now on. */
  stop(): void {
    this.#schedule.stop()
  }

  /** Waits for the runs in progress. A run that takes too long ends without a result. */
  async end(): Promise<void> {
    this.#connectivity.outage.stop()
    this.#resolver.outage.stop()
    await withTimeout(Promise.all(this.#underWay), IN_FLIGHT_END_MS)
    this.#runs.abort()
    await Promise.all(this.#underWay)
    this.#runner.settleAll()
  }

  #track(start: () => Promise<void>): Promise<void> {
    const unwatch = this.#lag.watch()
    const tracked = start().finally(() => {
      unwatch()
      this.#underWay.delete(tracked)
    })
    this.#underWay.add(tracked)
    return tracked
  }

  async #run(guid: string, isAsked = false): Promise<void> {
    this.#tell(guid, await this.#runner.run(guid, isAsked))
  }

  /** Resolves the waiting requests for a run of this check. */
  #tell(guid: string, run: Run | undefined): void {
    const asking = this.#asking.get(guid) ?? []
    this.#asking.delete(guid)
    for (const resolve of asking) resolve(run)
  }

  #makeSchedule(): Schedule {
    const { now, metrics } = this.#options
    return new Schedule({
      now,
      timer: callLater,
      run: (guid, isAsked) => this.#track(() => this.#run(guid, isAsked)),
      onStart: (late_ms) => {
        metrics.started.inc()
        metrics.late.observe(late_ms / 1000)
      },
      onSkip: (why) => metrics.skipped.inc({ why }),
      onRetry: () => metrics.retried.inc(),
      onNoRetry: (guid) => this.#runner.settle(guid),
    })
  }

  #makeConnectivity(): Connectivity {
    const { config, mono, now, log } = this.#options
    const url = new URL(config.server)
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    return new Connectivity({
      api: { host: hostOf(config.server), port },
      references: config.references,
      dial: dialTcp,
      mono,
      now,
      timer: callLater,
      hasStalled: (began) => this.#lag.hasStalledSince(began),
      log: (event) => say(log, 'warn', event),
    })
  }

  #makeResolver(): Resolver {
    const { config, mono, now, log } = this.#options
    // An agent that must not test its network must not look up names on the Internet for tests, either.
    const references = config.connectivity ? config.references : []
    return new Resolver({
      names: witnessNames(hostOf(config.server), references),
      lookUp: (name) => lookUpName(name, this.#publicTargetsOnly),
      random: Math.random,
      mono,
      now,
      timer: callLater,
      hasStalled: (began) => this.#lag.hasStalledSince(began),
      log: (event) => say(log, 'warn', event),
    })
  }

  #makeRunner(): Runner {
    const { config, runCheck, checks, definitions, keep, mono, now, metrics, log } = this.#options
    return new Runner({
      runCheck,
      mono,
      now,
      checks,
      definitions,
      keep,
      // A person who waits for the run gets the outcome of this run, so there is no retry.
      retry: (guid, after_ms) => !this.#asking.has(guid) && this.#schedule.retry(guid, after_ms),
      wasOut: async (began) => config.connectivity && this.#connectivity.outage.covers(began),
      couldNotResolve: (began) => this.#resolver.outage.covers(began),
      hasResolvedSince: (began) => this.#resolver.hasResolvedSince(began),
      noteResolved: (host, ranAt) => this.#resolver.noteResolved(host, ranAt),
      hasStalled: (began, longer_than_ms) => this.#lag.hasStalledSince(began, longer_than_ms),
      publicTargetsOnly: () => this.#publicTargetsOnly,
      signal: this.#runs.signal,
      onRun: (kind, result) => this.#count(kind, result),
      onRerun: () => metrics.rerun.inc(),
      log: (event) => say(log, LEVELS.get(event.event) ?? 'debug', event),
    })
  }

  get #publicTargetsOnly(): boolean {
    const { config, isShared } = this.#options
    return config['public-targets-only'] || isShared()
  }

  #count(kind: string, result: RunResult | undefined): void {
    const { metrics } = this.#options
    metrics.ran.inc({ kind })
    for (const [phase, ms] of Object.entries(result?.phases ?? {}) as [string, number | undefined][]) {
      if (ms !== undefined) metrics.phases.observe({ phase }, ms / 1000)
    }
  }
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
