// Derives the outcome of an upload, and decides what the next attempt does.
import type { ResultsResponse } from '@dogwatch/monitor-sdk'

/** The outcome of an upload attempt. */
export type Outcome =
  /** The server stored all results except those with the indexes in `again`, which it could not store for now. */
  | { kind: 'stored'; again: ReadonlySet<number> }
  | { kind: 'too_large' }
  /** The server cannot parse the upload. `index` is the index of the result at fault, if the response names one. */
  | { kind: 'unreadable'; index: number | undefined; why: string }
  | { kind: 'refused'; status: 401 | 403; why: string }
  /** A proxy or firewall between the agent and the server responded. Its response says nothing about the results. */
  | { kind: 'not_ours'; status: number; why: string }
  | { kind: 'failed'; why: string; retry_after_ms: number }

export type UploadEvent =
  | { event: 'upload_failed'; error: string; wait_ms: number }
  /** The server cannot store the results of some checks for now, so the agent holds these results back. */
  | { event: 'held_back'; results: number }
  /** The server has stored all results that the agent had held back. */
  | { event: 'none_held_back' }

/**
 * Outcome if the server stored part of a batch, but the agent cannot hold back the rest, because its disk is not writable. The
 * agent sends the whole batch again.
 */
export const WITHOUT_DISK: Outcome = {
  kind: 'failed',
  why: 'the server stored only part of the batch, and the disk of this machine is not writable',
  retry_after_ms: 0,
}

/** Next action of the uploader after an upload attempt. */
export type Move =
  | { kind: 'forget' }
  | { kind: 'shrink'; to: number }
  | { kind: 'set_aside'; why: string }
  | { kind: 'wait' }

/** Returns the next step after a batch of `size` results had the given outcome. */
export function moveAfter(outcome: Outcome, size: number): Move {
  if (outcome.kind === 'stored') return { kind: 'forget' }
  if (outcome.kind !== 'too_large' && outcome.kind !== 'unreadable') return { kind: 'wait' }
  const why = outcome.kind === 'too_large' ? 'too large for one request' : outcome.why
  if (size === 1) return { kind: 'set_aside', why }
  const half = Math.floor(size / 2)
  if (outcome.kind !== 'unreadable' || outcome.index === undefined) return { kind: 'shrink', to: half }
  // Sends the results before the unreadable one, and then the unreadable one alone.
  return { kind: 'shrink', to: Math.min(size - 1, Math.max(1, outcome.index)) }
}

/** Returns the outcome `stored` if the counts in the response fit the upload. Otherwise the response is not from the server. */
export function storedOr(answer: ResultsResponse | undefined, sent: number): Outcome {
  const { accepted, again = [] } = answer ?? {}
  const wanted = new Set(again)
  const areThere = [...wanted].every((index) => Number.isInteger(index) && index >= 0 && index < sent)
  if (accepted !== undefined && accepted >= 0 && areThere && accepted + wanted.size <= sent) {
    return { kind: 'stored', again: wanted }
  }
  const why = `the response says that ${accepted ?? 'an unknown number'} of ${sent} results were accepted`
  return { kind: 'not_ours', status: 200, why: areThere ? why : 'the response asks for results that were not sent' }
}

export function outcomeOf({ status, headers }: Response, body: unknown): Outcome {
  const why = `status ${status}: ${String(body).slice(0, 200)}`
  if (status === 413) return { kind: 'too_large' }
  if (status === 400) return { kind: 'unreadable', index: indexIn(why), why }
  if (status === 401 || status === 403) return { kind: 'refused', status, why }
  return { kind: 'failed', why, retry_after_ms: (Number(headers.get('retry-after')) || 0) * 1000 }
}

function indexIn(why: string): number | undefined {
  const found = /results\[(\d+)\]/.exec(why)?.[1]
  return found === undefined ? undefined : Number(found)
}
