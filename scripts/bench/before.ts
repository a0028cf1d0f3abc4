// What our build costs against that of an earlier commit, by processor time: each serves a database of its own with equal rows, in
// one Postgres, in turns. The rows are made on the schema of the earlier build, organisations and fleets by its own functions and the rest by
// our statements, so its tables must have the columns that these name. Ours gets a copy, which it migrates. A process may be a tenth
// quicker than another of the same build for as long as it lives, so servers are started anew for every few rounds.
// npm run bench -- before --from COMMIT [--build FOLDER] [--only PART] [--rounds N] [--seconds N] [--rows N]
//   --build: where the build of that commit is made already
import { batchMaker } from './support/batches.ts'
import { openBuild, type Pair, type Past, pairOf } from './before/pair.ts'
import { CHECKS_EACH } from '../lab/fleet.ts'
import { request } from '../lab/lane.ts'
import { insertArchive } from '../lab/archive.ts'
import { RECOMMENDED } from '../lab/capacity/steps.ts'
import { onBareStage, onPart, say, type Stage } from '../lab/stage.ts'
import {
  A_YEAR,
  type Asked,
  CHECKS,
  listOfMany,
  loadHistory,
  MANY,
  NINE_DAYS,
  pageArm,
  whatIsAsked,
} from './support/console-org.ts'
import { cpuPerUnit, percentile, printArms, printClaims } from './support/report.ts'
import { type Arm, interleave, type Slice } from './support/rounds.ts'
import { exports, requests, type Side, syncs, uploads } from './support/sides.ts'

const ROWS = 1_000_000
/** Pages of a check that runs so often are nearly as long as those of most. */
const EVERY_SEC = 30
const TOKENS = 20
const IN_FLIGHT = 4
const AT_MOST = 1.03
/** So many rounds are measured with the same two servers. */
const ROUNDS_EACH = 3

const PARTS = { pages, results, sync, ingest }

