// Stores incidents: the times in which a check or heartbeat was down.
import { sql } from 'kysely'
import { PREPARED } from '../asking.ts'
import { type CheckKey, KEY_COLUMNS, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { wireTime } from '../wire-time.ts'
import type { Acknowledgement } from './acknowledgements.ts'

export interface NewIncident {
  org_id: number
  incident_id: string
  check_id?: number
  heartbeat_id?: number
  began_at: string
  told_at: string
  verdict?: Verdict | undefined
  /** Hold that withholds alerts about the incident. */
  held_by?: string | null
  /** End and its reason, if the incident ended before anyone could be notified. */
  ended_at?: string
  end_reason?: EndReason
}

/** Reason why a check was down. */
export interface Verdict {
  /** Number of failures in a row. If `places` is present, of all failing monitors together. */
  failures: number
  /** Number of failing monitors, and of all monitors with a recent result. Absent if the check does not count monitors. */
  places?: { failing: number; of: number }
  /** Time of the result that took the check down. */
  turned_at: string
  /** Text that differs if the check's rules differ. */
  rules: string
}

export type EndReason = 'recovered' | 'threshold' | 'disabled' | 'deleted'

export async function insertIncidents(db: Db, incidents: readonly NewIncident[]): Promise<void> {
  if (incidents.length > 0)
    await db
      .insertInto('incidents')
      .values(incidents.map(({ verdict, ...one }) => ({ ...one, verdict: verdict ? JSON.stringify(verdict) : null })))
      .execute()
}

/** Records the rules that open incidents are judged by from now on. */
export async function updateIncidentRules(
  db: Db,
  incidents: readonly { org_id: number; incident_id: string; rules: string }[],
): Promise<void> {
  if (incidents.length === 0) return
  await sql`
    update incidents i set verdict = coalesce(i.verdict, '{}') || jsonb_build_object('rules', k.rules)
    from ${rowsSql(incidents, { org_id: 'bigint', incident_id: 'text', rules: 'text' })}
    where i.org_id = k.org_id and i.incident_id = k.incident_id`.execute(db)
}

/** Records that people were just notified of these incidents. */
export async function updateIncidentsTold(
  db: Db,
  incidents: readonly { org_id: number; incident_id: string }[],
  told_at: string,
): Promise<void> {
  if (incidents.length === 0) return
  await sql`
    update incidents i set told_at = ${told_at}::timestamptz, held_by = null
    from ${rowsSql(incidents, { org_id: 'bigint', incident_id: 'text' })}
    where i.org_id = k.org_id and i.incident_id = k.incident_id and i.ended_at is null`.execute(db)
}

const IDS = { incidents: 'incident_id', degradations: 'degradation_id' } as const

/** Moves the bounds of incidents or degradations to the times that late results show. `incident_id`: id of either. */
export async function updateMoved(
  db: Db,
  table: keyof typeof IDS,
  org_id: number,
  moved: readonly Omit<PastIncident, 'end_reason'>[],
): Promise<void> {
  if (moved.length === 0) return
  await sql`
    update ${sql.table(table)} t set began_at = k.began_at, ended_at = k.ended_at
    from ${rowsSql(moved, { incident_id: 'text', began_at: 'timestamptz', ended_at: 'timestamptz' })}
    where t.org_id = ${org_id} and ${sql.ref(`t.${IDS[table]}`)} = k.incident_id
      and (t.ended_at is null) = (k.ended_at is null)`.execute(db)
}

/** Times of an incident or degradation. */
export interface PastIncident {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: string | null
}

/** Lists checks' incidents that are open or ended at or after an instant, which can differ per check. Oldest first. */
export async function listIncidentsSince(
  db: Db,
  checks: readonly (CheckKey & { since: string })[],
): Promise<(CheckKey & PastIncident)[]> {
  if (checks.length === 0) return []
  const { rows } = await sql<CheckKey & PastIncident>`
    select k.org_id, k.check_id, i.incident_id, wire_time(i.began_at) as began_at, wire_time(i.ended_at) as ended_at, i.end_reason
    from ${rowsSql(checks, { ...KEY_COLUMNS, since: 'timestamptz' })}
    cross join lateral (
      select incident_id, began_at, ended_at, end_reason from incidents
      where org_id = k.org_id and check_id = k.check_id and began_at >= k.since
      union all
      (select incident_id, began_at, ended_at, end_reason from incidents
        where org_id = k.org_id and check_id = k.check_id and began_at < k.since order by began_at desc limit 1)) i
    where i.ended_at is null or i.ended_at >= k.since
    order by k.org_id, k.check_id, i.began_at`.execute(db)
  return rows
}

export interface EndedIncident {
  org_id: number
  incident_id: string
  ended_at: string
  end_reason: EndReason
}

export async function updateIncidentsEnded(db: Db, ended: readonly EndedIncident[]): Promise<void> {
  if (ended.length === 0) return
  await sql`
    update incidents i set ended_at = greatest(i.began_at, k.ended_at), end_reason = k.end_reason
    from ${rowsSql(ended, { org_id: 'bigint', incident_id: 'text', ended_at: 'timestamptz', end_reason: 'text' })}
    where i.org_id = k.org_id and i.incident_id = k.incident_id and i.ended_at is null`.execute(db)
}

/** Ends a check's open incident, gives up pending alerts about it, and forgets whether it was flapping. */
export async function endCheckIncident(
  db: Db,
  { org_id, check_id }: CheckKey,
  ended_at: string,
  end_reason: EndReason,
): Promise<void> {
  await sql`
    update check_states set changes = '[]', flapping_since = null, change_count = 0
    where org_id = ${org_id} and check_id = ${check_id} and changes <> '[]'`.execute(db)
  await endIncidents(db, org_id, 'check', [check_id], { ended_at, end_reason })
}

/** Ends the open incidents of checks or heartbeats, and gives up pending alerts about them. */
export async function endIncidents(
  db: Db,
  org_id: number,
  kind: 'check' | 'heartbeat',
  ids: readonly number[],
  { ended_at, end_reason }: Pick<EndedIncident, 'ended_at' | 'end_reason'>,
): Promise<void> {
  const id = sql.ref(`${kind}_id`)
  const { rows } = await sql<{ id: number }>`
    update incidents set ended_at = greatest(began_at, ${ended_at}::timestamptz), end_reason = ${end_reason}
    where org_id = ${org_id} and ${id} = any(${[...ids]}::bigint[]) and ended_at is null
    returning ${id} as id`.execute(db)
  const subjects = rows.map((one) => `${kind}:${one.id}`)
  await giveUpOn(db, org_id, subjects)
}

/** Finds the open incident of a heartbeat. */
export async function findHeartbeatIncident(
  db: Db,
  { org_id, heartbeat_id }: { org_id: number; heartbeat_id: number },
): Promise<({ incident_id: string } & Acknowledgement) | undefined> {
  return db
    .selectFrom('incidents')
    .select((eb) => ['incident_id', wireTime(eb.ref('acknowledged_at')).as('acknowledged_at'), 'acknowledged_by'])
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
}

/** Gives up all pending deliveries and planned alerts about some subjects. */
export async function giveUpOn(db: Db, org_id: number, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return
  const among = sql<boolean>`subject = any(${[...subjects]}::text[])`
  await db
    .updateTable('deliveries')
    .set({ state: 'superseded', next_attempt_at: null })
    .where('org_id', '=', org_id)
    .where(among)
    .where('state', '=', 'pending')
    .execute()
  await sql`
    with waiting as materialized (
      select event_id, channel_id from planned_alerts where org_id = ${org_id} and ${among}
      order by event_id, channel_id for update
    )
    delete from planned_alerts p using waiting
    where p.org_id = ${org_id} and p.event_id = waiting.event_id and p.channel_id = waiting.channel_id`.execute(db)
}

/** Returns the checks whose last closed incident ended after an instant. */
export async function listEndedAfter(
  db: Db,
  checks: readonly (CheckKey & { oldest_at: string })[],
): Promise<CheckKey[]> {
  if (checks.length === 0) return []
  const { rows } = await sql<CheckKey>`
    select k.org_id, k.check_id
    from ${rowsSql(checks, { ...KEY_COLUMNS, oldest_at: 'timestamptz' })}
    cross join lateral (
      select ended_at from incidents
      where org_id = k.org_id and check_id = k.check_id and ended_at is not null
      order by began_at desc limit 1) last
    where last.ended_at > k.oldest_at`.execute(db)
  return rows
}

/** Returns those of the given checks that are down. */
export async function listDown(db: Db, keys: readonly CheckKey[]): Promise<CheckKey[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CheckKey>`${sql.raw(PREPARED)}
    select i.org_id, i.check_id
    from ${keyRows(keys)}
    join incidents i on i.org_id = k.org_id and i.check_id = k.check_id and i.ended_at is null`.execute(db)
  return rows
}
