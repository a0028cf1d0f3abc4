// Writes the demo's invented history: results, schedules and incidents of checks, pings of heartbeats, and the alerts about both.
import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { CheckData } from '../../packages/domain/dist/events/event.js'
import { fromDate } from '../../packages/runtime/dist/timestamps.js'
import { insertEvents } from '../../packages/store/dist/alerting/events.js'
import type { Tables } from '../../packages/store/dist/tables.js'
import { downsOf, type Past, type PastRun, pauseOf, pingsOf, runsOf } from './history.ts'
import type { Letter } from './inbox.ts'
import { CHECKS, type DemoCheck, type DemoHeartbeat, HEARTBEATS, HISTORY_INTERVAL_SEC, MONITORS } from './story.ts'

/** Name of the demo's organisation. */
export const DEMO_NAME = 'Demo'
/** Time that a webhook of the history took, in milliseconds. */
const ARRIVED_AFTER_MS = 40

export interface HistoryPlan extends Past {
  trx: Transaction<Tables>
  org_id: number
  channel_id: number
  monitor_ids: readonly string[]
  guids: readonly string[]
  heartbeat_guids: readonly string[]
}

interface PastAlert {
  type: string
  /** Time of the event, in milliseconds since the Unix epoch. */
  at: number
  subject: string
  check_id?: number
  incident_id: string
  data: Record<string, unknown>
}

interface StoredCheck {
  check_id: number
  guid: string
  name: string
  url: string
}

/** Writes the whole history, and returns the webhooks about it, oldest first. */
export async function writeHistory(plan: HistoryPlan): Promise<Letter[]> {
  const { trx, org_id, guids, heartbeat_guids } = plan
  const checks = await sql<StoredCheck>`
    select check_id, guid, name, url from checks where org_id = ${org_id}`.execute(trx)
  const alerts: PastAlert[] = []
  for (const [n, check] of CHECKS.entries()) {
    const stored = checks.rows.find(({ guid }) => guid === guids[n])
    if (stored) alerts.push(...(await writeCheck(plan, check, stored)))
  }
  for (const [n, heartbeat] of HEARTBEATS.entries()) {
    alerts.push(...(await writeHeartbeat(plan, heartbeat, heartbeat_guids[n] ?? '')))
  }
  return writeAlerts(plan, alerts)
}

async function writeCheck(plan: HistoryPlan, check: DemoCheck, stored: StoredCheck): Promise<PastAlert[]> {
  const { trx, org_id, monitor_ids, began, now } = plan
  const { check_id } = stored
  const runs = runsOf(check, plan)
  await sql`
    insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error)
    select ${org_id}::bigint, ${check_id}::bigint, r.ran_at, r.latency_ms, r.http_status, r.error is null, r.monitor_id, r.error
    from unnest(${runs.map((run) => toWire(run.ran_at))}::timestamptz[], ${runs.map((run) => run.latency_ms)}::integer[],
      ${runs.map((run) => run.http_status)}::integer[], ${runs.map((run) => monitor_ids[run.monitor] ?? '')}::text[],
      ${runs.map((run) => run.error)}::text[]) as r(ran_at, latency_ms, http_status, monitor_id, error)`.execute(trx)
  const pause = pauseOf(check, now)
  const spans: [since: number, until?: number][] = pause ? [[began, pause.from], [pause.until]] : [[began]]
  // Writes only earlier schedules, because the worker notes the schedule that the check has now.
  for (const [since, until] of spans) {
    await sql`
      insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
      values (${org_id}, ${check_id}, ${toWire(since)}, ${until === undefined ? null : toWire(until)},
        ${HISTORY_INTERVAL_SEC}, 0, ${toWire(since)})`.execute(trx)
  }
  const alerts: PastAlert[] = []
  for (const down of downsOf(runs)) {
    const incident_id = randomUUID()
    const [from, to] = [toWire(down.began.ran_at), down.ended ? toWire(down.ended.ran_at) : null]
    await sql`
      insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
      values (${org_id}, ${incident_id}, ${check_id}, ${from}, ${from}, ${to}, ${to && 'recovered'})`.execute(trx)
    for (const run of [down.began, down.ended]) {
      if (!run) continue
      const data: CheckData = { ...dataOf(plan, stored, run, down), incident_id }
      const type = `check.${data.state}`
      alerts.push({ type, at: run.ran_at, subject: `check:${check_id}`, check_id, incident_id, data: { ...data } })
    }
  }
  return alerts
}

