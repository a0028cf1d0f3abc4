// Corrects times that were recorded while the database's clock was ahead, by moving them back as far as the clock was ahead.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { SetBack, SetBackBy } from './clock-set-back.ts'

/**
 * Columns to move back if `when` lies in the future, which shows that the row was written while the clock was ahead. Events and
 * deliveries are read one organisation at a time, by their index.
 */
const MOVED: readonly { table: string; when: string; columns: readonly string[]; byOrg?: true }[] = [
  { table: 'events', when: 'created_at', columns: ['created_at'], byOrg: true },
  { table: 'deliveries', when: 'created_at', columns: ['created_at'], byOrg: true },
  { table: 'pings', when: 'created_at', columns: ['created_at'] },
  { table: 'check_schedules', when: 'since', columns: ['since', 'until'] },
  { table: 'check_schedules', when: 'until', columns: ['until'] },
  { table: 'degradations', when: 'ended_at', columns: ['began_at', 'ended_at'] },
  { table: 'judgements', when: 'ended_at', columns: ['began_at', 'ended_at'] },
  { table: 'judgements', when: 'began_at', columns: ['began_at'] },
  { table: 'incidents', when: 'acknowledged_at', columns: ['acknowledged_at'] },
  { table: 'mutes', when: 'muted_at', columns: ['muted_at', 'muted_until'] },
  { table: 'sessions', when: 'last_used_at', columns: ['created_at', 'last_used_at', 'expires_at'] },
  { table: 'invitations', when: 'created_at', columns: ['created_at', 'expires_at'] },
  { table: 'set_up_links', when: 'created_at', columns: ['created_at', 'expires_at'] },
  { table: 'enrollment_tokens', when: 'created_at', columns: ['created_at', 'expires_at'] },
  { table: 'configuration_tokens', when: 'created_at', columns: ['created_at', 'expires_at'] },
  { table: 'configuration_tokens', when: 'last_used_at', columns: ['last_used_at'] },
  { table: 'notification_channels', when: 'gone_at', columns: ['gone_at'] },
  { table: 'deleted_checks', when: 'deleted_at', columns: ['deleted_at'] },
  { table: 'asked_runs', when: 'asked_at', columns: ['asked_at'] },
  { table: 'changes', when: 'changed_at', columns: ['changed_at'] },
  { table: 'maintenance_windows', when: 'created_at', columns: ['created_at'] },
]

/** Column with times that are at most `lasts_ms` in the future when a process writes them. */
export interface Lasting {
  table: string
  column: string
  lasts_ms: number
}

/**
 * Moves the times of {@link MOVED} and `lasting` back. Returns the number of moved rows per table. Tables without any are absent.
 */
export async function moveBack(
  db: Db,
  { now, limit, ahead_ms }: SetBackBy,
  lasting: readonly Lasting[],
): Promise<Record<string, number>> {
  const by = ms(ahead_ms)
  const most = sql`${limit}::timestamptz`
  const moved: Record<string, number> = {}
  const run = async (table: string, statement: RawBuilder<unknown>): Promise<void> => {
    const { numAffectedRows = 0n } = await statement.execute(db)
    if (numAffectedRows > 0n) moved[table] = (moved[table] ?? 0) + Number(numAffectedRows)
  }
  for (const { table, when, columns, byOrg } of MOVED) {
    const set = columns.map((name) => {
      const column = sql.ref(`t.${name}`)
      return sql`${sql.ref(name)} = case when ${column} > ${most} then ${column} - ${by} else ${column} end`
    })
    const orgs = byOrg ? sql`from organisations o where t.org_id = o.org_id and` : sql`where`
    await run(table, sql`update ${sql.table(table)} t set ${sql.join(set)} ${orgs} ${sql.ref(`t.${when}`)} > ${most}`)
  }
  for (const { table, column, lasts_ms } of lasting) {
    const name = sql.ref(column)
    await run(
      table,
      sql`update ${sql.table(table)} set ${name} = ${name} - ${by} where ${name} > ${most} + ${ms(lasts_ms)}`,
    )
  }
  const dayOf = (at: RawBuilder<unknown>) => sql`(${at} at time zone 'UTC')::date`
  await run(
    'heartbeat_days',
    sql`
    with ahead as (
      delete from heartbeat_days where day > ${dayOf(most)} returning org_id, heartbeat_id
    )
    insert into heartbeat_days (org_id, heartbeat_id, day)
    select distinct org_id, heartbeat_id, ${dayOf(sql`${now}::timestamptz`)} from ahead on conflict do nothing`,
  )
  return moved
}

/**
 * Makes due at once what waits for a time from a clock that was ahead: heartbeats, planned alerts and postponed deliveries. Their
 * chores find the right time. Returns the number of each.
 */
export async function wakeWaiting(db: Db, { now, limit }: SetBack): Promise<Record<string, number>> {
  const [at, most] = [sql`${now}::timestamptz`, sql`${limit}::timestamptz`]
  // Without an outage of this server, and without a cron expression, a heartbeat is due exactly an interval and its
  // grace period after its last ping.
  const { numAffectedRows: heartbeats = 0n } = await sql`
    update heartbeats h set due_at = ${at}
    from (select org_id, heartbeat_id from heartbeats
      where due_at > ${most} and (cron is not null
        or due_at > last_heartbeat_at + (interval_sec::bigint + grace_sec + 1) * interval '1 second')
      for update skip locked) x
    where h.org_id = x.org_id and h.heartbeat_id = x.heartbeat_id`.execute(db)
  const { numAffectedRows: planned_alerts = 0n } = await sql`
    update planned_alerts p set due_at = ${at}
    from (select org_id, event_id, channel_id from planned_alerts where due_at > ${most} for update skip locked) x
    where p.org_id = x.org_id and p.event_id = x.event_id and p.channel_id = x.channel_id`.execute(db)
  // A delivery without attempts waits for minutes at most, and one with attempts for at most 25 hours. Nothing else
  // shows whether an attempt failed through a fault of this server.
  const { numAffectedRows: deliveries = 0n } = await sql`
    update deliveries d set next_attempt_at = ${at}
    from (select org_id, delivery_id from deliveries
      where state = 'pending' and next_attempt_at > ${most} + interval '10 minutes'
        and (attempts = 0 or next_attempt_at > last_attempt_at + interval '25 hours')
      for update skip locked) x
    where d.org_id = x.org_id and d.delivery_id = x.delivery_id`.execute(db)
  const counts = { heartbeats, planned_alerts, deliveries }
  const woken = Object.fromEntries(Object.entries(counts).map(([table, count]) => [table, Number(count)]))
  return Object.fromEntries(Object.entries(woken).filter(([, count]) => count > 0))
}

function ms(length: number): RawBuilder<unknown> {
  return sql`${length}::float8 * interval '1 millisecond'`
}
