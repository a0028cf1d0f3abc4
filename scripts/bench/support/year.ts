// Loads a database with organisations of all four plans, whose checks have results of somewhat more than a year, evenly by day.
// Also makes the requests that agents, people and programs send to such a server.

import { PLANS, type PlanName } from '../../../packages/domain/dist/organisations/plans.js'
import { foldHistory } from '../../../packages/domain/dist/results/history.js'
import { makeYear, mintTokens, settleTables } from '../../lab/archive.ts'
import { addMonitors, addToFleet, type FleetMonitor, listChecks } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'
import { insertRuns, isWellAlone } from '../../lab/recorded-rows.ts'
import { ONE_FAILS_OF } from '../../lab/recording.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { openOrg, shops } from '../../lab/world.ts'
import type { Arm } from './compare.ts'
import { batchMaker, exporter, idleSyncs, pageRequest, requests, type Target, uploads } from './requests.ts'

interface YearOrg {
  plan: PlanName
  guids: string[]
  /** Key of one of the organisation's monitors. Every monitor has all checks. */
  key: string
  tokens: string[]
  /** Cookie of a session of the owner. */
  cookie: string
}

export interface Year {
  stage: Stage
  orgs: YearOrg[]
  /** Monitors of additional checks, which have no results yet, and which no page shows. */
  writers: FleetMonitor[]
  results: number
}

/** Number of days with results: one month more than the longest plan keeps, so that retention has a month to delete. */
const DAYS = 400
const MONTHS = 14
/**
 * End of the loaded year. Later results do not belong to the year: they are of the last hours, as frequent as the runs of checks,
 * and appear at the top of pages.
 */
export const LOADED_UNTIL = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
const LAST_HOURS = 3
const MONITORS = 3
const TOKENS = 200
/** Monitors that upload, with their checks. Each has 25 checks, as if an agent with 300 checks uploaded every five seconds. */
const WRITERS = { orgs: 10, checks: 15_000, monitors: 600, groups: 600 }
/** Age of the results on the measured page, in days: about the middle of the year. */
const MIDDLE_DAYS = 180

/** Loads an empty database. `groups` is the number of organisations of each plan. */
export async function loadYear(stage: Stage, groups: number, results: number): Promise<Year> {
  const { machines } = stage.database.pools
  const months = await makeYear(stage, MONTHS)
  const orgs: YearOrg[] = []
  const plans = Object.keys(PLANS) as PlanName[]
  for (let n = 0; n < groups; n++) for (const plan of plans) orgs.push(await makeOrg(stage, plan, n))
  const checks = orgs.reduce((sum, { guids }) => sum + guids.length, 0)
  const perDay = Math.max(1, Math.round(results / checks / DAYS))
  const count = checks * perDay * DAYS
  say(`loading ${count.toLocaleString('en-US')} results of ${checks} checks; twenty million take some minutes`)
  for (const [from, until] of months) await insertRuns(machines, RUNS, [from, until, DAYS, perDay, LOADED_UNTIL])
  await insertRuns(machines, LATELY, [LOADED_UNTIL, LAST_HOURS])
  await machines.query(`update checks set created_at = now() - make_interval(days => ${DAYS})`)
  say('folding hours and days')
  await foldHistory(stage)
  const writers: FleetMonitor[] = []
  for (const monitor of (await addToFleet(stage, WRITERS)).monitors) {
    writers.push({ ...monitor, checks: await listChecks(machines, monitor.id) })
  }
  await settleTables(stage)
  return { stage, orgs, writers, results: count }
}

async function makeOrg(stage: Stage, plan: PlanName, n: number): Promise<YearOrg> {
  const { org_id, addChecks, signIn } = await openOrg(stage, `${plan} org ${n}`, plan)
  const [first] = await addMonitors(stage, MONITORS, org_id)
  const { max_checks, min_interval_sec } = PLANS[plan]
  const guids = await addChecks(shops('shop', max_checks, () => ({ interval_sec: Math.max(60, min_interval_sec) })))
  const tokens = await mintTokens(stage, org_id, TOKENS)
  return { plan, guids, key: first?.key ?? '', tokens, cookie: await signIn() }
}

