// Stores the latest computed history of each organisation's status page.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Counts of a check on one day. Null for a day without data. */
export type CheckDay = readonly [runs: number, failures: number, watched_sec: number] | null
export type HeartbeatDay = readonly [watched_sec: number, down_sec: number] | null

/** History of the checks and heartbeats on a status page, without their names and present states. */
export interface PageHistory {
  /** First day of the history (UTC), such as `2026-11-20`. */
  first_day: string
  checks: readonly { id: number; unknown_sec: number; maintenance_sec: number; days: readonly CheckDay[] }[]
  heartbeats: readonly { id: number; days: readonly HeartbeatDay[] }[]
}

export interface HistoryRow {
  history: PageHistory
  computed_at: string
  asked_at: string
}

export async function findPageHistory(db: Db, org_id: number): Promise<HistoryRow | undefined> {
  const { rows } = await sql<HistoryRow>`
    select history, wire_time(computed_at) as computed_at, wire_time(asked_at) as asked_at
    from status_histories where org_id = ${org_id}`.execute(db)
  return rows[0]
}

/** Stores a history. If `asked_at` is given, also records that a visitor requested the page. */
export async function upsertPageHistory(
  db: Db,
  row: { org_id: number; history: PageHistory; computed_at: string; took_ms: number; asked_at: string | null },
): Promise<void> {
  const { org_id, history, computed_at, took_ms, asked_at } = row
  await sql`
    insert into status_histories as h (org_id, history, computed_at, took_ms, asked_at)
    select org_id, ${JSON.stringify(history)}::json, ${computed_at}::timestamptz, ${took_ms},
      coalesce(${asked_at}::timestamptz, ${computed_at}::timestamptz)
    from organisations where org_id = ${org_id}
    on conflict (org_id) do update set history = excluded.history, computed_at = excluded.computed_at,
      took_ms = excluded.took_ms, asked_at = coalesce(${asked_at}::timestamptz, h.asked_at), claimed_until = '-infinity'`.execute(
    db,
  )
}

/** Records that a visitor requested a page. */
export async function updateHistoryAsked(db: Db, org_id: number, at: string): Promise<void> {
  await sql`update status_histories set asked_at = ${at}::timestamptz where org_id = ${org_id}`.execute(db)
}

export interface RefreshRule {
  now: string
  /** Time since which a visitor must have requested a page for its history to be refreshed. */
  asked_since: string
  /** Age at which a history is computed again, in milliseconds. At least `times` times as long as computing it took. */
  every_ms: number
  times: number
  claim_ms: number
}

/** Claims the history that has been due for computing longest. Returns its organisation, or undefined if none is due. */
export async function claimPageHistory(db: Db, rule: RefreshRule): Promise<number | undefined> {
  const { now, asked_since, every_ms, times, claim_ms } = rule
  const due = sql`computed_at + greatest(${every_ms}::float8, took_ms * ${times}::float8) * interval '1 millisecond'`
  const claim = sql`${claim_ms}::float8 * interval '1 millisecond'`
  // A time in the future is from a clock that has been set back since.
  const { rows } = await sql<{ org_id: number }>`
    update status_histories set claimed_until = ${now}::timestamptz + ${claim}
    where org_id = (
      select org_id from status_histories
      where asked_at > ${asked_since}::timestamptz
        and (${due} <= ${now}::timestamptz or computed_at > ${now}::timestamptz)
        and (claimed_until <= ${now}::timestamptz or claimed_until > ${now}::timestamptz + ${claim})
      order by ${due} limit 1 for update skip locked)
    returning org_id`.execute(db)
  return rows[0]?.org_id
}

/** Deletes the histories of pages that no visitor has requested since an instant. */
export async function deleteOldHistories(db: Db, before: string): Promise<void> {
  await sql`delete from status_histories where asked_at < ${before}::timestamptz`.execute(db)
}
