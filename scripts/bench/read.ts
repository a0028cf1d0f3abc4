// Measures the cost of a page of results at five positions: the first page, the hundredth, the middle of one check's results, the
// page at the end of the sealed hours, and the last one. Measures the same pages where nothing is sealed.
// npm run bench -- read [--rows N] [--rounds N] [--seconds N] [--profile DIRECTORY]
import { type Archive, loadArchive, makeYear, settleTables } from '../lab/archive.ts'
import { request, textOf } from '../lab/lane.ts'
import { readFlags } from '../lab/proof.ts'
import { sealPast } from '../lab/sealing.ts'
import { BENCH_FLAGS, makeDatabase, onStage, type Stage, say } from '../lab/stage.ts'
import { query } from '../lab/world.ts'
import { type Arm, compare, cpuOf, P50 } from './support/compare.ts'
import { sender, serveTarget } from './support/requests.ts'

const flags = readFlags({ ...BENCH_FLAGS, rows: { type: 'string', default: '10000000' } })
/** Interval of the check. Ten million results are nearly a year. */
const EVERY_SEC = 3
const PAGE = 500
/** Number of tokens, so that no token reaches its limit of requests. */
const TOKENS = 400

interface Year extends Archive {
  stage: Stage
}

type Query = Readonly<Record<string, string>>

await onStage(flags, async (stage) => {
  const rows = Number(flags.rows)
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
  // Position of a page whose first half is in sealed hours, and whose second half is in rows.
  const both = { after: new Date(Date.parse(until) - (PAGE / 2) * EVERY_SEC * 1000).toISOString() }
  const [ofSealed, ofPlain] = [await openReader(sealed), await openReader(plain)]
  const arms = [
    ofSealed('page 1', {}),
    ofSealed('page 100', hundredth),
    ofSealed('page in the middle', deep),
    ofSealed('page in both', both),
    ofSealed('last page', last),
    ofSealed('from the middle on', deep, middle),
    ofPlain('page 1, in rows', {}),
    ofPlain('from the middle on, in rows', deepPlain, middle),
  ]
  const target = { atMost: 1.1 }
  await compare(stage, arms, {
    title: `read: pages of ${PAGE} of one check's ${rows.toLocaleString('en-US')} results, sealed until ${until}; the middle is page ${middle}`,
    inFlight: 1,
    claims: [
      ['page 100', 'page 1', P50, target],
      ['page in the middle', 'page 1', P50, target],
      ['page in the middle', 'page 1', cpuOf(), target],
      ['page in both', 'page 1', P50, target],
      ['last page', 'page 1', P50, target],
      ['from the middle on', 'page 1', cpuOf()],
      ['page 1', 'page 1, in rows', P50],
      ['from the middle on', 'from the middle on, in rows', P50],
    ],
  })
})

async function load(given: Stage, name: string, rows: number): Promise<Year> {
  say(`${name}: loading ${rows.toLocaleString('en-US')} results of one check; ten million take one to three minutes`)
  const stage = await makeDatabase(given, name)
  await makeYear(stage)
  const archive = await loadArchive(stage, { checks: 1, results: rows, tokens: TOKENS, every_sec: EVERY_SEC })
  await settleTables(stage)
  return { ...archive, stage }
}

/** Reads the cursor after the given number of results from the database, before these results are sealed. */
async function readStart({ stage, org_id }: Year, results: number): Promise<Query> {
  const [row] = await query<Record<'after' | 'after_monitor', string>>(
    stage,
    `select wire_time(ran_at) as after, monitor_id as after_monitor from results
     where org_id = $1 order by check_id, ran_at, monitor_id offset $2 limit 1`,
    org_id,
    results - 1,
  )
  if (!row) throw new Error(`there is nothing after ${results} results`)
  return row
}

/** Returns a function that makes arms. An arm reads `count` pages in sequence, again and again. */
async function openReader({ stage, guids, tokens }: Year) {
  const target = await serveTarget(stage)
  let sent = 0
  return (name: string, start: Query, count = 1): Arm => {
    const send = sender(target)
    let [next, read] = [start, 0]
    return {
      ...{ name, meters: target.meters },
      step: async () => {
        const key = tokens[sent++ % tokens.length] ?? ''
        const path = `/checks/${guids[0]}/results?${new URLSearchParams(next)}`
        const answer = await send(request('GET', path, { key, api: 'account-api' }))
        // Parses only some responses, because parsing each one would take part of the measured time.
        if (count === 1 && sent % 100 > 0) return
        const page = JSON.parse(textOf(answer)) as { results: unknown[]; next?: Query }
        if (page.results.length !== PAGE) throw new Error(`a page of ${page.results.length} results`)
        next = ++read % count > 0 && page.next ? page.next : start
      },
    }
  }
}
