// Runs one check when its turn comes, and stores the result.
import { DEFAULT_RETRY_DELAY_SEC } from '@dogwatch/check-rules/retries'
import type { Check, Result } from '@dogwatch/monitor-sdk'
import { type Definitions, overlay } from '../definitions/private-definitions.ts'
import { hostOf, mayBeOurs } from '../outages/connectivity.ts'
import { failedToResolve } from '../outages/resolver.ts'
import { OwnTrouble } from '../process/own-trouble.ts'
import type { RunCheck } from '../run/run-check.ts'
import { SHOWN_MAX_CHARS } from '../run/run-report.ts'
import type { ResultKind, RunResult } from '../run/run-result.ts'
import { type Run, resultOf } from '../run/sent-result.ts'
import { inverted } from '../run/verdict.ts'
import { Stamps } from './stamps.ts'

export interface RunnerOptions {
  runCheck: RunCheck
  checks: () => ReadonlyMap<string, Check>
  definitions: () => Definitions
  /** Whether an outage of this machine's network caused the failure of a check that began at that time. */
  wasOut: (began: number) => Promise<boolean>
  /** Whether a fault of this machine's resolver caused the failed lookup of a check that began at that time. */
  couldNotResolve: (began: number) => Promise<boolean>
  /** Whether a check that began at `began` or later, and has ended, found the address of a name. */
  hasResolvedSince: (began: number) => boolean
  /** Records that a run that began at `ranAt` got an address for a name. */
  noteResolved?: (host: string, ranAt: number) => void
  /**
   * Whether this process stalled after `began`, for longer than `longer_than_ms` if that is given. A run may fail because of a
   * stall although the target is up.
   */
  hasStalled: (began: number, longer_than_ms?: number) => boolean
  keep: (result: Result) => void
  /**
   * Schedules another run of a check after this time. Returns false if there is no time for it. Absent if failures are not
   * repeated.
   */
  retry?: (guid: string, after_ms: number) => boolean
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the server time, in milliseconds. */
  now: () => number
  /** Whether to dial public addresses only. Called for each run, because the server may change it at any time. */
  publicTargetsOnly: () => boolean
  /** Signal that ends the runs in progress without a result. */
  signal: AbortSignal
  onRun?: (
    kind: ResultKind | 'own_outage' | 'own_resolver' | 'own_trouble' | 'crashed',
    result: RunResult | undefined,
  ) => void
  onRerun?: () => void
  log?: (event: RunnerEvent) => void
}

/** Event of a run. It contains nothing of a definition, because more people read logs than run checks. */
export type RunnerEvent =
  | { event: 'ran'; check: string; success: boolean; kind: ResultKind; latency_ms: number; http_status: number }
  | { event: 'not_counted'; check: string; kind: ResultKind; why: 'own_outage' | 'own_resolver' }
  | { event: 'own_trouble'; check: string; why: string }
  | { event: 'crashed'; check: string; error: string }

/** A check to run, and how to run it. */
interface RunTask {
  check: Check
  isPrivate: boolean
  /** Whether a person waits for the run, who sees more than a result keeps. */
  isAsked: boolean
  /**
   * Whether this run is a retry. The time until the next slot is then enough for one run only, so a stall does not cause another
   * run.
   */
  isRetry: boolean
}

/** A failed run that does not count yet, because the check has a retry. */
type FailedRun = Run & { retries: number }

/**
 * Latency above which a success does not show how fast the target is, if this process stalled for at least as long. In
 * milliseconds.
 */
const LATENCY_STALL_MS = 1000
/** Maximum number of attempts for a target whose name could not be looked up. */
const LOOKS_MAX = 2

