// Stores weekly reports by email: who wants them, which ones a process has claimed, and the links to unsubscribe.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface ReportKey {
  org_id: number
  person_id: number
}

export interface ClaimedReport extends ReportKey {
  org_name: string
  email: string
}

// No one gets email at an address that they signed up with and never proved.
const MAY_GET = sql`o.suspended_at is null and o.delete_at is null and p.disabled_at is null
  and (p.claimed_at is null or p.email_proved_at is not null)`

/**
 * Claims one report of a week that no process has sent, so that no other process sends it. Returns undefined if none is left, or
 * if another process claimed the same one at that moment.
 */
export async function claimReport(
  db: Db,
  { week, due_at, now, token_hash }: { week: string; due_at: string; now: string; token_hash: Buffer },
): Promise<ClaimedReport | undefined> {
  const { rows } = await sql<ClaimedReport>`
    with due as (
      select m.org_id, m.person_id, o.name as org_name, p.email
      from memberships m
      join organisations o on o.org_id = m.org_id
      join people p on p.person_id = m.person_id
      left join weekly_reports r on r.org_id = m.org_id and r.person_id = m.person_id and r.week = ${week}::date
      where m.weekly_report and m.joined_at < ${due_at}::timestamptz and ${MAY_GET}
        and (r.week is null or r.retry_at <= ${now}::timestamptz)
      order by r.retry_at nulls first, m.org_id, m.person_id limit 1
      for update of m skip locked
    ), claimed as (
      insert into weekly_reports as w (org_id, person_id, week, token_hash)
      select org_id, person_id, ${week}::date, ${token_hash}::bytea from due
      on conflict (org_id, person_id, week) do update set retry_at = null, token_hash = excluded.token_hash
        where w.retry_at <= ${now}::timestamptz
      returning org_id, person_id
    )
    select due.* from due join claimed using (org_id, person_id)`.execute(db)
  return rows[0]
}

/** Schedules another attempt to send a weekly report. Only for reports whose email was certainly not sent. */
export async function updateReportRetry(db: Db, key: ReportKey & { week: string }, retry_at: string): Promise<void> {
  await sql`
    update weekly_reports set retry_at = ${retry_at}::timestamptz
    where org_id = ${key.org_id} and person_id = ${key.person_id} and week = ${key.week}::date`.execute(db)
}

export interface ReportLink extends ReportKey {
  org_name: string
  email: string
}

export async function findReportLink(db: Db, token_hash: Buffer): Promise<ReportLink | undefined> {
  const { rows } = await sql<ReportLink>`
    select w.org_id, w.person_id, o.name as org_name, p.email
    from weekly_reports w
    join organisations o on o.org_id = w.org_id
    join people p on p.person_id = w.person_id
    where w.token_hash = ${token_hash}`.execute(db)
  return rows[0]
}

/** Switches the weekly report of a member on or off. Returns false if the person is not a member. */
export async function updateWeeklyReport(
  db: Db,
  { org_id, person_id }: ReportKey,
  weekly_report: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('memberships')
    .set({ weekly_report })
    .where('org_id', '=', org_id)
    .where('person_id', '=', person_id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Lists the organisations whose reports a person gets. */
export async function listReportedOrgs(db: Db, person_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('org_id')
    .where('person_id', '=', person_id)
    .where('weekly_report', '=', true)
    .execute()
  return rows.map(({ org_id }) => org_id)
}
