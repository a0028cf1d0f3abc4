// Makes an organisation with a year of history as the console's pages show it, and lists the pages.
import { DEFAULT_BOUNDS } from '../../../packages/server/dist/domain/limits/bounds.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import { editStatusPage } from '../../../packages/server/dist/domain/status-page/edit.js'
import { type BareArchive, depsOf } from '../../lab/archive.ts'
import { insertRuns } from '../../lab/recorded-rows.ts'
import type { Stage } from '../../lab/stage.ts'
import { cookieOf } from '../support/arms.ts'

const SLUG = 'the-shops'
/** The most that an organisation may have, so that no token reaches its limit. */
const TOKENS = 50
/** Position of the check that is down now, and was before. */
const FAILING = 7
const ERROR = 'status 503 is not below 400; body does not contain "ready"'

/** Spans of results, each with its interval. */
type Spans = readonly (readonly [from: string, until: string, step: string])[]

export const A_YEAR: Spans = [
  ['366 days', '2 days', '1 hour'],
  ['2 days', '0', '1 minute'],
]
/** The time that the list of checks reads. */
export const NINE_DAYS: Spans = [
  ['9 days', '25 hours', '1 hour'],
  ['25 hours', '0', '1 minute'],
]

// Every fourteenth check is one of the few that fail for longer.
const RUNS = `
  select $1::bigint as org_id, n.check_id, n.ran_at, n.ok as success, ($2::text[])[1 + n.run % cardinality($2::text[])] as monitor_id,
    n.run
  from (
    select check_id, t + make_interval(secs => place % 60) as ran_at, run,
      (run * 31 + place * 17) % 500 > 0 and (place % 14 <> ${FAILING} or minutes % 14400 >= 30) as ok
    from (
      select check_id, row_number() over (order by check_id) - 1 as place from checks where org_id = $1) c
    cross join (
      select t, row_number() over (order by t) as run, floor(extract(epoch from now() - t) / 60)::bigint as minutes
      from generate_series(date_trunc('minute', now() - $3::interval), now() - $4::interval - interval '1 minute',
        $5::interval) t) r) n`

/** Statements that add schedules, incidents, and an alert about each incident. */
const AROUND_RUNS = [
  `update checks set created_at = now() - interval '1 year' where org_id = $1`,
  `insert into check_schedules (org_id, check_id, since, interval_sec, run_by, watched_since)
   select c.org_id, c.check_id, r.since, c.interval_sec, 0, r.since
   from checks c cross join lateral (
     select min(ran_at) as since from results where org_id = c.org_id and check_id = c.check_id) r
   where c.org_id = $1`,
  `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
   select $1, gen_random_uuid()::text, check_id, at, at, case when ago > 0 then at + interval '30 minutes' end,
     case when ago > 0 then 'recovered' end
   from (select check_id, row_number() over (order by check_id) - 1 as place from checks where org_id = $1) c
   cross join (
     select ago, now() - interval '30 minutes' - ago * interval '10 days' as at from generate_series(0, 35) ago) i
   where place % 14 = ${FAILING}`,
  `insert into events (org_id, event_id, type, created_at, subject, check_id, incident_id, data)
   select i.org_id, gen_random_uuid()::text, 'check.down', i.began_at, 'check:' || i.check_id, i.check_id, i.incident_id,
     jsonb_build_object('error', '${ERROR}')
   from incidents i where i.org_id = $1`,
  `insert into notification_channels (org_id, name, kind, destination)
   values ($1, 'On call', 'webhook', '{"webhook_url": "https://hooks.example/"}')`,
  `insert into deliveries (org_id, event_id, channel_id, subject, state, attempts, created_at, last_attempt_at)
   select e.org_id, event_id, id, subject, 'delivered', 1, created_at, created_at
   from events e join notification_channels c using (org_id) where e.org_id = $1`,
]

/**
 * Loads runs into these spans. One of 500 fails; a few checks are down for half an hour every ten days, and now. Nothing is
 * summarised yet.
 */
export async function loadHistory(
  { pools: { machines } }: Stage['database'],
  { org_id, monitors }: BareArchive,
  spans: Spans,
): Promise<void> {
  for (const span of spans) await insertRuns(machines, RUNS, [org_id, monitors, ...span])
  for (const statement of AROUND_RUNS) await machines.query(statement, [org_id])
}

export interface Page {
  name: string
  path: string
  /** Headers of the requests, in turn. */
  headers: readonly Readonly<Record<string, string>>[]
  /** Text that a complete response contains. */
  mark: string
}

/** Signs the owners in, publishes a status page, and returns the pages of the organisations. */
export async function openPages(stage: Stage, { org_id, owner_id, guids }: BareArchive, many: BareArchive) {
  const deps = depsOf(stage)
  const { machines } = stage.database.pools
  const entries = guids.map((guid, n) => ({ kind: 'check' as const, guid, public_name: `Shop ${n}` }))
  await editStatusPage(deps, org_id, { slug: SLUG, title: 'The shops', description: '', entries })
  await machines.query('update organisations set status_page_enabled = true where org_id = $1', [org_id])
  const bounds = { ...DEFAULT_BOUNDS, tokens_per_org: TOKENS, tokens_per_person: TOKENS }
  const bearers: { Authorization: string }[] = []
  for (let n = 0; n < TOKENS; n++) {
    bearers.push({ Authorization: `Bearer ${(await createPersonalToken({ ...deps, bounds }, org_id)).token}` })
  }
  const { rows } = await machines.query<{ incident_id: string }>(
    'select incident_id from incidents where org_id = $1 and ended_at is null limit 1',
    [org_id],
  )
  const headers = [cookieOf(await openSession(deps, owner_id, org_id))]
  const page = (name: string, path: string, mark: string): Page => ({ name, path, headers, mark })
  const check = (name: string, period: string) =>
    page(`a check, ${name}`, `/checks/${guids[FAILING]}?period=${period}`, 'class="line l1"')
  const overview = page('the overview', '/', 'Recent activity')
  const incident = page('an incident', `/incidents/${rows[0]?.incident_id}`, 'Timeline')
  const checks = page('the checks', '/checks', guids.at(-1) ?? '')
  const manyChecks: Page = {
    ...page(`the ${many.guids.length} checks`, '/checks', 'Page 1 of 10'),
    headers: [cookieOf(await openSession(deps, many.owner_id, many.org_id))],
  }
  const pages: Page[] = [
    overview,
    page('the incidents', '/incidents', 'aria-label="Pagination"'),
    incident,
    checks,
    ...[check('24 h', '24h'), check('30 d', '30d'), check('1 year', '1y')],
    { ...page('public status page', `/status/${SLUG}`, `Shop ${guids.length - 1}`), headers: [{}] },
  ]
  const list = {
    ...page('account API: list of checks', '/account-api/v1/checks', guids.at(-1) ?? ''),
    headers: bearers,
  }
  return { list, pages, checks, manyChecks, painted: [overview, incident, manyChecks] }
}
