// Storing what monitors found.
import { toMicroseconds } from '../../runtime/timestamps.ts'
import { markHours } from '../../store/history.ts'
import { listDown } from '../../store/incidents.ts'
import {
  insertHealthyResults,
  insertResults,
  isMisrouted,
  passOnStored,
  type ResultColumns,
} from '../../store/results.ts'
import { judgeChecks } from '../checks/judge.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../monitors/monitor.ts'
import { isStorable, toStorable } from '../text.ts'
import { noteLate } from './arrivals.ts'
import { lateHours } from './history.ts'

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

export interface Ingested {
  /** How many were for checks assigned to the caller, repeats included. */
  accepted: number
  /** How many of them were not stored before. */
  fresh: number
}

/**
 * Stores a batch of the caller's results that are for checks assigned to it. The others are dropped. Safe to retry: the first
 * result stored for a check, instant and monitor stays. A check that goes down or comes up by it does so in the same
 * transaction, with what is to be told of it.
 */
export async function ingestResults(deps: Deps, monitor: Caller, uploads: readonly Upload[]): Promise<Ingested> {
  if (uploads.length === 0) return { accepted: 0, fresh: 0 }
  const columns = toColumns(uploads)
  const store = () => storeColumns(deps, monitor, columns)
  const ingested = await store().catch((error: unknown) => {
    if (!isMisrouted(error)) throw error
    return store()
  })
  // What is here already may not have got to the standby when its first upload was cut off.
  if (ingested.fresh < ingested.accepted) await passOnStored(deps.database)
  return ingested
}

async function storeColumns(deps: Deps, monitor: Caller, columns: ResultColumns): Promise<Ingested> {
  const late = lateHours(columns, deps.clock.now(), !deps.clock.isTrusted())
  if (!late && !columns.success.includes(false)) {
    const { is_declined, ...ingested } = await insertHealthyResults(deps.database, monitor.id, columns)
    if (!is_declined) return ingested
  }
  return deps.database.work.transaction().execute(async (trx) => {
    const { touched, fresh } = await insertResults(trx, monitor.id, columns)
    if (late) await markHours(trx, monitor.id, late)
    await noteLate(trx, monitor.id, touched)
    const open = await listDown(
      trx,
      touched.filter(({ all_succeeded }) => all_succeeded),
    )
    await judgeChecks(trx, deps, [...touched.filter(({ all_succeeded }) => !all_succeeded), ...open])
    return { accepted: touched.reduce((sum, { accepted }) => sum + accepted, 0), fresh }
  })
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
