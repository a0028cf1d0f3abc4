// Runs one check when its turn has come, and keeps what it found.
import type { Check, Result } from '@dogwatch/monitor-sdk'
import { mayBeOurs } from './connectivity.ts'
import { type Definitions, overlay } from './private-definitions.ts'
import { resultOf } from './result.ts'
import type { Finding, Kind, RunCheck } from './run-check.ts'
import { inverted } from './verdict.ts'

export interface RunnerOptions {
  runCheck: RunCheck
  checks: () => ReadonlyMap<string, Check>
  definitions: () => Definitions
  /** True when a failure of a check that began then is for want of a network here. */
  wasOut: (began: number) => Promise<boolean>
  keep: (result: Result) => void
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** Milliseconds of server time. */
  now: () => number
  public_targets_only: boolean
  /** Ends the runs under way without a result. */
  signal: AbortSignal
  onRun?: (kind: Kind | 'own_outage' | 'crashed', finding: Finding | undefined) => void
  log?: (event: RunnerEvent) => void
}

/** Told without anything of a definition: logs are read by more people than run checks. */
export type RunnerEvent =
  | { event: 'ran'; check: string; success: boolean; kind: Kind; latency_ms: number; http_status: number }
  | { event: 'not_counted'; check: string; kind: Kind }
  | { event: 'crashed'; check: string; error: string }

export class Runner {
  readonly #options: RunnerOptions
  readonly #lastRanAt = new Map<string, number>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Runs the check to its end. Does not reject. */
  async run(guid: string): Promise<void> {
    const row = this.#options.checks().get(guid)
    const laid = row && overlay(row, this.#options.definitions())
    if (!laid) return
    const { check, isPrivate } = laid
    const began = this.#options.mono()
    const ran_at = this.#nextRanAt(guid)
    const found = await this.#find(check, isPrivate)
    if (!found) return
    if (mayBeOurs(found, check.url) && (await this.#options.wasOut(began))) return this.#notCounted(guid, found)
    if (this.#options.signal.aborted || !this.#options.checks().has(guid)) return
    const finding = check.invert_result ? inverted(found) : found
    const { success, kind, latency_ms, http_status } = finding
    this.#options.log?.({ event: 'ran', check: guid, success, kind, latency_ms, http_status })
    this.#options.onRun?.(kind, found)
    this.#options.keep(resultOf({ check, isPrivate, ran_at, finding }))
  }

  /** Forgets checks that are no longer run. */
  forgetAllBut(guids: { has: (guid: string) => boolean }): void {
    for (const guid of this.#lastRanAt.keys()) if (!guids.has(guid)) this.#lastRanAt.delete(guid)
  }

  /** What was found before it is turned around; undefined when nothing was. */
  async #find(check: Check, isPrivate: boolean): Promise<Finding | undefined> {
    const { runCheck, public_targets_only, signal, now } = this.#options
    try {
      const options = { public_targets_only, signal, now: () => new Date(now()) }
      return await runCheck({ ...check, invert_result: false }, options)
    } catch (error) {
      if (signal.aborted) return undefined
      const words = error instanceof Error ? (isPrivate ? error.name : (error.stack ?? error.message)) : 'not an error'
      this.#options.log?.({ event: 'crashed', check: check.guid, error: words })
      this.#options.onRun?.('crashed', undefined)
      return undefined
    }
  }

  #notCounted(guid: string, { kind }: Finding): void {
    this.#options.log?.({ event: 'not_counted', check: guid, kind })
    this.#options.onRun?.('own_outage', undefined)
  }

  /** A result is known by its check and its time: two of one check never share one. */
  #nextRanAt(guid: string): number {
    const at = Math.max(Math.floor(this.#options.now()), (this.#lastRanAt.get(guid) ?? 0) + 1)
    this.#lastRanAt.set(guid, at)
    return at
  }
}
