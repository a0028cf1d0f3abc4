// What the pages of a full org cost compared with the account API's list of checks: time, CPU and bytes.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { DEFAULT_BOUNDS } from '../../packages/server/dist/domain/limits/bounds.js'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { editStatusPage } from '../../packages/server/dist/domain/status-page/edit.js'
import { type BareArchive, depsOf, makeOrg, makeYear, settleTables } from '../lab/archive.ts'
import { Lane } from '../lab/lane.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { paintFacts } from './console/paint.ts'
import { cpuPerUnit, percentile, printArms, printClaims, printFacts } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const CHECKS = 100
/** Of another org, whose list has to be nearly as fast. */
const MANY = 1_000
const THE_MANY = `the ${MANY} checks`
const THE_CHECKS = 'the checks'
const THE_OVERVIEW = 'the overview'
const AN_INCIDENT = 'an incident'
const MANY_AT_MOST = 1.5
const MANY_BYTES = 60_000
const SLUG = 'the-shops'
const AT_MOST = 5
const LIST = 'account API: list of checks'
// As many as an org may have: so many that none reaches its limit.
const TOKENS = 50

/** The check that is down now, and was before. */
const FAILING = 7
const ERROR = 'status 503 is not below 400; body does not contain "ready"'

const A_YEAR = [
  ['366 days', '2 days', '1 hour'],
  ['2 days', '0', '1 minute'],
] as const
/** What the list reads. */
const NINE_DAYS = [
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
  insert into notification_channels (org_id, name, kind, destination, ntfy_topic, webhook_url, webhook_secret)
  values ($1, 'On call', 'webhook', '{"webhook_url": "https://hooks.example/"}', '', 'https://hooks.example/', '') returning id`
const INSERT_EVENTS = `
  insert into events (org_id, event_id, type, created_at, subject, check_id, incident_id, data)
  select i.org_id, gen_random_uuid()::text, 'check.down', i.began_at, 'check:' || i.check_id, i.check_id, i.incident_id,
    jsonb_build_object('error', $2::text)
  from incidents i where i.org_id = $1`
const INSERT_DELIVERIES = `
  insert into deliveries (org_id, event_id, channel_id, subject, state, attempts, created_at, last_attempt_at)
  select org_id, event_id, $2, subject, 'delivered', 1, created_at, created_at from events where org_id = $1`

await onStage(async (stage) => {
  say(`loading an org of ${CHECKS} checks and a year of history; it takes about a minute`)
  await makeYear(stage)
  const org = await makeOrg(stage, CHECKS, 'all')
  await loadHistory(stage, org, A_YEAR)
  const many = await makeOrg(stage, MANY, 'all')
  await loadHistory(stage, many, NINE_DAYS)
  await settleTables(stage)
  const server = await stage.serve()
  const asked = [...(await whatIsAsked(stage, org)), await listOfMany(stage, many)]
  const arms = asked.map((one) => arm(stage, server, one))
  const measured = await interleave(arms, { ...stage.flags, inFlight: 1 })
  process.stdout.write(`\nconsole: ${CHECKS} checks, a year of history; requests one at a time\n\n`)
  const [p50, cpu] = [percentile(0.5), cpuPerUnit()]
  printArms(measured, [
    { title: 'p50 ms', of: p50, digits: 2, spread: true },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits: 0 },
  ])
  const target = { atMost: AT_MOST }
  const pages = asked.slice(1, -1).map(({ name }) => name)
  const [top, bottom] = [THE_MANY, THE_CHECKS]
  printClaims(measured, [
    ...pages.map((top) => ({ what: `${top} / list, p50`, top, bottom: LIST, of: p50, target })),
    ...pages.map((top) => ({ what: `${top} / list, CPU`, top, bottom: LIST, of: cpu })),
    { what: `${top} / ${bottom}, p50`, top, bottom, of: p50, target: { atMost: MANY_AT_MOST } },
    { what: `${top} / ${bottom}, CPU`, top, bottom, of: cpu },
  ])
  await compareBytes(server, asked)
  const painted = asked.filter(({ name }) => [THE_OVERVIEW, AN_INCIDENT, THE_MANY].includes(name))
  printFacts(await paintFacts(`http://127.0.0.1:${server.port}`, painted))
})

interface Asked {
  name: string
  path: string
  /** One of these per request, in turn. */
  headers: readonly Readonly<Record<string, string>>[]
  /** Text that a complete answer contains. */
  mark: string
}

