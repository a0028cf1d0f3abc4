// The invented history of the demo's heartbeats: pings, the days with any, and the incident of the one whose job died.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { fromDate } from '../../packages/server/dist/runtime/timestamps.js'
import { writeAlerts } from './fill-alerts.ts'
import { DEMO_NAME, type Filling } from './filling.ts'
import { pingsOf } from './history.ts'
import type { Letter } from './inbox.ts'
import { type DemoHeartbeat, HEARTBEATS } from './story.ts'

export async function writeHeartbeatHistory(filling: Filling): Promise<Letter[]> {
  const letters: Letter[] = []
  for (const [index, heartbeat] of HEARTBEATS.entries()) {
    letters.push(...(await writeOne(filling, heartbeat, filling.heartbeat_guids[index] ?? '')))
  }
  return letters
}

async function writeOne(filling: Filling, heartbeat: DemoHeartbeat, guid: string): Promise<Letter[]> {
  const { trx, org_id, now } = filling
  const { heartbeat_id } = await trx
    .selectFrom('heartbeats')
    .select('heartbeat_id')
    .where('org_id', '=', org_id)
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow()
  const { kept, days } = pingsOf(heartbeat, filling)
  await sql`
    insert into pings (org_id, heartbeat_id, n, created_at, kind, body)
    select ${org_id}::bigint, ${heartbeat_id}::bigint, p.n, p.at, 'beat', ${heartbeat.body}::text
    from unnest(${kept.map(wire)}::timestamptz[]) with ordinality as p(at, n)`.execute(trx)
  await sql`
    insert into heartbeat_days (org_id, heartbeat_id, day)
    select ${org_id}::bigint, ${heartbeat_id}::bigint, d from unnest(${days}::date[]) as d on conflict do nothing`.execute(
    trx,
  )
  const last = now - heartbeat.last_ago_sec * 1000
  const due = last + (heartbeat.interval_sec + heartbeat.grace_sec) * 1000
  if (due > now) {
    await sql`
      update heartbeats set state = 'up', last_heartbeat_at = ${wire(last)}, due_at = ${wire(due)}
      where org_id = ${org_id} and heartbeat_id = ${heartbeat_id}`.execute(trx)
    return []
  }
  await sql`
    update heartbeats set state = 'down', down_since = ${wire(due)}, last_heartbeat_at = ${wire(last)}, due_at = null
    where org_id = ${org_id} and heartbeat_id = ${heartbeat_id}`.execute(trx)
  return tellOverdue(filling, heartbeat, { guid, heartbeat_id, last, due })
}

interface Overdue {
  guid: string
  heartbeat_id: number
  last: number
  due: number
}

async function tellOverdue(
  filling: Filling,
  heartbeat: DemoHeartbeat,
  { guid, heartbeat_id, last, due }: Overdue,
): Promise<Letter[]> {
  const incident_id = randomUUID()
  await sql`
    insert into incidents (org_id, incident_id, heartbeat_id, began_at, told_at)
    values (${filling.org_id}, ${incident_id}, ${heartbeat_id}, ${wire(due)}, ${wire(due)})`.execute(filling.trx)
  const { name, interval_sec, grace_sec } = heartbeat
  const data = {
    org: { name: DEMO_NAME },
    heartbeat: { guid, name, interval_sec, grace_sec },
    state: 'down',
    previous_state: 'up',
    incident_id,
    since: wire(due),
    reason: 'overdue',
    last_heartbeat_at: wire(last),
  }
  return writeAlerts(filling, [
    { type: 'heartbeat.down', at: due, subject: `heartbeat:${heartbeat_id}`, incident_id, data },
  ])
}

function wire(ms: number): string {
  return fromDate(new Date(ms))
}
