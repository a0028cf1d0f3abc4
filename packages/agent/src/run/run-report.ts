// Builds the report for a person who waits for a run. It contains more than a result, except for a private definition.
import type { RunReport } from '@dogwatch/monitor-sdk'
import type { AssertionOutcome } from './assertions.ts'
import { firstChars, type Run } from './sent-result.ts'

export const SHOWN_MAX_CHARS = 2048
const SEEN_MAX_CHARS = 1024
const DAY_MS = 86_400_000
const REDIRECTS_MAX = 10

export function reportOf(id: string, { check, isPrivate, ran_at, result }: Run, now: number): RunReport {
  const { success, kind, http_status } = result
  const latency_ms = Math.max(0, Math.round(result.latency_ms))
  const verdict = { id, success, kind, http_status, latency_ms }
  if (isPrivate) return verdict
  const { error, address, certificate_ends, redirects = [], outcomes = [], phases } = result
  const sample = check.result_detail_max_chars > 0 ? firstChars(result.response_sample, SHOWN_MAX_CHARS) : ''
  return {
    ...verdict,
    ran_at,
    phases: Object.fromEntries(Object.entries(phases).map(([phase, ms]) => [phase, tenths(ms as number)])),
    ...(error === '' ? {} : { error: firstChars(error, SHOWN_MAX_CHARS) }),
    ...(address === undefined ? {} : { address }),
    ...(certificate_ends ? { certificate_days: Math.floor((certificate_ends.getTime() - now) / DAY_MS) } : {}),
    ...(redirects.length === 0 ? {} : { redirects: redirects.slice(0, REDIRECTS_MAX).map(shortened) }),
    ...(outcomes.length === 0 ? {} : { assertions: outcomes.map(toReported) }),
    ...(sample === '' ? {} : { response_sample: sample }),
  }
}

function toReported({ passed, seen }: AssertionOutcome): NonNullable<RunReport['assertions']>[number] {
  return { ...(passed === undefined ? {} : { passed }), seen: firstChars(seen, SEEN_MAX_CHARS) }
}

function shortened(location: string): string {
  return firstChars(location, SHOWN_MAX_CHARS)
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
