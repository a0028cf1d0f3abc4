// What a page of results costs depending on its position: the first, the hundredth, about the ten-thousandth of one check, those
// where sealed hours end, and the last one; and what the same pages cost where nothing is sealed.
import { fileURLToPath } from 'node:url'
import { type Archive, loadArchive, makeYear, settleTables } from '../lab/archive.ts'
import { makeDatabase } from '../lab/databases.ts'
import { Lane, request } from '../lab/lane.ts'
import { sealPast } from '../lab/sealing.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const ROWS = 10_000_000
/** So that ten million are nearly a year. */
const EVERY_SEC = 3
const PAGE = 500
const IN_FLIGHT = 1
const AT_MOST = 1.1
const APP = fileURLToPath(new URL('./support/app.ts', import.meta.url))

/** One of each database, started when it is sealed. */
const servers = new Map<Stage, BenchServer>()

interface Page {
  results: { ran_at: string; monitor_id: string }[]
  next?: { after: string; after_monitor: string }
}

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? ROWS
  const middle = Math.floor(rows / PAGE / 2)
  const plain = await load(stage, 'plain', rows)
  const sealed = await load(stage, 'sealed', rows)
  const [hundredth, deep, last, deepPlain] = [
    await startOf(sealed, (Math.min(100, middle) - 1) * PAGE),
    await startOf(sealed, (middle - 1) * PAGE),
    await startOf(sealed, rows - PAGE),
    await startOf(plain, (middle - 1) * PAGE),
  ]
  const until = await sealPast(sealed.stage)
  await settleTables(sealed.stage)
  const arms = [
    await samePage('page 1', sealed, ''),
    await samePage('page 100', sealed, hundredth),
    await samePage('page in the middle', sealed, deep),
    await samePage('page in both', sealed, bothSides(until)),
    await samePage('last page', sealed, last),
    await pagesFrom('from the middle on', sealed, deep, middle),
    await samePage('page 1, nothing sealed', plain, ''),
    await pagesFrom('from the middle on, nothing sealed', plain, deepPlain, middle),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  const number = middle.toLocaleString('en-US')
  process.stdout.write(
    `\nread: pages of ${PAGE} of one check's ${rows.toLocaleString('en-US')} results, sealed until ${until}; the middle is page ${number}\n\n`,
  )
  const [p50, cpu] = [percentile(0.5), cpuPerUnit()]
  printArms(measured, [
    { title: 'p50 ms', of: p50, digits: 2, spread: true },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'pages/s', of: unitsPerSec, digits: 0 },
  ])
  const claim = { bottom: 'page 1', of: p50, target: { atMost: AT_MOST } }
  printClaims(measured, [
    { ...claim, what: 'page 100 / page 1, p50', top: 'page 100' },
    { ...claim, what: 'middle / page 1, p50', top: 'page in the middle' },
    { ...claim, what: 'middle / page 1, CPU', top: 'page in the middle', of: cpu },
    { ...claim, what: 'page in both / page 1, p50', top: 'page in both' },
    { ...claim, what: 'last page / page 1, p50', top: 'last page' },
    { what: 'from the middle on / page 1, CPU', top: 'from the middle on', bottom: 'page 1', of: cpu },
    { what: 'page 1: sealed / rows, p50', top: 'page 1', bottom: 'page 1, nothing sealed', of: p50 },
    {
      ...{ what: 'from the middle on: sealed / rows, p50', of: p50 },
      ...{ top: 'from the middle on', bottom: 'from the middle on, nothing sealed' },
    },
  ])
})

async function load(given: Stage, name: string, rows: number): Promise<Setting> {
  say(`${name}: loading ${rows.toLocaleString('en-US')} results of one check; ten million take one to three minutes`)
  const stage = await makeDatabase(given, name)
  await makeYear(stage)
  const archive = await loadArchive(stage, { checks: 1, results: rows, tokens: 1, every_sec: EVERY_SEC })
  await settleTables(stage)
  return { stage, archive }
}

/** The query for a page of which the first half is in sealed hours. */
function bothSides(until: string): string {
  const after = new Date(Date.parse(until) - (PAGE / 2) * EVERY_SEC * 1000).toISOString()
  return `?${new URLSearchParams({ after })}`
}

interface Setting {
  stage: Stage
  archive: Archive
}

/** The query for the page after so many results, while they are rows. Its cursor is determined without the server. */
async function startOf({ stage: { database }, archive: { org_id, guids } }: Setting, results: number): Promise<string> {
  const { rows } = await database.pools.machines.query<{ after: string; after_monitor: string }>(
    `select wire_time(ran_at) as after, monitor_id as after_monitor from results
     where org_id = $1 and check_id = (select check_id from check_guids where guid = $2)
     order by ran_at, monitor_id offset $3 limit 1`,
    [org_id, guids[0], results - 1],
  )
  if (!rows[0]) throw new Error(`there is nothing after ${results} results`)
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

async function arm(name: string, { stage }: Setting, read: (lane: Lane) => Promise<void>): Promise<Arm> {
  const server: BenchServer = await (servers.get(stage) ?? stage.serve({ BENCH_TOKEN_LIMITS: 'off' }, APP))
  servers.set(stage, server)
  let lane: Lane | undefined
  return {
    name,
    meters: [server.meter, stage.postgres],
    unitsPerStep: 1,
    step: async (index) => {
      // The server closes connections that are idle while other arms are measured.
      if (index === 0) lane?.close()
      if (index === 0 || !lane) lane = await Lane.open(server.port)
      await read(lane)
    },
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
