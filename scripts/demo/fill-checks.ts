// The invented history of the demo's checks: results, schedules, incidents, and the alerts about them.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CheckData } from '../../packages/server/dist/domain/events/event.js'
import { fromDate } from '../../packages/server/dist/runtime/timestamps.js'
import { writeAlerts, type PastAlert } from './fill-alerts.ts'
import { DEMO_NAME, type Filling } from './filling.ts'
import { type Down, downsOf, pauseOf, type Ran, runsOf } from './history.ts'
import type { Letter } from './inbox.ts'
import { CHECKS, type DemoCheck, HISTORY_INTERVAL_SEC, MONITORS } from './story.ts'

interface Stored {
  check_id: number
  guid: string
  name: string
  url: string
}

export async function writeCheckHistory(filling: Filling): Promise<Letter[]> {
  const letters: Letter[] = []
  for (const [index, check] of CHECKS.entries()) {
    const stored = await findCheck(filling, filling.guids[index] ?? '')
    const runs = runsOf(check, MONITORS, filling)
    await insertRuns(filling, stored, runs)
    await insertSchedules(filling, stored, check)
    letters.push(...(await insertDowns(filling, stored, downsOf(runs))))
  }
  return letters
}

async function findCheck({ trx, org_id }: Filling, guid: string): Promise<Stored> {
  return trx
    .selectFrom('checks')
    .select(['check_id', 'guid', 'name', 'url'])
    .where('org_id', '=', org_id)
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow()
}

async function insertRuns(
  { trx, org_id, monitor_ids }: Filling,
  { check_id }: Stored,
  runs: readonly Ran[],
): Promise<void> {
  await sql`
    insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error)
    select ${org_id}::bigint, ${check_id}::bigint, r.ran_at, r.latency_ms, r.http_status, r.error is null, r.monitor_id, r.error
    from unnest(${runs.map((run) => wire(run.ran_at))}::timestamptz[], ${runs.map((run) => run.latency_ms)}::integer[],
      ${runs.map((run) => run.http_status)}::integer[], ${runs.map((run) => monitor_ids[run.monitor] ?? '')}::text[],
      ${runs.map((run) => run.error)}::text[]) as r(ran_at, latency_ms, http_status, monitor_id, error)`.execute(trx)
}

/** It was to run less often than it does now. The worker notes the new schedule. */
async function insertSchedules(
  { trx, org_id, now, began }: Filling,
  { check_id }: Stored,
  check: DemoCheck,
): Promise<void> {
  const pause = pauseOf(check, now)
  const spans = pause
    ? [
        { since: began, until: pause.from },
        { since: pause.until, until: null },
      ]
    : [{ since: began, until: null }]
  for (const { since, until } of spans) {
    await sql`
      insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
      values (${org_id}, ${check_id}, ${wire(since)}, ${until === null ? null : wire(until)}, ${HISTORY_INTERVAL_SEC}, 0,
        ${wire(since)})`.execute(trx)
  }
}

async function insertDowns(filling: Filling, check: Stored, downs: readonly Down[]): Promise<Letter[]> {
  const { trx, org_id } = filling
  const alerts: PastAlert[] = []
  for (const { began, ended } of downs) {
    const incident_id = randomUUID()
    await sql`
      insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
      values (${org_id}, ${incident_id}, ${check.check_id}, ${wire(began.ran_at)}, ${wire(began.ran_at)},
        ${ended ? wire(ended.ran_at) : null}, ${ended ? 'recovered' : null})`.execute(trx)
    const about = { subject: `check:${check.check_id}`, check_id: check.check_id, incident_id }
    alerts.push({
      ...about,
      type: 'check.down',
      at: began.ran_at,
      data: { ...downData(filling, check, incident_id, began) },
    })
    if (ended) {
      const data = upData(filling, check, incident_id, { began, ended })
      alerts.push({ ...about, type: 'check.up', at: ended.ran_at, data: { ...data } })
    }
  }
  return writeAlerts(filling, alerts)
}

function downData(filling: Filling, check: Stored, incident_id: string, began: Ran): CheckData {
  return {
    ...shared(filling, check, incident_id, began),
    state: 'down',
    previous_state: 'up',
    since: wire(began.ran_at),
    failures: 1,
  }
}

function upData(
  filling: Filling,
  check: Stored,
  incident_id: string,
  { began, ended }: { began: Ran; ended: Ran },
): CheckData {
  return {
    ...shared(filling, check, incident_id, ended),
    state: 'up',
    previous_state: 'down',
    since: wire(began.ran_at),
    ended_at: wire(ended.ran_at),
    duration_sec: Math.round((ended.ran_at - began.ran_at) / 1000),
    reason: 'recovered',
    failures: 0,
  }
}

function shared({ monitor_ids }: Filling, { guid, name, url }: Stored, incident_id: string, run: Ran) {
  const monitor = { id: monitor_ids[run.monitor] ?? '', name: MONITORS[run.monitor]?.name ?? '' }
  const error = run.error === null ? {} : { error: run.error }
  return {
    org: { name: DEMO_NAME },
    check: { guid, name, url },
    incident_id,
    monitor,
    ran_at: wire(run.ran_at),
    ...error,
    http_status: run.http_status,
    latency_ms: run.latency_ms,
    monitors: [{ ...monitor, failing: !run.success, ran_at: wire(run.ran_at), ...error }],
  }
}

function wire(ms: number): string {
  return fromDate(new Date(ms))
}
