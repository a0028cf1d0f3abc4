// An organisation with a year of history as the console's pages show it, the requests for these pages, and arms that send them.
import type { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { DEFAULT_BOUNDS } from '../../../packages/server/dist/domain/limits/bounds.js'
import type { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import type { editStatusPage } from '../../../packages/server/dist/domain/status-page/edit.js'
import type { BareArchive } from '../../lab/archive.ts'
import type { Meter } from '../../lab/cpu.ts'
import { Lane } from '../../lab/lane.ts'
import { insertRuns } from '../../lab/recorded-rows.ts'
import type { BenchServer, Stage } from '../../lab/stage.ts'
import type { Arm } from './rounds.ts'

/** Of the organisation whose pages are shown. */
export const CHECKS = 100
/** Of another one, whose list has to be nearly as fast. */
export const MANY = 1_000
export const THE_MANY = `the ${MANY} checks`
export const THE_CHECKS = 'the checks'
export const THE_OVERVIEW = 'the overview'
export const AN_INCIDENT = 'an incident'
export const LIST = 'account API: list of checks'
const SLUG = 'the-shops'
// As many as an org may have: so many that none reaches its limit.
const TOKENS = 50

/** The check that is down now, and was before. */
const FAILING = 7
const ERROR = 'status 503 is not below 400; body does not contain "ready"'

export const A_YEAR = [
  ['366 days', '2 days', '1 hour'],
  ['2 days', '0', '1 minute'],
] as const
/** What the list reads. */
export const NINE_DAYS = [
  ['9 days', '25 hours', '1 hour'],
  ['25 hours', '0', '1 minute'],
] as const

// Every fourteenth check is one of the few that fail for longer.
const RUNS = `
  select $1::bigint as org_id, n.check_id, n.ran_at, n.ok as success, ($2::text[])[1 + n.run % cardinality($2::text[])] as monitor_id,
    n.run
  from (
    select check_id, t + make_interval(secs => place % 60) as ran_at, run,
      (run * 31 + place * 17) % 500 > 0 and (place % 14 <> $6 or minutes % 14400 >= 30) as ok
    from (
      select check_id, row_number() over (order by check_id) - 1 as place from checks where org_id = $1) c
    cross join (
      select t, row_number() over (order by t) as run, floor(extract(epoch from now() - t) / 60)::bigint as minutes
      from generate_series(date_trunc('minute', now() - $3::interval), now() - $4::interval - interval '1 minute',
        $5::interval) t) r) n`

/** Watched for as long as there are results. */
const INSERT_SCHEDULES = `
  insert into check_schedules (org_id, check_id, since, interval_sec, run_by, watched_since)
  select c.org_id, c.check_id, r.since, c.interval_sec, 0, r.since
  from checks c cross join lateral (
    select min(ran_at) as since from results where org_id = c.org_id and check_id = c.check_id) r
  where c.org_id = $1`

const INSERT_INCIDENTS = `
  insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
  select $1, gen_random_uuid()::text, check_id, at, at, case when ago > 0 then at + interval '30 minutes' end,
    case when ago > 0 then 'recovered' end
  from (select check_id, row_number() over (order by check_id) - 1 as place from checks where org_id = $1) c
  cross join (
    select ago, now() - interval '30 minutes' - ago * interval '10 days' as at from generate_series(0, 35) ago) i
  where place % 14 = $2`

/** Each incident was told to one channel. */
const INSERT_CHANNEL = `
  insert into notification_channels (org_id, name, kind, destination)
  values ($1, 'On call', 'webhook', '{"webhook_url": "https://hooks.example/"}') returning id`
const INSERT_EVENTS = `
  insert into events (org_id, event_id, type, created_at, subject, check_id, incident_id, data)
  select i.org_id, gen_random_uuid()::text, 'check.down', i.began_at, 'check:' || i.check_id, i.check_id, i.incident_id,
    jsonb_build_object('error', $2::text)
  from incidents i where i.org_id = $1`
const INSERT_DELIVERIES = `
  insert into deliveries (org_id, event_id, channel_id, subject, state, attempts, created_at, last_attempt_at)
  select org_id, event_id, $2, subject, 'delivered', 1, created_at, created_at from events where org_id = $1`

export interface Asked {
  name: string
  path: string
  /** One of these per request, in turn. */
  headers: readonly Readonly<Record<string, string>>[]
  /** Text that a complete answer contains. */
  mark: string
}

/** What prepares an organisation for its visitors: of the build that the data is made with. */
export interface Makers {
  createPersonalToken: typeof createPersonalToken
  editStatusPage: typeof editStatusPage
  openSession: typeof openSession
}

/** The list first, then the pages. */
export async function whatIsAsked(
  { pools }: Stage['database'],
  deps: Deps,
  { org_id, owner_id, guids }: BareArchive,
  make: Makers,
): Promise<Asked[]> {
  const entries = guids.map((guid, n) => ({ kind: 'check' as const, guid, public_name: `Shop ${n}` }))
  await make.editStatusPage(deps, org_id, { slug: SLUG, title: 'The shops', description: '', entries })
  await pools.machines.query('update organisations set status_page_enabled = true where org_id = $1', [org_id])
  const bounds = { ...DEFAULT_BOUNDS, tokens_per_org: TOKENS, tokens_per_person: TOKENS }
  const bearers: { Authorization: string }[] = []
  for (let n = 0; n < TOKENS; n++) {
    bearers.push({ Authorization: `Bearer ${(await make.createPersonalToken({ ...deps, bounds }, org_id)).token}` })
  }
  const headers = [{ Cookie: `dogwatch-session=${await make.openSession(deps, owner_id, org_id)}` }]
  const check = (name: string, period: string): Asked => ({
    name: `a check, ${name}`,
    path: `/checks/${guids[FAILING]}?period=${period}`,
    headers,
    mark: 'class="line l1"',
  })
  const { rows } = await pools.machines.query<{ incident_id: string }>(
    'select incident_id from incidents where org_id = $1 and ended_at is null limit 1',
    [org_id],
  )
  return [
    { name: LIST, path: '/account-api/v1/checks', headers: bearers, mark: guids.at(-1) ?? '' },
    { name: THE_OVERVIEW, path: '/', headers, mark: 'Recent activity' },
    { name: 'the incidents', path: '/incidents', headers, mark: 'aria-label="Pagination"' },
    { name: AN_INCIDENT, path: `/incidents/${rows[0]?.incident_id}`, headers, mark: 'Timeline' },
    { name: THE_CHECKS, path: '/checks', headers, mark: guids.at(-1) ?? '' },
    check('24 h', '24h'),
    check('30 d', '30d'),
    check('1 year', '1y'),
    { name: 'public status page', path: `/status/${SLUG}`, headers: [{}], mark: `Shop ${guids.length - 1}` },
  ]
}

export async function listOfMany(deps: Deps, { org_id, owner_id }: BareArchive, make: Makers): Promise<Asked> {
  const headers = [{ Cookie: `dogwatch-session=${await make.openSession(deps, owner_id, org_id)}` }]
  return { name: THE_MANY, path: '/checks', headers, mark: 'Page 1 of 10' }
}

/** Requests for one of them; `postgres` is its database's. */
export function pageArm(server: BenchServer, postgres: Meter, { name, path, headers, mark }: Asked): Arm {
  // Opened when it is needed: the server gives up on connections that say nothing.
  let lane: Lane | undefined
  const ready = headers.map((some) => {
    const lines = Object.entries({ Host: '127.0.0.1', ...some }).map(([field, value]) => `${field}: ${value}\r\n`)
    return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
  let seen = 0
  return {
    name,
    meters: [server.meter, postgres],
    unitsPerStep: 1,
    step: async () => {
      // The server closes an idle connection while the other arms have their turns.
      if (!lane?.isOpen) lane = await Lane.open(server.port)
      const body = await lane.send(ready[seen % ready.length] as Buffer)
      // Reading the answer is not measured.
      if (seen++ % 100 === 0 && !body.includes(mark)) throw new Error(`${path} answered without ${mark}`)
    },
  }
}

/**
 * One run an hour for a year, and one a minute since the day before yesterday. One run of 500 fails; a few checks were
 * down for half an hour every ten days, and are down now. Nothing is folded yet.
 */
export async function loadHistory(
  { pools: { machines } }: Stage['database'],
  { org_id, monitors }: BareArchive,
  spans: readonly (readonly [from: string, until: string, step: string])[],
): Promise<void> {
  for (const [from, until, step] of spans) {
    await insertRuns(machines, RUNS, [org_id, monitors, from, until, step, FAILING])
  }
  await machines.query(`update checks set created_at = now() - interval '1 year' where org_id = $1`, [org_id])
  await machines.query(INSERT_SCHEDULES, [org_id])
  await machines.query(INSERT_INCIDENTS, [org_id, FAILING])
  await machines.query(INSERT_EVENTS, [org_id, ERROR])
  const { rows } = await machines.query<{ id: number }>(INSERT_CHANNEL, [org_id])
  await machines.query(INSERT_DELIVERIES, [org_id, rows[0]?.id])
}
