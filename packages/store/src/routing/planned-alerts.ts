// Stores planned alerts until they are due, and deletes them when they were sent or are no longer needed.
import { sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import type { Db } from '../database.ts'

export interface PlanKey {
  event_id: string
  channel_id: number
}

export interface NewPlan extends PlanKey {
  org_id: number
  subject: string
  incident_id: string | null
  step: number
  severity: string | null
  due_at: string
  held_by: string
  /** Time at which the hold ends, for pages. Null if no hold withholds the alert, or the end is unknown. */
  held_until: string | null
  created_at: string
}

/** Stores planned alerts. If the same alert to the same channel is already planned, replaces its time and reason. */
export async function putPlans(db: Db, plans: readonly NewPlan[]): Promise<void> {
  if (plans.length === 0) return
  await db
    .insertInto('planned_alerts')
    .values([...plans])
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'event_id', 'channel_id']).doUpdateSet((eb) => ({
        step: eb.ref('excluded.step'),
        severity: eb.ref('excluded.severity'),
        due_at: eb.ref('excluded.due_at'),
        held_by: eb.ref('excluded.held_by'),
        held_until: eb.ref('excluded.held_until'),
      })),
    )
    .execute()
}

export async function deletePlans(db: Db, org_id: number, keys: readonly PlanKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    delete from planned_alerts p
    using unnest(${keys.map(({ event_id }) => event_id)}::text[], ${keys.map(({ channel_id }) => channel_id)}::bigint[])
      as k(event_id, channel_id)
    where p.org_id = ${org_id} and p.event_id = k.event_id and p.channel_id = k.channel_id`.execute(db)
}

/** Planned alert with its event and the incident that it is about. */
export interface PlannedAlert extends PlanKey {
  subject: string
  incident_id: string | null
  due_at: string
  held_by: string
  /** Time at which the alert was planned. Unlike the time of the event, it stays the same if the clock was ahead. */
  created_at: string
  type: string
  raised_at: string
  data: Record<string, unknown>
  check_id: number | null
  /** Whether the incident or degradation has ended or was deleted. False if there is none. */
  is_over: boolean
  is_acknowledged: boolean
}

/**
 * Lists all planned alerts about some subjects, in the order of their events, and locks them until the transaction ends. The
 * caller must hold the locks of the subjects and channels.
 */
export async function listPlansOf(db: Db, org_id: number, subjects: readonly string[]): Promise<PlannedAlert[]> {
  const { rows } = await sql<PlannedAlert>`
    with p as materialized (
      select * from planned_alerts where org_id = ${org_id} and subject = any(${[...subjects]}::text[])
      order by event_id, channel_id for update
    )
    select p.event_id, p.channel_id, p.subject, p.incident_id, wire_time(p.due_at) as due_at, p.held_by,
      wire_time(p.created_at) as created_at, e.type, wire_time(e.created_at) as raised_at, e.data, e.check_id,
      p.incident_id is not null and coalesce(i.incident_id, d.degradation_id) is null or coalesce(i.ended_at, d.ended_at) is not null as is_over,
      i.acknowledged_at is not null as is_acknowledged
    from p
    join events e on e.org_id = p.org_id and e.event_id = p.event_id
    left join incidents i on i.org_id = p.org_id and i.incident_id = p.incident_id
    left join degradations d on d.org_id = p.org_id and d.degradation_id = p.incident_id
    order by e.created_at, e.sequence nulls first, p.event_id, p.channel_id`.execute(db)
  return rows
}

export interface DueSubject {
  org_id: number
  subject: string
}

/**
 * Lists subjects with due planned alerts, the longest due first. Organisations take turns, so that thousands of subjects of one
 * organisation do not delay others. Omits suspended organisations.
 */
export async function listDueSubjects(db: Db, now: string, limit: number): Promise<DueSubject[]> {
  const { rows } = await sql<DueSubject>`
    select p.org_id, p.subject from planned_alerts p
    where p.due_at <= ${now}::timestamptz and ${notSuspendedSql('p')}
    group by p.org_id, p.subject
    order by row_number() over (partition by p.org_id order by min(p.due_at), p.subject), min(p.due_at), p.org_id, p.subject
    limit ${limit}`.execute(db)
  return rows
}

/** Reads when the next planned alert is due. Returns undefined if none waits. */
export async function readNextPlanDue(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ due_at: string }>`
    select wire_time(due_at) as due_at from planned_alerts p where ${notSuspendedSql('p')} order by p.due_at limit 1`.execute(
    db,
  )
  return rows[0]?.due_at
}

/**
 * Locks checks that no process is judging, in the order of keys, until the transaction ends. Checks that no longer exist count as
 * locked, because no process raises events about them.
 */
export async function claimChecks(db: Db, org_id: number, check_ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    select check_id from check_states where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])
    order by check_id for update skip locked`.execute(db)
  const held = rows.map(({ check_id }) => check_id)
  const others = check_ids.filter((id) => !held.includes(id))
  if (others.length === 0) return held
  // Adds rows for checks without one, so that they can be locked the next time.
  await sql`
    insert into check_states (org_id, check_id)
    select org_id, check_id from checks where org_id = ${org_id} and check_id = any(${others}::bigint[]) order by check_id
    on conflict do nothing`.execute(db)
  return [...held, ...(await listGone(db, org_id, others, 'check'))]
}

