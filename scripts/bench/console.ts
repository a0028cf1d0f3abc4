// Measures the cost of the console's pages in an organisation with many items: time, CPU, bytes, and how soon a browser shows
// them. Compares it with the cost of the account API's list of checks.

import { openSession } from '../../packages/domain/dist/people/sessions.js'
import { foldHistory } from '../../packages/domain/dist/results/history.js'
import { editStatusPage } from '../../packages/domain/dist/status-page/edit.js'
import { type BareArchive, depsOf, makeOrg, makeYear, mintTokens, settleTables } from '../lab/archive.ts'
import { launchChromium } from '../lab/chromium.ts'
import { insertRuns } from '../lab/recorded-rows.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { query } from '../lab/world.ts'
import { compare, cpuOf, type Fact, median, P50, printFacts } from './support/compare.ts'
import { cookieOf, openResponse, pageRequest, requests, serveTarget, type Target } from './support/requests.ts'

const CHECKS = 100
/** Number of checks of a second, larger organisation, whose list of checks must be nearly as fast. */
const MANY = 1000
const MANY_AT_MOST = 1.5
const MANY_BYTES = 60_000
const AT_MOST = 5
/** Number of tokens: the maximum of an organisation, so that no token reaches its limit of requests. */
const TOKENS = 50
const SLUG = 'the-shops'
/** Position of a check with an open incident and earlier ones. */
const FAILING = 7
/** Number of visits of each page by a browser. */
const VISITS = 7
const FIRST_PAINT = { atMost: 300 }
const FRAMES_PER_SEC = { atLeast: 58 }

/** Periods with results, each with the interval between the results. */
type Spans = readonly (readonly [from: string, until: string, step: string])[]

const A_YEAR: Spans = [
  ['366 days', '2 days', '1 hour'],
  ['2 days', '0', '1 minute'],
]
/** Period that the list of checks reads. */
const NINE_DAYS: Spans = [
  ['9 days', '25 hours', '1 hour'],
  ['25 hours', '0', '1 minute'],
]

// Every fourteenth check fails for half an hour every ten days, and now. In addition, one run in 500 fails.
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

