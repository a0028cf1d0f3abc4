// Measures what a page of results costs, by its position: the first, the hundredth, the middle of one check's results, the
// page where sealed hours end, and the last one; and what the same pages cost where nothing is sealed.
import { type Archive, loadArchive, makeYear, settleTables } from '../lab/archive.ts'
import { makeDatabase } from '../lab/databases.ts'
import { request } from '../lab/lane.ts'
import { sealPast } from '../lab/sealing.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { sender, serveTarget } from './support/arms.ts'
import { compare, cpuPerUnit, p50 } from './support/report.ts'
import type { Arm } from './support/rounds.ts'

const ROWS = 10_000_000
/** Interval of the check. Ten million results are nearly a year. */
const EVERY_SEC = 3
const PAGE = 500
/** Enough that no token reaches its limit of requests. */
const TOKENS = 400

interface Year {
  stage: Stage
  archive: Archive
}

interface Page {
  results: unknown[]
  next?: { after: string; after_monitor: string }
}

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? ROWS
  const middle = Math.floor(rows / PAGE / 2)
  const [plain, sealed] = [await load(stage, 'plain', rows), await load(stage, 'sealed', rows)]
  const [hundredth, deep, last] = [
    await readStart(sealed, (Math.min(100, middle) - 1) * PAGE),
    await readStart(sealed, (middle - 1) * PAGE),
    await readStart(sealed, rows - PAGE),
  ]
  const deepPlain = await readStart(plain, (middle - 1) * PAGE)
  const until = await sealPast(sealed.stage)
  await settleTables(sealed.stage)
  // The first half of this page is in sealed hours.
  const both = { after: new Date(Date.parse(until) - (PAGE / 2) * EVERY_SEC * 1000).toISOString() }
  const [ofSealed, ofPlain] = [await openReader(sealed), await openReader(plain)]
  const arms = [
    ofSealed.samePage('page 1', {}),
    ofSealed.samePage('page 100', hundredth),
    ofSealed.samePage('page in the middle', deep),
    ofSealed.samePage('page in both', both),
    ofSealed.samePage('last page', last),
    ofSealed.pagesFrom('from the middle on', deep, middle),
    ofPlain.samePage('page 1, nothing sealed', {}),
    ofPlain.pagesFrom('from the middle on, nothing sealed', deepPlain, middle),
  ]
  const target = { atMost: 1.1 }
  await compare(stage.flags, arms, {
    title: `read: pages of ${PAGE} of one check's ${rows.toLocaleString('en-US')} results, sealed until ${until}; the middle is page ${middle}`,
    inFlight: 1,
    claims: [
      ['page 100 / page 1, p50', 'page 100', 'page 1', p50, target],
      ['middle / page 1, p50', 'page in the middle', 'page 1', p50, target],
      ['middle / page 1, CPU', 'page in the middle', 'page 1', cpuPerUnit(), target],
      ['page in both / page 1, p50', 'page in both', 'page 1', p50, target],
      ['last page / page 1, p50', 'last page', 'page 1', p50, target],
      ['from the middle on / page 1, CPU', 'from the middle on', 'page 1', cpuPerUnit()],
      ['page 1: sealed / rows, p50', 'page 1', 'page 1, nothing sealed', p50],
      ['from the middle on: sealed / rows, p50', 'from the middle on', 'from the middle on, nothing sealed', p50],
    ],
  })
})

async function load(given: Stage, name: string, rows: number): Promise<Year> {
  say(`${name}: loading ${rows.toLocaleString('en-US')} results of one check; ten million take one to three minutes`)
  const stage = await makeDatabase(given, name)
  await makeYear(stage)
  const archive = await loadArchive(stage, { checks: 1, results: rows, tokens: TOKENS, every_sec: EVERY_SEC })
  await settleTables(stage)
  return { stage, archive }
}

/** Reads the cursor after so many results from the database, while they are rows. */
async function readStart({ stage: { database }, archive: { org_id } }: Year, results: number) {
  const { rows } = await database.pools.machines.query<Record<'after' | 'after_monitor', string>>(
    `select wire_time(ran_at) as after, monitor_id as after_monitor from results
     where org_id = $1 order by check_id, ran_at, monitor_id offset $2 limit 1`,
    [org_id, results - 1],
  )
  if (!rows[0]) throw new Error(`there is nothing after ${results} results`)
  return rows[0]
}

type Query = Readonly<Record<string, string>>

async function openReader({ stage, archive: { guids, tokens } }: Year) {
  const target = await serveTarget(stage)
  let sent = 0
  const arm = (name: string, read: (get: (query: Query) => Promise<Buffer>) => Promise<unknown>): Arm => {
    const send = sender(target)
    const get = async (query: Query): Promise<Buffer> => {
      const key = tokens[sent++ % tokens.length] ?? ''
      return send(
        request('GET', `/checks/${guids[0]}/results?${new URLSearchParams(query)}`, { key, api: 'account-api' }),
      )
    }
    return { name, meters: target.meters, unitsPerStep: 1, step: async () => void (await read(get)) }
  }
  return {
    samePage: (name: string, query: Query): Arm =>
      arm(name, async (get) => {
        const body = await get(query)
        // To parse each response would take part of the measured time.
        if (sent % 100 === 0) parseFull(body)
      }),
    /** Reads each page from the end of the previous one, and from the start again before the results end. */
    pagesFrom: (name: string, query: Query, count: number): Arm => {
      let [next, read]: [Page['next'], number] = [undefined, 0]
      return arm(name, async (get) => {
        next = parseFull(await get(read++ % count > 0 && next ? { ...next } : query)).next
      })
    },
  }
}

function parseFull(body: Buffer): Page {
  const page = JSON.parse(body.toString()) as Page
  if (page.results.length !== PAGE) throw new Error(`a page of ${page.results.length} results`)
  return page
}
