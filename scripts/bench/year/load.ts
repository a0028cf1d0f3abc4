// A database of its own with orgs of all four plans, in which each check has results of somewhat more than a year,
// evenly by day.
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { PLANS, type PlanName } from '../../../packages/server/dist/domain/organisations/plans.js'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { newMonitorId } from '../../../packages/server/dist/runtime/ids.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { hashToken, newToken } from '../../../packages/server/dist/runtime/tokens.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../../packages/server/dist/store/migrate.js'
import { insertPartition } from '../../../packages/server/dist/store/results/sealing/partitions.js'
import { depsOf, settleTables } from '../../lab/archive.ts'
import { addToFleet, type FleetCheck, type FleetMonitor, listChecks } from '../../lab/fleet.ts'
import { insertRuns, isWellAlone, loadRecording } from '../../lab/recorded-rows.ts'
import { ONE_FAILS_OF } from '../../lab/recording.ts'
import { type Stage, say } from '../../lab/stage.ts'

export interface YearOrg {
  org_id: number
  plan: PlanName
  guids: string[]
  /** One of its monitors; all of them have all checks. */
  monitor: FleetMonitor
  /** A personal access token, and a session of the owner's. */
  token: string
  session: string
}

export interface Year {
  name: string
  stage: Stage
  orgs: YearOrg[]
  /** Monitors of checks whose results come only now. Nobody reads those. */
  writers: FleetMonitor[]
  results: number
}

export interface YearSize {
  name: string
  /** Orgs of each plan. */
  groups: number
  results: number
}

/** One month more than the longest plan, so that there is a month to drop. */
export const DAYS = 400
/** Results from now on are not part of the year. Of today there are the last hours, as often as checks run: pages begin with these. */
export const LOADED_UNTIL = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
const MONTHS = 14
const MONITORS = 3
const LOADERS = 2
const LAST_HOURS = 3
/** Each has 25 of the checks, as if an agent of 300 uploaded every five seconds. */
const WRITERS = { orgs: 10, checks: 15_000, monitors: 600, groups: 600 }

/** Loads a database of the stage's server; the first measured statements find it in the state that production has. */
export async function loadYear(given: Stage, { name, groups, results }: YearSize): Promise<Year> {
  const stage = await makeDatabase(given, name)
  const months = await makeMonths(stage)
  const orgs: YearOrg[] = []
  const plans = Object.keys(PLANS) as PlanName[]
  for (let n = 0; n < groups; n++) for (const plan of plans) orgs.push(await makeOrg(stage, plan))
  const checks = orgs.reduce((sum, { guids }) => sum + guids.length, 0)
  const perDay = Math.max(1, Math.round(results / checks / DAYS))
  const count = checks * perDay * DAYS
  say(`${name}: loading ${count.toLocaleString('en-US')} results of ${checks} checks; twenty million take some minutes`)
  await loadMonths(stage, months, perDay)
  await insertRuns(stage.database.pools.machines, LATELY, [LOADED_UNTIL, LAST_HOURS])
  await stage.database.pools.machines.query(`update checks set created_at = now() - make_interval(days => ${DAYS})`)
  say(`${name}: folding hours and days`)
  await foldHistory(depsOf(stage))
  const writers: FleetMonitor[] = []
  for (const monitor of (await addToFleet(stage, WRITERS)).monitors) {
    writers.push({ ...monitor, checks: await listChecks(stage.database.pools.machines, monitor.id) })
  }
  await settleTables(stage)
  return { name, stage, orgs, writers, results: count }
}

/** Settings for loading do not affect the servers: their sessions begin with the usual settings. */
async function makeDatabase(stage: Stage, name: string): Promise<Stage> {
  await stage.database.pools.machines.query(`create database ${name}`)
  const url = new URL(stage.url)
  url.pathname = `/${name}`
  await migrateToLatest(url.href)
  const loading = new URL(url)
  loading.searchParams.set('options', '-c work_mem=512MB')
  const database = openDatabase({ url: loading.href })
  stage.undo(() => database.close())
  const serve: Stage['serve'] = (env = {}, script) => stage.serve({ DATABASE_URL: url.href, ...env }, script)
  return { ...stage, database, url: url.href, serve }
}

async function makeMonths(stage: Stage): Promise<[from: string, until: string][]> {
  await ensurePartitions(depsOf(stage))
  const months: [string, string][] = []
  for (let back = MONTHS; back >= 0; back--) {
    const [month, next] = [monthBack(back), monthBack(back - 1)]
    await stage.database.people.transaction().execute((trx) => insertPartition(trx, month, next))
    months.push([month, next])
  }
  return months
}