/** Locks heartbeats that no process is judging until the transaction ends, like {@link claimChecks}. */
export async function claimHeartbeats(db: Db, org_id: number, heartbeat_ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ heartbeat_id: number }>`
    select heartbeat_id from heartbeats where org_id = ${org_id} and heartbeat_id = any(${[...heartbeat_ids]}::bigint[])
    order by heartbeat_id for update skip locked`.execute(db)
  const held = rows.map(({ heartbeat_id }) => heartbeat_id)
  const others = heartbeat_ids.filter((id) => !held.includes(id))
  return others.length === 0 ? held : [...held, ...(await listGone(db, org_id, others, 'heartbeat'))]
}

async function listGone(
  db: Db,
  org_id: number,
  ids: readonly number[],
  kind: 'check' | 'heartbeat',
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...ids]}::bigint[]) as given(id) where not exists (
      select from ${sql.table(`${kind}s`)} t where t.org_id = ${org_id} and t.${sql.ref(`${kind}_id`)} = given.id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Lists the channels that the given events have deliveries to, each with the time of the delivery. */
export async function listToldOf(
  db: Db,
  org_id: number,
  event_ids: readonly string[],
): Promise<{ event_id: string; channel_id: number; told_at: string }[]> {
  const { rows } = await sql<{ event_id: string; channel_id: number; told_at: string }>`
    select event_id, channel_id, wire_time(created_at) as told_at from deliveries
    where org_id = ${org_id} and event_id = any(${[...event_ids]}::text[])`.execute(db)
  return rows
}

/**
 * Makes an organisation's planned alerts due now, so that they are decided again. With `held_by`, only those that this hold
 * withholds.
 */
export async function wakePlans(
  db: Db,
  org_id: number,
  { now, held_by }: { now: string; held_by?: string | undefined },
): Promise<void> {
  const only = held_by === undefined ? sql`` : sql`and held_by = ${held_by}`
  await sql`
    with woken as materialized (
      select event_id, channel_id from planned_alerts
      where org_id = ${org_id} and due_at > ${now}::timestamptz ${only}
      -- In the order in which everybody locks them.
      order by event_id, channel_id for update
    )
    update planned_alerts p set due_at = ${now}::timestamptz from woken
    where p.org_id = ${org_id} and p.event_id = woken.event_id and p.channel_id = woken.channel_id`.execute(db)
}

/** Deletes the planned alerts of later route steps about an incident. */
export async function deleteStepsOf(db: Db, org_id: number, incident_id: string): Promise<void> {
  await sql`
    delete from planned_alerts where org_id = ${org_id} and incident_id = ${incident_id} and step > 0`.execute(db)
}

export interface HeldIncident {
  incident_id: string
  /** Hold that withholds the alert about the incident. Null if it is sent now. */
  held_by: string | null
}

/** Records which hold withholds the alert about each incident, or that it is sent now. */
export async function updateIncidentsHeld(
  db: Db,
  org_id: number,
  held: readonly HeldIncident[],
  now: string,
): Promise<void> {
  if (held.length === 0) return
  await sql`
    update incidents i set held_by = k.held_by,
      told_at = case when k.held_by is null then ${now}::timestamptz else i.told_at end
    from unnest(${held.map((one) => one.incident_id)}::text[], ${held.map((one) => one.held_by)}::text[]) as k(incident_id, held_by)
    where i.org_id = ${org_id} and i.incident_id = k.incident_id and i.held_by is distinct from k.held_by`.execute(db)
}