/** Statements that add schedules and incidents, and an alert about each incident. */
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
     '{"error": "status 503 is not below 400; body does not contain \\"ready\\""}'
   from incidents i where i.org_id = $1`,
  `insert into notification_channels (org_id, name, kind, destination)
   values ($1, 'On call', 'webhook', '{"webhook_url": "https://hooks.example/"}')`,
  `insert into deliveries (org_id, event_id, channel_id, subject, state, attempts, created_at, last_attempt_at)
   select e.org_id, event_id, id, subject, 'delivered', 1, e.created_at, e.created_at
   from events e join notification_channels c using (org_id) where e.org_id = $1`,
]

interface Page {
  name: string
  path: string
  /** Headers of the requests, which use them in turn. */
  headers: readonly Readonly<Record<string, string>>[]
  /** Text that a complete response contains. */
  mark: string
}

/** Makes an organisation with results that are not summarised yet. */
async function makeShops(stage: Stage, checks: number, spans: Spans) {
  const org = await makeOrg(stage, checks, 'all')
  const { machines } = stage.database.pools
  for (const span of spans) await insertRuns(machines, RUNS, [org.org_id, org.monitors, ...span])
  for (const statement of AROUND_RUNS) await machines.query(statement, [org.org_id])
  return { ...org, headers: [cookieOf(await openSession(depsOf(stage), org.owner_id, org.org_id))] }
}

type Shops = BareArchive & Pick<Page, 'headers'>

/** Publishes a status page, and returns the pages of the organisation. */
async function openPages(stage: Stage, { org_id, guids, headers }: Shops) {
  const deps = depsOf(stage)
  const entries = guids.map((guid, n) => ({ kind: 'check' as const, guid, public_name: `Shop ${n}` }))
  await editStatusPage(deps, org_id, { slug: SLUG, title: 'The shops', description: '', entries })
  await query(stage, 'update organisations set status_page_enabled = true where org_id = $1', org_id)
  const [open] = await query<{ incident_id: string }>(
    stage,
    'select incident_id from incidents where org_id = $1 and ended_at is null limit 1',
    org_id,
  )
  const tokens = await mintTokens(deps, org_id, TOKENS)
  const page = (name: string, path: string, mark: string): Page => ({ name, path, headers, mark })
  const check = `/checks/${guids[FAILING]}`
  const last = guids.at(-1) ?? ''
  return {
    list: {
      ...page('account API: list of checks', '/account-api/v1/checks', last),
      headers: tokens.map((token) => ({ Authorization: `Bearer ${token}` })),
    },
    overview: page('overview', '/', 'Recent activity'),
    incident: page('an incident', `/incidents/${open?.incident_id}`, 'Timeline'),
    checks: page('list of checks', '/checks', last),
    others: [
      page('list of incidents', '/incidents', 'aria-label="Pagination"'),
      ...['24h', '30d', '1y'].map((span) => page(`a check, ${span}`, `${check}?period=${span}`, 'class="line l1"')),
      { ...page('public status page', `/status/${SLUG}`, `Shop ${guids.length - 1}`), headers: [{}] },
    ],
  }
}

/** Returns the compressed size of a page. */
async function bytesOf({ server }: Target, { path, headers }: Page): Promise<number> {
  const response = await openResponse(server, path, { ...headers[0], 'Accept-Encoding': 'gzip' })
  if (response.headers['content-encoding'] !== 'gzip') throw new Error(`${path} is not compressed`)
  return Buffer.concat((await response.toArray()) as Buffer[]).length
}

/** Resolves in the browser with the time from the beginning of the navigation to the first text or image. */
const PAINTED = `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
  .observe({ type: 'paint', buffered: true }))`

/**
 * Scrolls a page to its end, 40 pixels in each frame and for at most four seconds. Resolves with the number of frames per second.
 */
const SCROLL = `new Promise((resolve) => {
  const end = document.scrollingElement.scrollHeight - innerHeight
  let [began, frames] = [0, 0]
  const frame = (at) => {
    if (began === 0) began = at
    else frames++
    if (scrollY >= end - 1 || at - began > 4000) return resolve((frames * 1000) / Math.max(1, at - began))
    scrollBy({ top: 40, behavior: 'instant' })
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`

/** Measures how soon a real browser shows each page, at the first visit and with a filled cache, by the browser's own clock. */
async function paintFacts(origin: string, pages: readonly Page[]): Promise<Fact[]> {
  const browser = await launchChromium()
  const facts: Fact[] = []
  for (const { name, path, headers } of pages) {
    say(`${name} in a browser`)
    const [fresh, again, rates]: [number[], number[], number[]] = [[], [], []]
    // Ignores the first visit, which only warms up.
    for (let visit = -1; visit < VISITS; visit++) {
      const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 } })
      const [cookie = '', value = ''] = (headers[0]?.Cookie ?? '').split('=')
      await context.addCookies([{ name: cookie, value, url: origin }])
      const page = await context.newPage()
      const firstPaint = async () => {
        await page.goto(path, { waitUntil: 'load' })
        return page.evaluate<number>(PAINTED)
      }
      const measured = [await firstPaint(), await firstPaint(), await page.evaluate<number>(SCROLL)]
      await context.close()
      if (visit >= 0) for (const [n, values] of [fresh, again, rates].entries()) values.push(measured[n] ?? 0)
    }
    facts.push(
      [`${name}: first paint, nothing cached, ms`, median(fresh), 0, FIRST_PAINT],
      [`${name}: first paint, styles and scripts cached, ms`, median(again), 0, FIRST_PAINT],
      [`${name}: frames a second while it scrolls`, median(rates), 1, FRAMES_PER_SEC],
    )
  }
  await browser.close()
  return facts
}

await onStage(async (stage) => {
  say(`loading an organisation of ${CHECKS} checks and a year of history; it takes about a minute`)
  await makeYear(stage)
  const org = await makeShops(stage, CHECKS, A_YEAR)
  const { headers } = await makeShops(stage, MANY, NINE_DAYS)
  await foldHistory(depsOf(stage))
  await settleTables(stage)
  const target = await serveTarget(stage)
  const { list, overview, incident, checks, others } = await openPages(stage, org)
  const many: Page = { name: `list of ${MANY} checks`, path: '/checks', headers, mark: 'Page 1 of 10' }
  const pages = [overview, incident, checks, ...others]
  const arms = [list, ...pages, many].map((page) =>
    requests(page.name, target, page.mark, (index) =>
      pageRequest(page.path, page.headers[index % page.headers.length] ?? {}),
    ),
  )
  await compare(stage, arms, {
    title: `console: ${CHECKS} checks, a year of history`,
    inFlight: 1,
    claims: [
      ...pages.flatMap(({ name }) => [
        [name, list.name, P50, { atMost: AT_MOST }] as const,
        [name, list.name, cpuOf()] as const,
      ]),
      [many.name, checks.name, P50, { atMost: MANY_AT_MOST }],
      [many.name, checks.name, cpuOf()],
    ],
  })
  const ofList = await bytesOf(target, list)
  const bytes: Fact[] = [[`${list.name}, bytes of gzip`, ofList, 0]]
  for (const page of pages) {
    bytes.push([`${page.name} / list, bytes of gzip`, (await bytesOf(target, page)) / ofList, 2, { atMost: AT_MOST }])
  }
  printFacts([...bytes, [`${many.name}, bytes of gzip`, await bytesOf(target, many), 0, { atMost: MANY_BYTES }]])
  printFacts(await paintFacts(`http://127.0.0.1:${target.server.port}`, [overview, incident, many]))
})
