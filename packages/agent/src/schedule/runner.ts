// Runs one check when its turn has come, and stores the result.
import type { Check, Result } from '@dogwatch/monitor-sdk'
import { type Definitions, overlay } from '../definitions/private-definitions.ts'
import { hostOf, mayBeOurs } from '../outages/connectivity.ts'
import { failedToResolve } from '../outages/resolver.ts'
import { OwnTrouble } from '../process/own-trouble.ts'
import type { RunCheck } from '../run/run-check.ts'
import type { ResultKind, RunResult } from '../run/run-result.ts'
import { SHOWN_MAX_CHARS } from '../run/run-report.ts'
import { resultOf, type Run } from '../run/sent-result.ts'
import { inverted } from '../run/verdict.ts'
import { Stamps } from './stamps.ts'

export interface RunnerOptions {
  runCheck: RunCheck
  checks: () => ReadonlyMap<string, Check>
  definitions: () => Definitions
  /** Whether a failure of a check that began then is due to an outage of the network here. */
  wasOut: (began: number) => Promise<boolean>
  /** Whether a failed lookup in a check that began then is due to the resolver here. */
  couldNotResolve: (began: number) => Promise<boolean>
  /** True when a check that began at `began` or later, and has ended, found the address of a name. */
  hasResolvedSince: (began: number) => boolean
  /** A name led to an address in a run that began at `ranAt`. */
  noteResolved?: (host: string, ranAt: number) => void
  /**
   * Whether this process stood still meanwhile (for longer than that many milliseconds, if given): then it may have
   * failed where the target did not.
   */
  hasStalled: (began: number, longer_than_ms?: number) => boolean
  keep: (result: Result) => void
  /** Plans to run a check once more after this time. False when there is no time for that. Absent: no failure is repeated. */
  retry?: (guid: string, after_ms: number) => boolean
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** Milliseconds of server time. */
  now: () => number
  /** Asked at each run: the server may say so at any time. */
  publicTargetsOnly: () => boolean
  /** Ends the runs under way without a result. */
  signal: AbortSignal
  onRun?: (
    kind: ResultKind | 'own_outage' | 'own_resolver' | 'own_trouble' | 'crashed',
    result: RunResult | undefined,
  ) => void
  onRerun?: () => void
  log?: (event: RunnerEvent) => void
}

/** Reported without anything of a definition, because more people read logs than run checks. */
export type RunnerEvent =
  | { event: 'ran'; check: string; success: boolean; kind: ResultKind; latency_ms: number; http_status: number }
  | { event: 'not_counted'; check: string; kind: ResultKind; why: 'own_outage' | 'own_resolver' }
  | { event: 'own_trouble'; check: string; why: string }
  | { event: 'crashed'; check: string; error: string }

/** What is looked at, and how. */
interface Looked {
  check: Check
  isPrivate: boolean
  /** A person waits for it, and sees more of it than a result keeps. */
  isAsked: boolean
  /** An earlier run failed. There is time for one run before the next slot, and for no more. */
  isRetry: boolean
}

/** A run that failed, and is to be repeated before it counts. */
type Failed = Run & { retries: number }

/** From the end of a run that failed to its retry, when the check does not say. */
const RETRY_DEFAULT_SEC = 5
/** A success that took longer while this process stood still for longer does not show how fast the target is. */
const LATENCY_STALL_MS = 1000
/** How often a target is tried whose name could not be looked up. */
const LOOKS_MAX = 2