/** The list first, then the pages. */
async function whatIsAsked(stage: Stage, { org_id, owner_id, guids }: BareArchive): Promise<Asked[]> {
  const deps = depsOf(stage)
  const entries = guids.map((guid, n) => ({ kind: 'check' as const, guid, public_name: `Shop ${n}`, order: n }))
  await editStatusPage(deps, org_id, { slug: SLUG, title: 'The shops', description: '', entries })
  await stage.database.pools.machines.query('update organisations set status_page_enabled = true where org_id = $1', [
    org_id,
  ])
  const bounds = { ...DEFAULT_BOUNDS, tokens_per_org: TOKENS, tokens_per_person: TOKENS }
  const bearers: { Authorization: string }[] = []
  for (let n = 0; n < TOKENS; n++) {
    bearers.push({ Authorization: `Bearer ${(await createPersonalToken({ ...deps, bounds }, org_id)).token}` })
  }
  const headers = [{ Cookie: `dogwatch-session=${await openSession(deps, owner_id, org_id)}` }]
  const check = (name: string, period: string): Asked => ({
    name: `a check, ${name}`,
    path: `/checks/${guids[FAILING]}?period=${period}`,
    headers,
    mark: 'class="line l1"',
  })
  const { rows } = await stage.database.pools.machines.query<{ incident_id: string }>(
    'select incident_id from incidents where org_id = $1 and ended_at is null limit 1',
    [org_id],
  )
  return [
    { name: LIST, path: '/account-api/v1/checks', headers: bearers, mark: guids.at(-1) ?? '' },
    { name: THE_OVERVIEW, path: '/', headers, mark: 'What changed lately' },
    { name: 'the incidents', path: '/incidents', headers, mark: 'Pages of incidents' },
    { name: AN_INCIDENT, path: `/incidents/${rows[0]?.incident_id}`, headers, mark: 'Timeline' },
    { name: THE_CHECKS, path: '/checks', headers, mark: guids.at(-1) ?? '' },
    check('24 h', '24h'),
    check('30 d', '30d'),
    check('1 year', '1y'),
    { name: 'public status page', path: `/status/${SLUG}`, headers: [{}], mark: `Shop ${CHECKS - 1}` },
  ]
}

async function listOfMany(stage: Stage, { org_id, owner_id }: BareArchive): Promise<Asked> {
  const headers = [{ Cookie: `dogwatch-session=${await openSession(depsOf(stage), owner_id, org_id)}` }]
  return { name: THE_MANY, path: '/checks', headers, mark: 'Page 1 of 10' }
}

function arm({ postgres }: Stage, server: BenchServer, { name, path, headers, mark }: Asked): Arm {
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

async function compareBytes(server: BenchServer, asked: readonly Asked[]): Promise<void> {
  const sizes = []
  for (const one of asked) {
    sizes.push({
      name: one.name,
      plain: await bytesOf(server, one, 'identity'),
      gzip: await bytesOf(server, one, 'gzip'),
    })
  }
  const many = sizes.pop()
  const [list, ...pages] = sizes
  if (!list || !many) return
  printFacts([
    { what: `${many.name}, bytes of gzip`, value: many.gzip, digits: 0, atMost: MANY_BYTES },
    ...sizes.map(({ name, plain }) => ({ what: `${name}, bytes`, value: plain, digits: 0 })),
    // What crosses the network is compressed.
    ...pages.map(({ name, plain }) => ({ what: `${name} / list`, value: plain / list.plain })),
    ...sizes.map(({ name, gzip }) => ({ what: `${name}, bytes of gzip`, value: gzip, digits: 0 })),
    ...pages.map(({ name, gzip }) => ({ what: `${name} / list, gzip`, value: gzip / list.gzip, atMost: AT_MOST })),
  ])
}

/** Size of the body as it is sent. */
async function bytesOf({ port }: BenchServer, { path, headers }: Asked, encoding: string): Promise<number> {
  const request = get({ port, host: '127.0.0.1', path, headers: { ...headers[0], 'Accept-Encoding': encoding } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if ((response.headers['content-encoding'] ?? 'identity') !== encoding) throw new Error(`${path} is not ${encoding}`)
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return bytes
}

/**
 * One run an hour for a year, and one a minute since the day before yesterday. One run of 500 fails; a few checks were
 * down for half an hour every ten days, and are down now. Folded by the product's own chore.
 */
async function loadHistory(
  stage: Stage,
  { org_id, monitors }: BareArchive,
  spans: readonly (readonly [from: string, until: string, step: string])[],
): Promise<void> {
  const { machines } = stage.database.pools
  for (const [from, until, step] of spans) {
    await insertRuns(machines, RUNS, [org_id, monitors, from, until, step, FAILING])
  }
  await machines.query(`update checks set created_at = now() - interval '1 year' where org_id = $1`, [org_id])
  await machines.query(INSERT_SCHEDULES, [org_id])
  await machines.query(INSERT_INCIDENTS, [org_id, FAILING])
  await machines.query(INSERT_EVENTS, [org_id, ERROR])
  const { rows } = await machines.query<{ id: number }>(INSERT_CHANNEL, [org_id])
  await machines.query(INSERT_DELIVERIES, [org_id, rows[0]?.id])
  await foldHistory(depsOf(stage))
}
