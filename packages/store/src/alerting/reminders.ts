// Finds open incidents that are due for a reminder.
import { type RawBuilder, sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import type { CheckKey } from '../check-keys.ts'
import type { CheckCase } from '../checks/check-health.ts'
import type { Db } from '../database.ts'
import type { HeartbeatPlace } from '../heartbeats/heartbeats.ts'
import { keepWithResults, type ResultsAfter } from '../results/counts.ts'

/** Whether any incident is open. Both halves read an index that contains only open incidents. */
export async function isAnythingDown(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is_down: boolean }>`
    select exists (select from incidents where ended_at is null and check_id is not null)
      or exists (select from incidents where ended_at is null and heartbeat_id is not null) as is_down`.execute(db)
  return rows[0]?.is_down === true
}

/** Time of the last notification about an incident, and the interval of its reminders. */
export interface ReminderState {
  incident_id: string
  down_since: string
  told_at: string
  reminders: number
  resend_interval_sec: number
}

export type DownCheck = Omit<CheckCase, keyof ReminderState> & ReminderState

export interface ChecksDue {
  now: string
  /** End of the time that results are read from; `since` is its start. */
  until: string
  since: string
}

/**
 * Returns the `from` clause for checks that are due for a reminder. Excludes incidents that someone acknowledged or a hold
 * affects, and checks that are unmonitored, flapping, or waiting for an upload that might end the incident.
 */
function checksToRemind({ now }: ChecksDue): RawBuilder<unknown> {
  return sql`
    from incidents i
    join checks c on c.org_id = i.org_id and c.check_id = i.check_id
    join check_states s on s.org_id = i.org_id and s.check_id = i.check_id
    where i.ended_at is null and i.check_id is not null and i.held_by is null and i.acknowledged_at is null and ${notSuspendedSql('i')} and c.enabled and not c.deleted and c.resend_interval_sec > 0
      and s.unmonitored_since is null and s.late_since is null and s.flapping_since is null
      and i.told_at + make_interval(secs => c.resend_interval_sec) <= ${now}::timestamptz`
}

type DueCheck = ResultsAfter & { judged_by_server: boolean }

const JUDGED = sql`s.org_id, s.check_id, wire_time(s.judged_from) as judged_from, c.judged_by_server`

/** Keeps the checks whose state is known: those with results, and those that the server judges. */
async function keepKnown(db: Db, rows: readonly DueCheck[], due: ChecksDue): Promise<CheckKey[]> {
  const judged = rows.filter(({ judged_by_server }) => judged_by_server)
  const run = rows.filter(({ judged_by_server }) => !judged_by_server)
  return [...judged, ...(run.length === 0 ? [] : await keepWithResults(db, run, due))]
}

/** Lists all checks that have been down for long enough since the last notification. */
export async function listChecksToRemind(db: Db, due: ChecksDue): Promise<CheckKey[]> {
  const { rows } = await sql<DueCheck>`
    select ${JUDGED} ${checksToRemind(due)} order by s.org_id, s.check_id`.execute(db)
  return keepKnown(db, rows, due)
}

/**
 * Claims some of the checks that are due for a reminder, or just the check `only`. Locks them until the transaction ends, like
 * checks that are being judged. Skips rows that another process has locked.
 */
export async function claimChecksToRemind(
  db: Db,
  { limit, only, ...due }: ChecksDue & { limit: number; only?: CheckKey | undefined },
): Promise<CheckKey[]> {
  const found: CheckKey[] = []
  // Reads further checks in place of those without results, because these get no reminder.
  for (let after: CheckKey | undefined; ; ) {
    const given = only ? sql`and s.org_id = ${only.org_id} and s.check_id = ${only.check_id}` : sql``
    const further = after
      ? sql`and (s.org_id, s.check_id) > (${after.org_id}::bigint, ${after.check_id}::bigint)`
      : sql``
    const wanted = limit - found.length
    const { rows } = await sql<DueCheck>`
      select ${JUDGED} ${checksToRemind(due)} ${given} ${further}
      order by s.org_id, s.check_id limit ${wanted} for update of s skip locked`.execute(db)
    found.push(...(await keepKnown(db, rows, due)))
    after = rows.at(-1)
    if (rows.length < wanted || found.length === limit) return found
  }
}

