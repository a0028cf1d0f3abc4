// What a page of results costs depending on its position: the first, the hundredth and about the ten-thousandth of one
// check.
import { fileURLToPath } from 'node:url'
import { type Archive, loadArchive, makeYear, settleTables } from '../lab/archive.ts'
import { type Lane, openLanes, request } from '../lab/lane.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const ROWS = 10_000_000
const PAGE = 500
const IN_FLIGHT = 1
const APP = fileURLToPath(new URL('./support/app.ts', import.meta.url))

interface Page {
  results: { ran_at: string; monitor_id: string }[]
  next?: { after: string; after_monitor: string }
}

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? ROWS
  say(`loading ${rows.toLocaleString('en-US')} results of one check; ten million take one to three minutes`)
  await makeYear(stage)
  const archive = await loadArchive(stage, { checks: 1, results: rows, tokens: 1 })
  await settleTables(stage)
  const server = await stage.serve({ BENCH_TOKEN_LIMITS: 'off' }, APP)
  const middle = Math.floor(rows / PAGE / 2)
  const deep = await startOf(stage, archive, middle)
  const arms = [
    await samePage('page 1', { stage, server, archive }, ''),
    await samePage('page 100', { stage, server, archive }, await startOf(stage, archive, Math.min(100, middle))),
    await samePage('page in the middle', { stage, server, archive }, deep),
    await pagesFrom('from the middle on', { stage, server, archive }, deep, middle),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  const number = middle.toLocaleString('en-US')
  process.stdout.write(
    `\nread: pages of ${PAGE} of one check's ${rows.toLocaleString('en-US')} results; the middle is page ${number}\n\n`,
  )
  const [p50, cpu] = [percentile(0.5), cpuPerUnit()]
  printArms(measured, [
    { title: 'p50 ms', of: p50, digits: 2, spread: true },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'pages/s', of: unitsPerSec, digits: 0 },
  ])
  const claim = { bottom: 'page 1', target: { atMost: 1.3 } }
  printClaims(measured, [
    { ...claim, what: 'page 100 / page 1, p50', top: 'page 100', of: p50 },
    { ...claim, what: 'middle / page 1, p50', top: 'page in the middle', of: p50 },
    { ...claim, what: 'middle / page 1, CPU', top: 'page in the middle', of: cpu },
    { what: 'from the middle on / page 1, CPU', top: 'from the middle on', bottom: 'page 1', of: cpu },
  ])
})

interface Setting {
  stage: Stage
  server: BenchServer
  archive: Archive
}

/** The query for that page. Its cursor is determined without the server. */
async function startOf({ database }: Stage, { org_id, guids }: Archive, page: number): Promise<string> {
  const { rows } = await database.pools.machines.query<{ after: string; after_monitor: string }>(
    `select wire_time(ran_at) as after, monitor_id as after_monitor from results
     where org_id = $1 and check_id = (select check_id from check_guids where guid = $2)
     order by ran_at, monitor_id offset $3 limit 1`,
    [org_id, guids[0], (page - 1) * PAGE - 1],
  )
  if (!rows[0]) throw new Error(`there is no page ${page}`)
  return `?${new URLSearchParams({ ...rows[0] })}`
}

/** The same page again and again. */
function samePage(name: string, setting: Setting, query: string): Promise<Arm> {
  const ready = pageRequest(setting, query)
  let seen = 0
  return arm(name, setting, async (lane) => {
    const body = await lane.send(ready)
    // Reading the answer is not measured.
    if (seen++ % 100 === 0) requireFull(body)
  })
}

/** Each page from where the last one ended, as a reader continues; from the start again before the results end. */
function pagesFrom(name: string, setting: Setting, query: string, count: number): Promise<Arm> {
  let [next, read]: [Page['next'], number] = [undefined, 0]
  return arm(name, setting, async (lane) => {
    const where = read++ % count > 0 && next ? `?${new URLSearchParams({ ...next })}` : query
    next = requireFull(await lane.send(pageRequest(setting, where))).next
  })
}

async function arm(name: string, { stage, server }: Setting, read: (lane: Lane) => Promise<void>): Promise<Arm> {
  const lanes = await openLanes(server.port, IN_FLIGHT)
  return {
    name,
    meters: [server.meter, stage.postgres],
    unitsPerStep: 1,
    step: (_index, lane) => read(lanes[lane] as Lane),
  }
}

function pageRequest({ archive: { guids, tokens } }: Setting, query: string): Buffer {
  return request('GET', `/checks/${guids[0]}/results${query}`, { key: tokens[0] ?? '', api: 'account-api' })
}

function requireFull(body: Buffer): Page {
  const page = JSON.parse(body.toString()) as Page
  if (page.results.length !== PAGE) throw new Error(`a page held ${page.results.length} results`)
  return page
}
