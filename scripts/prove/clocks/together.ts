// The clocks of the database and of all servers are ahead together, so that nothing contradicts them, and then right again. What was
// derived from them must come back with them, and nothing may be erased.
import { setTimeout as pause } from 'node:timers/promises'
import { changeChecks } from '../../../packages/server/dist/domain/checks/change-many.js'
import { readDeletions, restoreChecks } from '../../../packages/server/dist/domain/checks/deletions.js'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { createWindow, readWindows } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { mute } from '../../../packages/server/dist/domain/mutes/mute.js'
import { until } from '../../lab/world.ts'
import { storedKeys } from '../support/stored.ts'
import type { Verdict } from './judge.ts'
import { HEARTBEAT, type Lab } from './lab.ts'
import { POSTGRES_SEES_MS } from './wrong-clock.ts'

export interface Together {
  ahead_sec: number
  hold_ms: number
}

/** From when the clocks agree until what fell silent before is told. */
const AGREED_MS = 10_000
/** Until it is noted that pings are taken again. */
const NOTED_MS = 3000
const WELL_MS = 30_000
const PAST_SPANS = 395
const MUTED_MS = 3 * 3_600_000
const DAY_MS = 86_400_000
const ACTOR = { person_id: 1, email: 'owner@example.com', impersonator_email: null }
/** Tables that lose no row in the time of the story. */
const KEPT = [
  'maintenance_spans',
  'sessions',
  'invitations',
  'password_resets',
  'mutes',
  'audit_entries',
  'deleted_checks',
]

export async function playTogether(lab: Lab, { ahead_sec, hold_ms }: Together): Promise<Verdict> {
  const planted = await plant(lab)
  const before = await look(lab)
  lab.jobs.stops.rest()
  await pause(1000)
  setAll(lab, ahead_sec)
  await pause(hold_ms)
  setAll(lab, 0)
  await pause(POSTGRES_SEES_MS)
  const right_at = Date.now()
  const told = await untilSilenceIsTold(lab, right_at)
  await pause(AGREED_MS)
  const after = await look(lab)
  const faults = [...told.faults, ...differences(before, after), ...(await undo(lab, planted.guid))]
  const well = await untilWell(lab)
  return {
    figures: [
      ...told.figures,
      `${PAST_SPANS} past times of maintenance, ${after.counts.size} tables looked at`,
      well.figure,
    ],
    faults: [...faults, ...well.faults],
  }
}

function setAll({ clocks, webs, worker }: Lab, ahead_sec: number): void {
  for (const clock of [clocks.database, worker.clock, ...webs.map((web) => web.clock)]) clock.set(ahead_sec)
}

/** Something of each kind that a clock that is ahead erased, or put off for long. */
async function plant({ deps, orgs }: Lab): Promise<{ guid: string }> {
  const { org_id, guids: own } = orgs[0] as Lab['orgs'][number]
  const rows = (sql: string, ...values: unknown[]) => deps.database.pools.machines.query(sql, values)
  const minute = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16)
  const window = {
    duration_sec: 1800,
    zone: 'UTC',
    is_public: true,
    scope: { checks: [own.get('later') ?? ''], heartbeats: [] },
  }
  await createWindow(deps, org_id, { ...window, name: 'daily', starts_at: minute(6 * 3_600_000), rule: 'FREQ=DAILY' })
  await createWindow(deps, org_id, { ...window, name: 'planned', starts_at: minute(3 * DAY_MS), rule: null })
  await rows(
    `insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
     select org_id, window_id, now() - n * interval '1 day', now() - n * interval '1 day' + interval '30 minutes', name, scope, is_public
     from maintenance_windows, generate_series(1, $2::integer) n where org_id = $1 and name = 'daily'`,
    org_id,
    PAST_SPANS,
  )
  await rows(
    `insert into sessions (session_hash, person_id, created_at, last_used_at, expires_at)
     select sha256('one'), person_id, now(), now(), now() + interval '1 hour' from people limit 1`,
  )
  await rows(
    `insert into invitations (org_id, token_hash, email, invited_by, created_at, expires_at)
     select $1, sha256('one'), 'eve@example.com', person_id, now(), now() + interval '1 hour' from people limit 1`,
    org_id,
  )
  await rows(
    "insert into password_resets select sha256('one'), person_id, now() + interval '1 hour' from people limit 1",
  )
  const entry = { name: 'doomed', url: 'https://doomed.example.com/', interval_sec: 600 }
  const [guid = ''] = (await importChecks(deps, org_id, [entry], 'none')).guids
  await mute(deps, { org_id, kind: 'check', guid: own.get('rises') ?? '' }, new Date(Date.now() + MUTED_MS), ACTOR)
  await changeChecks(deps, { org_id, actor: ACTOR }, [guid], { kind: 'delete' })
  return { guid }
}

interface Kept {
  windows: string[]
  counts: Map<string, number>
  muted_until: string
}