/** Reads the last notifications about those of the checks that are down, and locks them until the transaction ends. */
export async function claimDownChecks(db: Db, keys: readonly CheckKey[]): Promise<DownCheck[]> {
  const { rows } = await sql<DownCheck>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name,
      c.down_interval_sec as threshold, true as is_live, i.incident_id, wire_time(i.began_at) as down_since,
      wire_time(i.told_at) as told_at, i.reminders, c.resend_interval_sec
    from unnest(${keys.map((key) => key.org_id)}::bigint[], ${keys.map((key) => key.check_id)}::bigint[])
      as k(org_id, check_id)
    join checks c using (org_id, check_id)
    join organisations o using (org_id)
    join incidents i on i.org_id = c.org_id and i.check_id = c.check_id
    where i.ended_at is null and c.enabled and not c.deleted
    order by c.org_id, c.check_id for update of i skip locked`.execute(db)
  return rows
}

export interface DownHeartbeat extends ReminderState {
  org_id: number
  heartbeat_id: number
  guid: string
  name: string
  org_name: string
  interval_sec: number
  grace_sec: number
  cron: string | null
  cron_zone: string | null
  last_heartbeat_at: string | null
  /** Subject of the event that reported the heartbeat as down. Null if there is none. */
  subject: string | null
  reason: string | null
  exit_code: number | null
  /** Outages of this server that moved the heartbeat's deadline. Null if there were none. */
  outages: { began_at: string; ended_at: string }[] | null
}

export interface HeartbeatsDue {
  now: string
  /**
   * Time since which the server is reachable again. From then on, a job gets its interval and grace period to ping, but at most
   * `patience_sec`.
   */
  since: string
  patience_sec: number
}

const heartbeatsToRemind = ({ now, since, patience_sec }: HeartbeatsDue): RawBuilder<unknown> => sql`
  from incidents i
  join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id
  join organisations o on o.org_id = i.org_id and o.suspended_at is null
  left join lateral (
    select subject, data from events
    where org_id = i.org_id and created_at >= i.began_at and incident_id = i.incident_id and type = 'heartbeat.down'
    order by created_at limit 1) e on true
  where i.ended_at is null and i.held_by is null and i.acknowledged_at is null and h.enabled and h.platform_enabled and h.state = 'down' and h.resend_interval_sec > 0
    and i.told_at + make_interval(secs => h.resend_interval_sec) <= ${now}::timestamptz
    and ${since}::timestamptz
      + make_interval(secs => least(h.interval_sec::bigint + h.grace_sec, ${patience_sec}::bigint)) <= ${now}::timestamptz`

/** Lists all heartbeats that have been down for long enough since the last notification. */
export async function listHeartbeatsToRemind(db: Db, due: HeartbeatsDue): Promise<HeartbeatPlace[]> {
  const { rows } = await sql<HeartbeatPlace>`
    select i.org_id, i.heartbeat_id ${heartbeatsToRemind(due)}
    order by i.org_id, i.heartbeat_id`.execute(db)
  return rows
}

/**
 * Claims some of the heartbeats that are due for a reminder, or just the heartbeat `only`, with the reason why they went down.
 */
export async function claimHeartbeatsToRemind(
  db: Db,
  { limit, only, ...due }: HeartbeatsDue & { limit: number; only?: HeartbeatPlace | undefined },
): Promise<DownHeartbeat[]> {
  const given = only ? sql`and i.org_id = ${only.org_id} and i.heartbeat_id = ${only.heartbeat_id}` : sql``
  const { rows } = await sql<DownHeartbeat>`
    select i.org_id, i.heartbeat_id, h.guid, h.name, o.name as org_name, h.interval_sec, h.grace_sec, h.cron, h.cron_zone,
      wire_time(h.last_heartbeat_at) as last_heartbeat_at, i.incident_id, wire_time(i.began_at) as down_since,
      wire_time(i.told_at) as told_at, i.reminders, h.resend_interval_sec,
      e.subject, e.data ->> 'reason' as reason, (e.data ->> 'exit_code')::integer as exit_code, e.data -> 'outages' as outages
    ${heartbeatsToRemind(due)} ${given}
    order by i.org_id, i.heartbeat_id limit ${limit} for update of i skip locked`.execute(db)
  return rows
}

/**
 * Records when the interval until the next reminder of open incidents begins. `reminders`: 1 after a reminder, or 0 if the reminder
 * is only postponed.
 */
export async function updateReminded(
  db: Db,
  incidents: readonly { org_id: number; incident_id: string }[],
  { told_at, reminders }: { told_at: string; reminders: 0 | 1 },
): Promise<void> {
  if (incidents.length === 0) return
  await sql`
    update incidents i set told_at = ${told_at}::timestamptz, reminders = reminders + ${reminders}::integer
    from unnest(${incidents.map((one) => one.org_id)}::bigint[], ${incidents.map((one) => one.incident_id)}::text[])
      as k(org_id, incident_id)
    where i.org_id = k.org_id and i.incident_id = k.incident_id and i.ended_at is null`.execute(db)
}