export class Runner {
  readonly #options: RunnerOptions
  readonly #stamps = new Stamps()
  readonly #failed = new Map<string, FailedRun>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Runs the check, and returns the run if it counts. A failure that will be repeated does not count yet: the next run decides,
   * or `settle`. Does not reject.
   */
  async run(guid: string, isAsked = false): Promise<Run | undefined> {
    const failed = this.#failed.get(guid)
    const run = await this.#find(guid, { isAsked, isRetry: failed !== undefined })
    // If a retry has no result, the previous failure counts.
    if (!run) return this.settle(guid)
    this.#failed.delete(guid)
    const { retry_count: retries_max = 0, retry_interval_sec } = run.check
    if (retries_max <= 0 && !failed) return this.#keep(run)
    const counted = { ...run, retries: failed ? failed.retries + 1 : 0 }
    const after_ms = 1000 * (retry_interval_sec || DEFAULT_RETRY_DELAY_SEC)
    const isRepeated = !isAsked && counted.retries < retries_max && isRepeatable(run.result)
    if (!isRepeated || !this.#options.retry?.(guid, after_ms)) return this.#keep(counted)
    this.#failed.set(guid, counted)
    return undefined
  }

  /** Counts the waiting failure of a check whose retry is cancelled, and returns it. */
  settle(guid: string): Run | undefined {
    const failed = this.#failed.get(guid)
    this.#failed.delete(guid)
    return failed && this.#options.checks().has(guid) ? this.#keep(failed) : undefined
  }

  /** Counts the waiting failures of all checks whose retries are cancelled. */
  settleAll(): void {
    for (const guid of [...this.#failed.keys()]) this.settle(guid)
  }

  #keep(run: Run): Run {
    this.#options.keep(resultOf(run))
    return run
  }

  /** Runs a check of the server by its current definition. Returns undefined if there is no result. */
  async #find(guid: string, how: Pick<RunTask, 'isAsked' | 'isRetry'>): Promise<Run | undefined> {
    const row = this.#options.checks().get(guid)
    const laid = row && overlay(row, this.#options.definitions())
    if (!laid) return undefined
    const { check, isPrivate } = laid
    const { mono, now, signal, checks } = this.#options
    const ranAt = mono()
    const found = await this.#findCounted({ check, isPrivate, ...how })
    if (!found) return undefined
    if (signal.aborted || !checks().has(guid)) return undefined
    // Computes the start from the present time, so that a correction of the clock during the run applies to the start as well.
    const ran_at = this.#stamps.next(guid, now() - (mono() - ranAt))
    const result = check.invert_result ? inverted(found) : found
    const { success, kind, latency_ms, http_status } = result
    this.#options.log?.({ event: 'ran', check: guid, success, kind, latency_ms, http_status })
    this.#options.onRun?.(kind, found)
    return { check, isPrivate, ran_at, result }
  }

  /** Runs a definition that is not a check of the server, and stores nothing. Returns undefined if there is no verdict. */
  async tryOut(check: Check): Promise<Run | undefined> {
    const { mono, now } = this.#options
    const ranAt = mono()
    const found = await this.#findCounted({ check, isPrivate: false, isAsked: true, isRetry: false })
    if (!found) return undefined
    const ran_at = new Date(now() - (mono() - ranAt)).toISOString()
    return { check, isPrivate: false, ran_at, result: check.invert_result ? inverted(found) : found }
  }

  /** Forgets checks that no longer run. */
  forgetAllBut(guids: { has: (guid: string) => boolean }): void {
    this.#stamps.forgetAllBut(guids)
    for (const guid of this.#failed.keys()) if (!guids.has(guid)) this.#failed.delete(guid)
  }

  /** Runs a check, and returns its result. Returns undefined if an outage of this machine caused the result. */
  async #findCounted(looked: RunTask): Promise<RunResult | undefined> {
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
      // Unless another name resolved during that time, the resolver may have been silent until just now.
      if (isRetry || looks === LOOKS_MAX || hasResolvedSince(began)) return found
    }
  }

  /**
   * Runs the check. If the target seemed to fail or to be slow while this process stalled, runs it once more, and the second
   * result counts.
   */
  async #findUnstalled(looked: RunTask): Promise<{ found: RunResult | undefined; began: number }> {
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
    // The first run found the target up. Only a failure without a stall of this process can contradict that.
    if (found.success && (!again || (!again.success && hasStalled(beganAgain)))) return { found, began }
    // If this process stalled during the second run as well, its failure says nothing about the target.
    const tellsNothing = again && !again.success && hasStalled(beganAgain)
    const told = tellsNothing ? this.#hindered(check.guid, new OwnTrouble('stalled')) : again
    return { found: told, began: beganAgain }
  }

  /** Returns the result of one run before its inversion, or undefined if there is none. */
  async #look({ check, isPrivate, isAsked }: RunTask): Promise<RunResult | undefined> {
    const { runCheck, publicTargetsOnly, signal, now } = this.#options
    try {
      const options = {
        public_targets_only: publicTargetsOnly(),
        is_private: isPrivate,
        shows_certificates: isAsked,
        is_upright: true,
        signal,
        now: () => new Date(now()),
      }
      return await runCheck(isAsked ? withSample(check) : check, options)
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

  /** Records that the name resolved, if the run reached the connection. */
  #noteResolved({ phases }: RunResult, url: string, ranAt: number): void {
    if (phases.dns !== undefined && phases.connect !== undefined) this.#options.noteResolved?.(hostOf(url), ranAt)
  }

  #notCounted(guid: string, { kind }: RunResult, why: 'own_outage' | 'own_resolver'): undefined {
    this.#options.log?.({ event: 'not_counted', check: guid, kind, why })
    this.#options.onRun?.(why, undefined)
  }
}

/** Whether a later run may have another outcome. A definition that cannot be run stays invalid. */
function isRepeatable({ success, kind }: RunResult): boolean {
  return !success && kind !== 'config'
}

/** Extends the sample for a person who waits for the run, unless the check stores no details. */
function withSample(check: Check): Check {
  const { result_detail_max_chars: chars } = check
  return chars > 0 ? { ...check, result_detail_max_chars: Math.max(chars, SHOWN_MAX_CHARS) } : check
}