async function look(lab: Lab): Promise<Kept> {
  const { deps, orgs } = lab
  const { org_id } = orgs[0] as Lab['orgs'][number]
  const counts = new Map<string, number>()
  for (const table of KEPT) {
    const { rows } = await deps.database.pools.machines.query<{ n: number }>(
      `select count(*)::integer as n from ${table}`,
    )
    counts.set(table, rows[0]?.n ?? 0)
  }
  // Sealed hours hold results as well, and clocks that are ahead have hours sealed.
  const results = await Promise.all(lab.stock.org_ids.map((id) => storedKeys(lab.deps, id)))
  counts.set('results', results.flat().length)
  const windows = await readWindows(deps, org_id)
  const { rows } = await deps.database.pools.machines.query<{ at: string }>(
    'select wire_time(max(muted_until)) as at from mutes',
  )
  return {
    windows: windows.map(({ name, state, span }) => `${name} ${state} ${span?.begins_at ?? '-'}`),
    counts,
    muted_until: rows[0]?.at ?? '-',
  }
}

function differences(before: Kept, after: Kept): string[] {
  const fewer = [...before.counts].filter(([table, count]) => (after.counts.get(table) ?? 0) < count)
  return [
    ...fewer.map(([table, count]) => `${table} had ${count} rows and has ${after.counts.get(table)}`),
    ...(before.windows.join() === after.windows.join()
      ? []
      : [`maintenance is planned as ${after.windows.join(', ')} and was as ${before.windows.join(', ')}`]),
    ...(before.muted_until === after.muted_until
      ? []
      : [`a mute ends at ${after.muted_until} and not ${before.muted_until}`]),
  ]
}

/** A heartbeat that fell silent before is told as if the clocks had been right, or as soon as they are. */
async function untilSilenceIsTold({ jobs, receiver }: Lab, right_at: number): Promise<Verdict> {
  const { taken, guid } = jobs.stops
  const own_ms = (HEARTBEAT.interval_sec + HEARTBEAT.grace_sec) * 1000
  const due = (taken.at(-1) ?? 0) + own_ms
  const refused = Object.values(jobs).flatMap(({ refusals }) => refusals.map(({ at }) => at))
  const again = refused.length > 0 ? Math.max(...refused) + NOTED_MS + own_ms : 0
  const by = Math.max(due, again, right_at) + AGREED_MS
  const isTold = () => receiver.takenAbout(guid).some(({ type }) => type === 'heartbeat.down')
  await until(() => isTold() || Date.now() > by, 60_000)
  const told = receiver.takenAbout(guid).find(({ type }) => type === 'heartbeat.down')
  if (!told) return { figures: [], faults: ['a heartbeat that fell silent is not told'] }
  return { figures: [`silence told ${((told.at - due) / 1000).toFixed(1)} s after it was due`], faults: [] }
}

async function undo({ deps, orgs }: Lab, guid: string): Promise<string[]> {
  const { org_id } = orgs[0] as Lab['orgs'][number]
  const [deletion] = await readDeletions(deps, org_id)
  if (!deletion) return ['a deleted check cannot be brought back']
  await restoreChecks(deps, { org_id, actor: ACTOR }, deletion.batch_id)
  const { rows } = await deps.database.pools.machines.query<{ url: string }>('select url from checks where guid = $1', [
    guid,
  ])
  return rows[0]?.url === 'https://doomed.example.com/' ? [] : ['a check that was brought back has lost its definition']
}

/** A target that goes down afterwards is told. */
async function untilWell(lab: Lab): Promise<{ figure: string; faults: string[] }> {
  const { orgs, targets, receiver } = lab
  const org = orgs[1] as Lab['orgs'][number]
  const at = Date.now()
  targets.set(`${org.name}-later`, false)
  const guid = org.guids.get('later') ?? ''
  const isTold = () => receiver.takenAbout(guid).some(({ type }) => type === 'check.down')
  if (!(await until(isTold, WELL_MS))) {
    const seen = await readWay(lab, org.org_id, guid)
    return { figure: 'down not told', faults: [`a target that goes down afterwards is not told: ${seen}`] }
  }
  return { figure: `down told after ${((Date.now() - at) / 1000).toFixed(1)} s`, faults: [] }
}

/** Tells how far a change of a check has come on its way from result to delivery, and what clocks the processes have noted. */
async function readWay({ deps, webs, worker }: Lab, org_id: number, guid: string): Promise<string> {
  const rows = async (sql: string, ...values: unknown[]) =>
    JSON.stringify((await deps.database.pools.machines.query<object>(sql, values)).rows)
  const ours = 'org_id = $1 and check_id = (select check_id from checks where org_id = $1 and guid = $2)'
  const [results, states, incidents, deliveries, processes] = await Promise.all([
    rows(
      `select ran_at, success, error, monitor_id from results where ${ours} order by ran_at desc limit 4`,
      org_id,
      guid,
    ),
    rows(`select rejudge_at, judged_at, judged_from, late_since from check_states where ${ours}`, org_id, guid),
    rows(`select began_at, told_at, ended_at, held_by from incidents where ${ours}`, org_id, guid),
    rows(
      `select type, e.created_at, state, attempts, next_attempt_at, planned_at, not_before, leased_until, last_error
       from events e left join deliveries d using (org_id, event_id) where e.${ours} order by e.created_at desc limit 4`,
      org_id,
      guid,
    ),
    rows('select now(), role, started_at, seen_at, alive_at, skew_ms, ahead_ms, is_in_doubt from processes'),
  ])
  const said = [...webs, worker].flatMap(({ name, errors, clockLines }) => [
    ...errors.slice(-3).map((line) => `${name}: ${line}`),
    ...clockLines.slice(-3).map(({ line }) => `${name}: ${line}`),
  ])
  return JSON.stringify({ results, states, incidents, deliveries, processes, said })
}