await onBareStage(async (bare) => {
  const { only } = bare.flags
  const wanted = Object.entries(PARTS).filter(([name]) => only === undefined || only === name)
  if (wanted.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`)
  const past = await openBuild(bare)
  for (const [name, measure] of wanted) {
    say(`${name}: on the schema of ${past.commit}`)
    await onPart(bare, RECOMMENDED, (stage) => measure(stage, past))
  }
})

/** Pages of the console, and the account API's list of checks. */
async function pages(stage: Stage, past: Past): Promise<void> {
  const pair = await pairOf<Asked[]>(stage, past, {
    load: async ({ stage: { database }, archive, makers, deps }) => {
      const org = await archive.makeOrg(CHECKS)
      await loadHistory(database, org, A_YEAR)
      const many = await archive.makeOrg(MANY)
      await loadHistory(database, many, NINE_DAYS)
      return [...(await whatIsAsked(database, deps, org, makers)), await listOfMany(deps, many, makers)]
    },
  })
  const what = `${CHECKS} and ${MANY} checks; figures per page`
  await compare(pair, (side) => pair.loaded.map((asked) => pageOf(side, asked)), { what, inFlight: 1 })
}

function pageOf(side: Side, asked: Asked): Arm {
  const [meter] = side.meters
  if (!meter) throw new Error('a side without a database')
  return { ...pageArm(side.server, meter, asked), name: `${side.name} ${asked.name}` }
}

/** Pages of one check's results, and an export of them. */
async function results(stage: Stage, past: Past): Promise<void> {
  const rows = stage.flags.rows ?? ROWS
  const pair = await pairOf(stage, past, {
    unlimited: true,
    load: async ({ stage: { database }, archive, makers, deps }) => {
      const org = await archive.makeOrg(1)
      await insertArchive(database, org, { results: rows, every_sec: EVERY_SEC })
      const tokens: string[] = []
      for (let n = 0; n < TOKENS; n++) tokens.push((await makers.createPersonalToken(deps, org.org_id)).token)
      return { path: `/checks/${org.guids[0]}/results`, tokens, middle: await middleOf(database, org.org_id, rows) }
    },
  })
  const { path, tokens, middle } = pair.loaded
  const armsOf = (side: Side): Arm[] => {
    const of = (query: string) => tokens.map((key) => request('GET', path + query, { key, api: 'account-api' }))
    const forget = "delete from rate_limits where starts_with(key, 'export-org:')"
    const whole = exports(side, tokens, rows)
    const step: Arm['step'] = async (index, lane) => {
      await side.stage.database.pools.machines.query(forget)
      await whole.step(index, lane)
    }
    return [requests(side, 'first page', of('')), requests(side, 'page in the middle', of(middle)), { ...whole, step }]
  }
  const what = `pages of one check's ${rows.toLocaleString('en-US')} results, and an export of them`
  await compare(pair, armsOf, { what, inFlight: 1, firstSteps: 2 })
}

/** The query for the page in the middle. */
async function middleOf({ pools }: Stage['database'], org_id: number, rows: number): Promise<string> {
  const found = await pools.machines.query<{ after: string; after_monitor: string }>(
    `select wire_time(ran_at) as after, monitor_id as after_monitor from results
     where org_id = $1 order by check_id, ran_at, monitor_id offset $2 limit 1`,
    [org_id, Math.floor(rows / 2)],
  )
  return `?${new URLSearchParams({ ...found.rows[0] })}`
}

/** Syncs of monitors, and their pings. */
async function sync(stage: Stage, past: Past): Promise<void> {
  const pair = await pairOf(stage, past, { load: ({ fleet }) => fleet() })
  const pings = pair.loaded.map(({ key }) => request('GET', '/ping', { key }))
  const armsOf = async (side: Side): Promise<Arm[]> => [
    requests(side, 'ping', pings),
    ...(await syncs(side, pair.loaded)),
  ]
  await compare(pair, armsOf, { what: `monitors with ${CHECKS_EACH} checks each`, inFlight: IN_FLIGHT })
}

/** Uploads as agents send them: with what they read and how long it took, and one failure in a hundred. */
async function ingest(stage: Stage, past: Past): Promise<void> {
  const pair = await pairOf(stage, past, { load: ({ fleet }) => fleet() })
  const what = `uploads of ${CHECKS_EACH} results, one of a hundred a failure; figures per result`
  const armsOf = (side: Side): Arm[] => [uploads(side, 'upload', batchMaker(pair.loaded))]
  await compare(pair, armsOf, { what, inFlight: IN_FLIGHT, digits: 1 })
}

interface Measured {
  name: string
  slices: Slice[]
}

interface Told {
  what: string
  inFlight: number
  firstSteps?: number
  digits?: number
}

/** Of one side, with the same names for both. */
type ArmsOf = (side: Side) => Arm[] | Promise<Arm[]>

async function compare(pair: Pair<unknown>, armsOf: ArmsOf, { what, digits = 0, ...plan }: Told): Promise<void> {
  const { stage, past } = pair
  const { rounds, seconds } = stage.flags
  const measured: Measured[] = []
  for (let left = rounds; left > 0; left -= ROUNDS_EACH) {
    const [before, ours] = await pair.serve()
    const arms = [...(await armsOf(before)), ...(await armsOf(ours))]
    const some = await interleave(arms, { ...plan, seconds, rounds: Math.min(ROUNDS_EACH, left) })
    for (const one of some) {
      const known = measured.find(({ name }) => name === one.name)
      if (known) known.slices.push(...one.slices)
      else measured.push({ name: one.name, slices: [...one.slices] })
    }
  }
  process.stdout.write(`\nours against ${past.commit}: ${what}, ${plan.inFlight} in flight\n\n`)
  printArms(measured, [
    { title: 'p50 ms', of: percentile(0.5), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits },
  ])
  const names = measured.flatMap(({ name }) => (name.startsWith('ours ') ? [name.slice('ours '.length)] : []))
  printClaims(
    measured,
    names.map((name) => ({
      what: `${name}: CPU, ours / before`,
      top: `ours ${name}`,
      bottom: `before ${name}`,
      of: cpuPerUnit(),
      target: { atMost: AT_MOST },
    })),
  )
}