export class Runner {
  readonly #options: RunnerOptions
  readonly #stamps = new Stamps()
  readonly #failed = new Map<string, Failed>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Runs the check to its end, and returns what is kept of it, if anything is. A failure that is to be repeated is not kept
   * yet: the check's next run decides, or `settle`. Does not reject.
   */
  async run(guid: string, isAsked = false): Promise<Run | undefined> {
    const failed = this.#failed.get(guid)
    const run = await this.#find(guid, { isAsked, isRetry: failed !== undefined })
    // Of a retry that tells nothing, the failure before it remains.
    if (!run) return this.settle(guid)
    this.#failed.delete(guid)
    const { retry_count: retries_max = 0, retry_interval_sec } = run.check
    if (retries_max <= 0 && !failed) return this.#keep(run)
    const counted = { ...run, retries: failed ? failed.retries + 1 : 0 }
    const after_ms = 1000 * (retry_interval_sec || RETRY_DEFAULT_SEC)
    const isRepeated = !isAsked && counted.retries < retries_max && isRepeatable(run.result)
    if (!isRepeated || !this.#options.retry?.(guid, after_ms)) return this.#keep(counted)
    this.#failed.set(guid, counted)
    return undefined
  }

  /** The failure of a check counts, although it was to be repeated. Returns it. */
  settle(guid: string): Run | undefined {
    const failed = this.#failed.get(guid)
    this.#failed.delete(guid)
    return failed && this.#options.checks().has(guid) ? this.#keep(failed) : undefined
  }

  /** The same for all checks. */
  settleAll(): void {
    for (const guid of [...this.#failed.keys()]) this.settle(guid)
  }

  #keep(run: Run): Run {
    this.#options.keep(resultOf(run))
    return run
  }

  /** Runs a check of the server's, by its present definition. Undefined when that tells nothing. */
  async #find(guid: string, how: Pick<Looked, 'isAsked' | 'isRetry'>): Promise<Run | undefined> {
    const row = this.#options.checks().get(guid)
    const laid = row && overlay(row, this.#options.definitions())
    if (!laid) return undefined
    const { check, isPrivate } = laid
    const { mono, now, signal, checks } = this.#options
    const ranAt = mono()
    const found = await this.#findCounted({ check, isPrivate, ...how })
    if (!found) return undefined
    if (signal.aborted || !checks().has(guid)) return undefined
    // Counted back from now, so that corrections of the time meanwhile apply to the beginning of the run, too.
    const ran_at = this.#stamps.next(guid, now() - (mono() - ranAt))
    const result = check.invert_result ? inverted(found) : found
    const { success, kind, latency_ms, http_status } = result
    this.#options.log?.({ event: 'ran', check: guid, success, kind, latency_ms, http_status })
    this.#options.onRun?.(kind, found)
    return { check, isPrivate, ran_at, result }
  }

  /** Runs a definition that is no check of the server's: nothing is kept of it. Undefined when there is no verdict. */
  async tryOut(check: Check): Promise<Run | undefined> {
    const { mono, now } = this.#options
    const ranAt = mono()
    const found = await this.#findCounted({ check, isPrivate: false, isAsked: true, isRetry: false })
    if (!found) return undefined
    const ran_at = new Date(now() - (mono() - ranAt)).toISOString()
    return { check, isPrivate: false, ran_at, result: check.invert_result ? inverted(found) : found }
  }

  /** Forgets checks that are no longer run. */
  forgetAllBut(guids: { has: (guid: string) => boolean }): void {
    this.#stamps.forgetAllBut(guids)
    for (const guid of this.#failed.keys()) if (!guids.has(guid)) this.#failed.delete(guid)
  }

  /** The result, unless it is due to an outage of this machine. */
  async #findCounted(looked: Looked): Promise<RunResult | undefined> {
    const { check, isRetry } = looked
    const { wasOut, couldNotResolve, hasResolvedSince } = this.#options
    for (let looks = 1; ; looks += 1) {
      const ranAt = this.#options.mono()
      const { found, began } = await this.#findUnstalled(looked)
      if (!found) return undefined
      // A lookup that began during an outage may hang for longer than the outage lasts.
      const since = began - (failedToResolve(found) ? (found.lookup_age_ms ?? 0) : 0)
      if (mayBeOurs(found, check.url) && (await wasOut(since))) return this.#notCounted(check.guid, found, 'own_outage')
      if (!failedToResolve(found)) {
        this.#noteResolved(found, check.url, ranAt)
        return found
      }
      if (await couldNotResolve(since)) return this.#notCounted(check.guid, found, 'own_resolver')
      // Unless another name was resolved meanwhile, the resolver may have been silent until just now.
      if (isRetry || looks === LOOKS_MAX || hasResolvedSince(began)) return found
    }
  }

  /**
   * Tries once more, and uses that result, when the target seems to fail or to be slow and this process had stood
   * still.
   */
  async #findUnstalled(looked: Looked): Promise<{ found: RunResult | undefined; began: number }> {
    const { check, isRetry } = looked
    const { mono, hasStalled, onRerun } = this.#options
    const began = mono()
    const found = await this.#look(looked)
    if (!found) return { found, began }
    const isTold = found.success && found.latency_ms <= LATENCY_STALL_MS
    if (isTold || !hasStalled(began, found.success ? LATENCY_STALL_MS : undefined)) return { found, began }
    if (isRetry) return { found: found.success ? found : this.#hindered(check.guid, new OwnTrouble('stalled')), began }
    onRerun?.()
    const beganAgain = mono()
    const again = await this.#look(looked)
    // The target was up: only a failure in which this process had no part says otherwise.
    if (found.success && (!again || (!again.success && hasStalled(beganAgain)))) return { found, began }
    // While a process keeps standing still, its failures say nothing at all.
    const tellsNothing = again && !again.success && hasStalled(beganAgain)
    const told = tellsNothing ? this.#hindered(check.guid, new OwnTrouble('stalled')) : again
    return { found: told, began: beganAgain }
  }

  /** The result before it is inverted; undefined when there is none. */
  async #look({ check, isPrivate, isAsked }: Looked): Promise<RunResult | undefined> {
    const { runCheck, publicTargetsOnly, signal, now } = this.#options
    try {
      const options = {
        public_targets_only: publicTargetsOnly(),
        is_private: isPrivate,
        shows_certificates: isAsked,
        signal,
        now: () => new Date(now()),
      }
      const sampled = isAsked ? withSample(check) : check
      return await runCheck({ ...sampled, invert_result: false }, options)
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof OwnTrouble) return this.#hindered(check.guid, error)
      const words = error instanceof Error ? (isPrivate ? error.name : (error.stack ?? error.message)) : 'not an error'
      this.#options.log?.({ event: 'crashed', check: check.guid, error: words })
      this.#options.onRun?.('crashed', undefined)
      return undefined
    }
  }

  #hindered(check: string, { why }: OwnTrouble): undefined {
    this.#options.log?.({ event: 'own_trouble', check, why })
    this.#options.onRun?.('own_trouble', undefined)
  }

  /** Once there is a connection, there was an address before. */
  #noteResolved({ phases }: RunResult, url: string, ranAt: number): void {
    if (phases.dns !== undefined && phases.connect !== undefined) this.#options.noteResolved?.(hostOf(url), ranAt)
  }

  #notCounted(guid: string, { kind }: RunResult, why: 'own_outage' | 'own_resolver'): undefined {
    this.#options.log?.({ event: 'not_counted', check: guid, kind, why })
    this.#options.onRun?.(why, undefined)
  }
}

/** Whether a run may come to something else a little later. A definition that cannot be run stays one. */
function isRepeatable({ success, kind }: RunResult): boolean {
  return !success && kind !== 'config'
}

/** So much of an answer is shown to a person who waits for it, unless the check is to tell nothing. */
function withSample(check: Check): Check {
  const { result_detail_max_chars: chars } = check
  return chars > 0 ? { ...check, result_detail_max_chars: Math.max(chars, SHOWN_MAX_CHARS) } : check
}