/** Selects every check with its position and the monitors of its organisation. */
const PLACED = `
  select org_id, check_id, interval_sec, (row_number() over (order by check_id))::integer as place, m.ids
  from checks join (select org_id, array_agg(id order by id) as ids from monitors group by org_id) m using (org_id)`

const runsOf = (placed: string): string => `
  select org_id, check_id, ran_at, ids[1 + n % ${MONITORS}] as monitor_id,
    ${isWellAlone('check_id', 'n', ONE_FAILS_OF)} as success, n as run
  from (${placed}) r`

// The runs of a day are in two of its hours, seven minutes apart, so that each of these hours has several runs to summarise.
const RUNS = runsOf(`
  select c.org_id, c.check_id, c.ids, d.at + make_interval(hours => run * 2 / $4::integer * 12,
      mins => run % (($4::integer + 1) / 2) * 7, secs => c.place % 60) as ran_at,
    c.place * 7 + extract(day from d.at)::integer * 3 + run as n
  from (${PLACED}) c
  cross join (
    select at at time zone 'UTC' as at from generate_series(
      greatest($1::timestamp, $5::timestamp - make_interval(days => $3::integer)),
      least($2::timestamp, $5::timestamp) - interval '1 day', interval '1 day') at) d
  cross join generate_series(0, $4::integer - 1) run`)

const LATELY = runsOf(`
  select c.org_id, c.check_id, c.ids, ran_at, (extract(epoch from ran_at) / c.interval_sec)::integer + c.place * 7 as n
  from (${PLACED}) c
  cross join lateral (
    select at + make_interval(secs => c.place % 60) as ran_at from generate_series(
      greatest($1::timestamptz, date_trunc('hour', now()) - make_interval(hours => $2::integer)),
      now() - interval '1 minute', make_interval(secs => c.interval_sec)) at) l
  where ran_at < now()`)

/** Kinds of work that only read. The name of an arm is the kind and the side, such as `export, big`. */
export const READS = [
  ...['results page', 'export', 'overview', 'list of checks', 'a check, 24 h', 'a check, a year'],
  ...['full sync', 'idle sync'],
]
export const INGEST = 'ingest'

/**
 * Returns an arm for each kind of request. Each step is for the next organisation: for a small one if the request is an export,
 * otherwise for a large one.
 */
export function armsOf({ stage, orgs, writers }: Year, target: Target, side: string): Arm[] {
  const large = orgs.filter(({ plan }) => plan === 'team')
  const org = (index: number) => large[index % large.length] as YearOrg
  const guid = (index: number) => org(index).guids[(index * 7) % org(index).guids.length] ?? ''
  const token = (index: number) => org(index).tokens[index % org(index).tokens.length] ?? ''
  const after = new Date(Date.now() - MIDDLE_DAYS * 86_400_000).toISOString()
  const page = (work: string, path: (index: number) => string) =>
    requests(`${work}, ${side}`, target, '</html>', (index) => pageRequest(path(index), { Cookie: org(index).cookie }))
  const small = orgs.filter(({ plan }) => plan === 'free')
  // Uses the tokens of all small organisations in turn, because the server limits the exports of each organisation.
  const exporting = Array.from({ length: TOKENS }, (_, n) => small.map(({ tokens }) => tokens[n] ?? '')).flat()
  const keys = large.map(({ key }) => key)
  return [
    uploads(`${INGEST}, ${side}`, target, batchMaker(writers), writers[0]?.checks.length),
    requests(`results page, ${side}`, target, '"next"', (index) =>
      request('GET', `/checks/${guid(index)}/results?after=${after}`, { key: token(index), api: 'account-api' }),
    ),
    { name: `export, ${side}`, meters: target.meters, step: exporter(stage, target.server, exporting) },
    page('overview', () => '/'),
    page('list of checks', () => '/checks'),
    page('a check, 24 h', (index) => `/checks/${guid(index)}?period=24h`),
    page('a check, a year', (index) => `/checks/${guid(index)}?period=1y`),
    requests(`full sync, ${side}`, target, '"server_time"', (index) =>
      request('GET', '/checks', { key: keys[index % keys.length] ?? '' }),
    ),
    idleSyncs(`idle sync, ${side}`, target, keys),
  ]
}
