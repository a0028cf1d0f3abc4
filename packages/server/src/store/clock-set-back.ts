// What was written while the database's clock was ahead, and would otherwise wait until the time has caught up.
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './database.ts'

export interface SetBack {
  now: string
  /** What lies later than this came by a wrong clock. */
  limit: string
}

/**
 * Brings what is held of the present back to now. Rows that somebody else holds are left for the next time. Returns how many
 * rows of each table were moved; tables without any are left out.
 */
export async function bringBackToNow(db: Db, { now, limit }: SetBack): Promise<Record<string, number>> {
  const [at, most] = [sql`${now}::timestamptz`, sql`${limit}::timestamptz`]
  const back = (column: string) => {
    const name = sql.ref(column)
    return sql`${name} = case when ${name} > ${most} then ${at} else ${name} end`
  }
  const all = (columns: readonly string[]) => sql.join(columns.map(back))
  const any = (columns: readonly string[]) =>
    sql.join(
      columns.map((name) => sql`${sql.ref(name)} > ${most}`),
      sql` or `,
    )
  const statements: Record<string, RawBuilder<unknown>> = {
    heartbeats: sql`
      update heartbeats h set ${all(['last_heartbeat_at', 'down_since'])},
        due_at = case when due_at is null then null
          else ${at} + (h.interval_sec::bigint + h.grace_sec) * interval '1 second' end
      from (select org_id, heartbeat_id from heartbeats where ${any(['last_heartbeat_at', 'down_since'])}
        for update skip locked) x
      where h.org_id = x.org_id and h.heartbeat_id = x.heartbeat_id`,
    // Before the incidents, as by those who judge. An open incident begins now, and only what runs after that can end it.
    check_states: sql`
      update check_states s set ${all(['unmonitored_since'])},
        judged_from = case when x.is_ahead or s.judged_from > ${most} then ${at} + interval '1 microsecond' else s.judged_from end,
        rejudge_at = case when s.rejudge_at is null then null else ${at} end
      from (select s.org_id, s.check_id, coalesce(i.began_at > ${most}, false) as is_ahead from check_states s
        left join incidents i on i.org_id = s.org_id and i.check_id = s.check_id and i.ended_at is null
        where s.judged_from > ${most} or s.unmonitored_since > ${most} or i.began_at > ${most}
          or s.rejudge_at > ${most} + interval '5 minutes'
        order by s.org_id, s.check_id for update of s) x
      where s.org_id = x.org_id and s.check_id = x.check_id`,
    incidents: sql`
      update incidents i set ${all(['began_at', 'told_at'])}
      from (select org_id, incident_id from incidents where ended_at is null and (${any(['began_at', 'told_at'])})
        for update skip locked) x
      where i.org_id = x.org_id and i.incident_id = x.incident_id`,
    check_schedules: sql`
      update check_schedules set watched_since = ${at} where until is null and watched_since > ${most}`,
    monitors: sql`
      update monitors m set ${all(['enrolled_at', 'last_seen_at', 'offline_since', 'watched_since'])}
      from (select id from monitors where ${any(['enrolled_at', 'last_seen_at', 'offline_since', 'watched_since'])}
        for update skip locked) x
      where m.id = x.id`,
    deliveries: sql`
      update deliveries d set next_attempt_at = ${at}, leased_until = null, planned_at = null, not_before = null
      from (select org_id, delivery_id from deliveries where state = 'pending' and (${any(['created_at', 'last_attempt_at'])})
        and next_attempt_at > ${most} for update skip locked) x
      where d.org_id = x.org_id and d.delivery_id = x.delivery_id`,
  }
  const moved: Record<string, number> = {}
  for (const [table, statement] of Object.entries(statements)) {
    const { numAffectedRows = 0n } = await statement.execute(db)
    if (numAffectedRows > 0n) moved[table] = Number(numAffectedRows)
  }
  return moved
}