async function makeOrg(stage: Stage, plan: PlanName): Promise<YearOrg> {
  const deps = depsOf(stage)
  const owner_email = `owner-${newMonitorId(systemRandom)}@example.com`
  const { org_id, owner_id } = await createOrganisation(deps, { name: `a ${plan} org`, plan, owner_email })
  const monitors = Array.from({ length: MONITORS }, () => ({
    id: newMonitorId(systemRandom),
    key: newToken('key', systemRandom),
  }))
  const [ids, hashes] = [monitors.map(({ id }) => id), monitors.map(({ key }) => hashToken(key))]
  await stage.database.pools.machines.query(INSERT_MONITORS, [ids, hashes, org_id])
  const { max_checks, min_interval_sec } = PLANS[plan]
  const entries = Array.from({ length: max_checks }, (_, n) => ({
    name: `shop ${n}`,
    url: `https://shop-${n}.example.com/`,
    interval_sec: Math.max(60, min_interval_sec),
  }))
  const { guids } = await importChecks(deps, org_id, entries, 'all')
  const { rows: checks } = await stage.database.pools.machines.query<FleetCheck>(
    'select org_id, check_id, guid from checks where org_id = $1 order by check_id',
    [org_id],
  )
  const [first] = monitors
  if (!first) throw new Error('an org without monitors')
  const { token } = await createPersonalToken(deps, org_id)
  const session = await openSession(deps, owner_id, org_id)
  return { org_id, plan, guids, monitor: { ...first, checks }, token, session }
}

async function loadMonths(stage: Stage, months: readonly [string, string][], perDay: number): Promise<void> {
  await loadRecording(stage.database.pools.machines)
  const left = [...months]
  const load = async (): Promise<void> => {
    for (let month = left.shift(); month; month = left.shift()) {
      const [from, until] = month
      await insertRuns(stage.database.pools.machines, RUNS, [from, until, DAYS, perDay, LOADED_UNTIL])
    }
  }
  await Promise.all(Array.from({ length: LOADERS }, load))
}

function monthBack(back: number): string {
  const now = systemClock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 10)
}

const INSERT_MONITORS = `
  insert into monitors (id, org_id, name, region, country, city, key_hash, enrolled_at)
  select id, $3, 'rack ' || n, 'eu-central', 'DE', 'Berlin', key_hash, now()
  from unnest($1::text[], $2::bytea[]) with ordinality as m(id, key_hash, n)`

// The runs of a day are in two of its hours, seven minutes apart, so that an hour sums up several.
const RUNS = `
  select org_id, check_id, ran_at, ids[1 + n % ${MONITORS}] as monitor_id,
    ${isWellAlone('check_id', 'n', ONE_FAILS_OF)} as success, n as run
  from (
    select c.org_id, c.check_id, c.ids, d.at + make_interval(hours => run * 2 / $4::integer * 12,
        mins => run % (($4::integer + 1) / 2) * 7, secs => c.place % 60) as ran_at,
      c.place * 7 + extract(day from d.at)::integer * 3 + run as n
    from (
      select org_id, check_id, (row_number() over (order by check_id))::integer as place, m.ids
      from checks join (select org_id, array_agg(id order by id) as ids from monitors group by org_id) m using (org_id)) c
    cross join (
      select at at time zone 'UTC' as at from generate_series(
        greatest($1::timestamp, $5::timestamp - make_interval(days => $3::integer)),
        least($2::timestamp, $5::timestamp) - interval '1 day', interval '1 day') at) d
    cross join generate_series(0, $4::integer - 1) run) r`

const LATELY = `
  select org_id, check_id, ran_at, ids[1 + n % ${MONITORS}] as monitor_id,
    ${isWellAlone('check_id', 'n', ONE_FAILS_OF)} as success, n as run
  from (
    select c.org_id, c.check_id, c.ids, ran_at, (extract(epoch from ran_at) / c.interval_sec)::integer + c.place * 7 as n
    from (
      select org_id, check_id, interval_sec, (row_number() over (order by check_id))::integer as place, m.ids
      from checks join (select org_id, array_agg(id order by id) as ids from monitors group by org_id) m using (org_id)) c
    cross join lateral (
      select at + make_interval(secs => c.place % 60) as ran_at from generate_series(
        greatest($1::timestamptz, date_trunc('hour', now()) - make_interval(hours => $2::integer)),
        now() - interval '1 minute', make_interval(secs => c.interval_sec)) at) l
    where ran_at < now()) r`