/** Returns the data of an event about a check, without its incident. */
function dataOf(
  { monitor_ids }: HistoryPlan,
  { guid, name, url }: StoredCheck,
  run: PastRun,
  { began, ended }: { began: PastRun; ended: PastRun | undefined },
): Omit<CheckData, 'incident_id'> {
  const { http_status, latency_ms } = run
  const monitor = { id: monitor_ids[run.monitor] ?? '', name: MONITORS[run.monitor]?.name ?? '' }
  const [ran_at, error] = [toWire(run.ran_at), run.error === null ? {} : { error: run.error }]
  const monitors = [{ ...monitor, failing: run.error !== null, ran_at, ...error }]
  const shared = { org: { name: DEMO_NAME }, check: { guid, name, url }, monitor, ran_at, ...error, http_status }
  const since = toWire(began.ran_at)
  if (run !== ended) {
    return { ...shared, latency_ms, monitors, state: 'down', previous_state: 'up', since, failures: 1 }
  }
  const duration_sec = Math.round((ended.ran_at - began.ran_at) / 1000)
  return {
    ...{ ...shared, latency_ms, monitors, state: 'up', previous_state: 'down', since, failures: 0, ended_at: ran_at },
    ...{ reason: 'recovered', duration_sec },
  }
}

async function writeHeartbeat(plan: HistoryPlan, heartbeat: DemoHeartbeat, guid: string): Promise<PastAlert[]> {
  const { trx, org_id, now } = plan
  const found = await sql<{ heartbeat_id: number }>`
    select heartbeat_id from heartbeats where org_id = ${org_id} and guid = ${guid}`.execute(trx)
  const { heartbeat_id = 0 } = found.rows[0] ?? {}
  const { kept, days } = pingsOf(heartbeat, plan)
  const { name, interval_sec, grace_sec, body } = heartbeat
  await sql`
    insert into pings (org_id, heartbeat_id, n, created_at, kind, body)
    select ${org_id}::bigint, ${heartbeat_id}::bigint, p.n, p.at, 'beat', ${body}::text
    from unnest(${kept.map(toWire)}::timestamptz[]) with ordinality as p(at, n)`.execute(trx)
  await sql`
    insert into heartbeat_days (org_id, heartbeat_id, day)
    select ${org_id}::bigint, ${heartbeat_id}::bigint, d from unnest(${days}::date[]) as d
    on conflict do nothing`.execute(trx)
  const last = now - heartbeat.last_ago_sec * 1000
  const due = last + (interval_sec + grace_sec) * 1000
  const isLate = due <= now
  await sql`
    update heartbeats set state = ${isLate ? 'down' : 'up'}, last_heartbeat_at = ${toWire(last)},
      down_since = ${isLate ? toWire(due) : null}, due_at = ${isLate ? null : toWire(due)}
    where org_id = ${org_id} and heartbeat_id = ${heartbeat_id}`.execute(trx)
  if (!isLate) return []
  const [incident_id, since] = [randomUUID(), toWire(due)]
  await sql`
    insert into incidents (org_id, incident_id, heartbeat_id, began_at, told_at)
    values (${org_id}, ${incident_id}, ${heartbeat_id}, ${since}, ${since})`.execute(trx)
  const data = {
    ...{ org: { name: DEMO_NAME }, heartbeat: { guid, name, interval_sec, grace_sec }, incident_id, since },
    ...{ state: 'down', previous_state: 'up', reason: 'overdue', last_heartbeat_at: toWire(last) },
  }
  return [{ type: 'heartbeat.down', at: due, subject: `heartbeat:${heartbeat_id}`, incident_id, data }]
}

/** Writes events and their deliveries, and returns the webhooks, oldest first. */
async function writeAlerts({ trx, org_id, channel_id }: HistoryPlan, alerts: readonly PastAlert[]): Promise<Letter[]> {
  const events = alerts
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, ...rest }) => ({ ...rest, org_id, event_id: randomUUID(), created_at: toWire(at) }))
  await insertEvents(trx, events)
  await sql`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, last_attempt_at, state, attempts, last_status,
      last_latency_ms, is_charged)
    select org_id, event_id, ${channel_id}::bigint, subject, created_at, created_at + ${ARRIVED_AFTER_MS} * interval '1 ms', 'delivered',
      1, 204, ${ARRIVED_AFTER_MS}, true
    from events where org_id = ${org_id}`.execute(trx)
  return events.map(({ event_id, type, created_at, data }) => ({ id: event_id, type, timestamp: created_at, data }))
}

function toWire(ms: number): string {
  return fromDate(new Date(ms))
}
