// What the database holds about a check or heartbeat of which somebody did not hear in time: said with the fault, because it is gone soon.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { stubbornly } from './patience.ts'

/** A message that did not come. */
export class Untold extends Error {
  readonly guid: string

  constructor(guid: string, message: string) {
    super(message)
    this.guid = guid
  }
}

/** The newest of each, at most. */
const NEWEST = 6

const SUBJECT = `
  with subject as (
    select org_id, 'check:' || check_id as subject, check_id, null::bigint as heartbeat_id from checks where guid = $1
    union all
    select org_id, 'heartbeat:' || heartbeat_id, null, heartbeat_id from heartbeats where guid = $1
  )`

/** Each gives rows of one column. */
const QUESTIONS: Readonly<Record<string, string>> = {
  event: `${SUBJECT} select to_jsonb(e) - 'data' as row from subject s join events e using (org_id, subject)
    order by e.created_at desc limit ${NEWEST}`,
  delivery: `${SUBJECT} select to_jsonb(d) as row from subject s join deliveries d using (org_id, subject)
    order by d.delivery_id desc limit ${4 * NEWEST}`,
  'planned alert': `${SUBJECT} select to_jsonb(p) as row from subject s join planned_alerts p using (org_id, subject)`,
  incident: `${SUBJECT} select to_jsonb(i) - 'verdict' as row from subject s join incidents i
    on i.org_id = s.org_id and (i.check_id = s.check_id or i.heartbeat_id = s.heartbeat_id)
    order by i.began_at desc limit ${NEWEST}`,
  'state of the check': `${SUBJECT} select to_jsonb(c) as row from subject s join check_states c using (org_id, check_id)`,
  result: `${SUBJECT} select to_jsonb(r) as row from subject s join results r using (org_id, check_id)
    order by r.ran_at desc limit ${NEWEST}`,
  channel: `${SUBJECT} select jsonb_build_object('id', c.id, 'name', c.name, 'enabled', c.enabled, 'pending', (
      select count(*) from deliveries d where d.org_id = c.org_id and d.channel_id = c.id and d.state = 'pending')) as row
    from subject s join notification_channels c using (org_id)`,
  'failing monitor': `${SUBJECT} select to_jsonb(f) as row from subject s join failing_monitors f using (org_id)`,
  process: 'select to_jsonb(p) as row from processes p',
  waiting: `select jsonb_build_object('org_id', org_id, 'held_by', held_by, 'count', count(*), 'due_first', min(due_at)) as row
    from planned_alerts group by org_id, held_by`,
  // Not what a statement says: it may be long.
  connection: `select jsonb_build_object('pid', pid, 'application', application_name, 'state', state, 'since', state_change, 'begun', xact_start,
      'waits', wait_event, 'blocked_by', pg_blocking_pids(pid), 'query', left(query, 100)) as row
    from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  now: 'select to_jsonb(clock_timestamp()) as row',
}

/** One line for each row. */
export async function describeRemains({ database }: Deps, guid: string): Promise<string[]> {
  const lines: string[] = []
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const values = question.includes('$1') ? [guid] : []
    const { rows } = await stubbornly(() => database.pools.machines.query<{ row: unknown }>(question, values))
    lines.push(...rows.map(({ row }) => `${name}: ${JSON.stringify(row)}`))
  }
  return lines
}
