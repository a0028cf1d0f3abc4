// The clocks of the database and of all servers are ahead together, so that nothing contradicts them, and then right again. What was derived
// from them comes back with them, and nothing is erased.
import { setTimeout as pause } from 'node:timers/promises'
import { changeChecks } from '../../../packages/server/dist/domain/checks/change-many.js'
import { readDeletions, restoreChecks } from '../../../packages/server/dist/domain/checks/deletions.js'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { createWindow, readWindows } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { mute } from '../../../packages/server/dist/domain/mutes/mute.js'
import { until } from '../../lab/proof.ts'
import { numberOf, query, storedKeys } from '../../lab/world.ts'
import type { Verdict } from './judge.ts'
import { type Lab, nameOf } from './lab.ts'
import { AGREED_MS, missedJob } from './scenario.ts'
import { POSTGRES_SEES_MS } from './wrong-clock.ts'

export interface Together {
  ahead_sec: number
  hold_ms: number
}

const WELL_MS = 30_000
const PAST_SPANS = 395
const HOUR_MS = 3_600_000
const ACTOR = { person_id: 1, email: 'owner@example.com', impersonator_email: null }
const DOOMED = { name: 'doomed', url: 'https://doomed.example.com/', interval_sec: 600 }
/** Tables that lose no row during the scenario. */
const KEPT = [
  ...['maintenance_spans', 'sessions', 'invitations', 'password_resets', 'mutes', 'audit_entries', 'deleted_checks'],
]

export async function playTogether(lab: Lab, { ahead_sec, hold_ms }: Together): Promise<Verdict> {
  const guid = await plant(lab)
  const before = await look(lab)
  const setAll = (sec: number) => {
    for (const { clock } of [{ clock: lab.clocks.database }, lab.worker, ...lab.webs]) clock.set(sec)
  }
  lab.jobs.stops.isActive = false
  await pause(1000)
  setAll(ahead_sec)
  await pause(hold_ms)
  setAll(0)
  await pause(POSTGRES_SEES_MS)
  // A heartbeat that fell silent before is alerted as if the clocks had been right, or as soon as they are.
  const { about, at, by } = missedJob(lab, 'stops', Date.now())
  const told = () => lab.receiver.takenAbout(about).find(({ type }) => type === 'heartbeat.down')
  await until(() => told() !== undefined || Date.now() > by, 60_000)
  const silence_ms = (told()?.at ?? Infinity) - at
  await pause(AGREED_MS)
  const faults = [...differences(before, await look(lab)), ...(await bringBack(lab, guid))]
  if (silence_ms === Infinity) faults.push('the silence of a heartbeat was not alerted')
  const down_ms = await measureDown(lab)
  if (down_ms === undefined) faults.push('a target that goes down afterwards is not alerted')
  return {
    figures: [
      `silence alerted ${(silence_ms / 1000).toFixed(1)} s after it was due`,
      `${PAST_SPANS} past times of maintenance, ${before.counts.size} tables compared`,
      `a target that goes down afterwards alerted after ${down_ms === undefined ? 'never' : (down_ms / 1000).toFixed(1)} s`,
    ],
    faults,
  }
}

/** Creates something of each kind that a clock that is ahead could erase. Returns the guid of a deleted check. */
async function plant({ deps, orgs }: Lab): Promise<string> {
  const [{ org_id, guids: own }] = orgs
  const minute = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16)
  const scope = { checks: [own.get('later') ?? ''], heartbeats: [] }
  const window = { duration_sec: 1800, zone: 'UTC', is_public: true, scope }
  await createWindow(deps, org_id, { ...window, name: 'daily', starts_at: minute(6 * HOUR_MS), rule: 'FREQ=DAILY' })
  await createWindow(deps, org_id, { ...window, name: 'planned', starts_at: minute(72 * HOUR_MS), rule: null })
  await query(
    deps,
    `insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
     select org_id, window_id, now() - n * interval '1 day', now() - n * interval '1 day' + interval '30 minutes', name, scope, is_public
     from maintenance_windows, generate_series(1, $2::integer) n where org_id = $1 and name = 'daily'`,
    org_id,
    PAST_SPANS,
  )
  for (const [into, columns] of [
    ['sessions (session_hash, person_id, created_at, last_used_at, expires_at)', 'person_id, now(), now()'],
    [
      'invitations (token_hash, org_id, email, invited_by, created_at, expires_at)',
      `${org_id}, 'eve@example.com', person_id, now()`,
    ],
    ['password_resets', 'person_id'],
  ]) {
    const values = `select sha256('one'), ${columns}, now() + interval '1 hour' from people limit 1`
    await query(deps, `insert into ${into} ${values}`)
  }
  const [guid = ''] = (await importChecks(deps, org_id, [DOOMED], 'none')).guids
  await mute(deps, { org_id, kind: 'check', guid: own.get('rises') ?? '' }, new Date(Date.now() + 3 * HOUR_MS), ACTOR)
  await changeChecks(deps, { org_id, actor: ACTOR }, [guid], { kind: 'delete' })
  return guid
}

interface State {
  windows: string
  counts: Map<string, number>
  muted_until: string
}

async function look({ deps, orgs, stock }: Lab): Promise<State> {
  const counts = new Map<string, number>()
  for (const table of KEPT) counts.set(table, await numberOf(deps, `select count(*) from ${table}`))
  counts.set('results', (await Promise.all(stock.org_ids.map((id) => storedKeys(deps, id)))).flat().length)
  const windows = await readWindows(deps, orgs[0].org_id)
  const [row] = await query<{ at: string }>(deps, 'select wire_time(max(muted_until)) as at from mutes')
  return {
    windows: windows.map(({ name, state, span }) => `${name} ${state} ${span?.begins_at ?? '-'}`).join(),
    counts,
    muted_until: row?.at ?? '-',
  }
}

function differences(before: State, after: State): string[] {
  const fewer = [...before.counts].filter(([table, count]) => (after.counts.get(table) ?? 0) < count)
  return [
    ...fewer.map(([table, count]) => `${table} had ${count} rows and has ${after.counts.get(table)}`),
    ...(before.windows === after.windows ? [] : [`maintenance is ${after.windows}, and was ${before.windows}`]),
    ...(before.muted_until === after.muted_until
      ? []
      : [`a mute ends at ${after.muted_until}, not ${before.muted_until}`]),
  ]
}

async function bringBack({ deps, orgs }: Lab, guid: string): Promise<string[]> {
  const [{ org_id }] = orgs
  const [deletion] = await readDeletions(deps, org_id)
  if (!deletion) return ['a deleted check cannot be brought back']
  await restoreChecks(deps, { org_id, actor: ACTOR }, deletion.batch_id)
  const rows = await query(deps, 'select from checks where guid = $1 and url = $2', guid, DOOMED.url)
  return rows.length === 1 ? [] : ['a check that was brought back has lost its definition']
}

/** Returns the time until a target that goes down is alerted. */
async function measureDown({ orgs, site, receiver }: Lab): Promise<number | undefined> {
  const [, org] = orgs
  const began = Date.now()
  site.set(nameOf(org, 'later'), false)
  const down = () => receiver.takenAbout(org.guids.get('later') ?? '').find(({ type }) => type === 'check.down')
  await until(() => down() !== undefined, WELL_MS)
  const arrival = down()
  return arrival && arrival.at - began
}
