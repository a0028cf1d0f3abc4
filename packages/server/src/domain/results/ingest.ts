// Storing what monitors found.
import { toMicroseconds } from '../../runtime/timestamps.ts'
import { insertResults, type ResultColumns } from '../../store/results.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../monitors/monitor.ts'
import { isStorable, toStorable } from '../text.ts'

/** A result as a monitor sends it, already held against the contract. */
export interface Upload {
  check_guid: string
  ran_at: string
  success: boolean
  http_status: number
  latency_ms: number
  error?: string
  response_sample?: string
}

/**
 * Stores a batch of the caller's results and returns how many were for checks assigned to it, repeats included. The
 * others are dropped. Safe to retry: the first result stored for a check, instant and monitor stays.
 */
export async function ingestResults(deps: Deps, monitor: Caller, uploads: readonly Upload[]): Promise<number> {
  if (uploads.length === 0) return 0
  return insertResults(deps.database, monitor.id, toColumns(uploads))
}

function toColumns(uploads: readonly Upload[]): ResultColumns {
  return {
    // One that cannot be stored names nothing; mended, it might name something.
    check_guid: uploads.map(({ check_guid }) => (isStorable(check_guid) ? check_guid : '')),
    ran_at: uploads.map((upload) => toMicroseconds(upload.ran_at)),
    success: uploads.map((upload) => upload.success),
    http_status: uploads.map((upload) => upload.http_status),
    latency_ms: uploads.map((upload) => upload.latency_ms),
    error: uploads.map((upload) => toStorable(upload.error ?? '')),
    response_sample: uploads.map((upload) => toStorable(upload.response_sample ?? '')),
  }
}
