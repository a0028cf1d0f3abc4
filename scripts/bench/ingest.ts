// What HTTP adds to storing a result: whole uploads against their statement alone, and against COPY.
import pg from 'pg'
import { copyIn } from '../../packages/server/dist/store/copy-in.js'
import { hashToken } from '../../packages/server/dist/runtime/tokens.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { storeByCopy } from '../../packages/server/dist/domain/results/ingest-by-copy.js'
import {
  insertHealthyResults,
  type ResultColumns,
  type TimedColumns,
} from '../../packages/server/dist/store/results/results.js'
import { depsOf } from '../lab/archive.ts'
import { ownMeter } from '../lab/cpu.ts'
import { CHECKS_EACH, loadFleet } from '../lab/fleet.ts'
import { openLanes } from '../lab/lane.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { type Batch, batchMaker, COPY_COLUMNS, sentNow, toColumns, toCopyRows, toRequest } from './support/batches.ts'
import { cpuPerUnit, printArms, printClaims, unitsPerSec } from './support/report.ts'
import { type Arm, interleave, type Slice } from './support/rounds.ts'

const IN_FLIGHT = 4
const COPY = `copy results (${COPY_COLUMNS}) from stdin`

type Caller = Parameters<typeof storeByCopy>[1]
const CALLER: Omit<Caller, 'id' | 'key_hash'> = {
  ...{ org_id: null, clock_offset_ms: null, clock_far_ms: null, clock_behind_since: null, catching_up: false },
  ...{ seen_at: new Date(0), held_ms: 0 },
}

await onStage(async (stage) => {
  // Successes, as nearly all results are. Of 500 results usually some are failures, which are also judged.
  const monitors = await loadFleet(stage)
  const [makeHealthy, makeUsual] = [batchMaker(monitors, () => false), batchMaker(monitors)]
  const before = await countResults(stage)
  let made = 0
  const counted = (make: MakeBatch): MakeBatch => {
    return () => {
      made++
      return make()
    }
  }
  const makeBatch = counted(makeHealthy)
  const arms = [
    await overHttp('a upload', stage, makeBatch),
    statementAlone(stage, makeBatch),
    storingAlone(stage, makeBatch),
    await rawCopy(stage, makeBatch),
    await overHttp('d upload, 1 % fail', stage, counted(makeUsual)),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  const stored = (await countResults(stage)) - before
  if (stored !== made * CHECKS_EACH) throw new Error(`${stored} of ${made * CHECKS_EACH} results were stored`)
  process.stdout.write(`\ningest: batches of ${CHECKS_EACH} results, ${IN_FLIGHT} in flight\n\n`)
  printArms(measured, [
    { title: 'results/s', of: unitsPerSec, digits: 0, spread: true },
    { title: 'server us/result', of: cpuPerUnit('server') },
    { title: 'postgres us/result', of: cpuPerUnit('postgres') },
    { title: 'bench us/result', of: cpuPerUnit('bench') },
  ])
  printClaims(measured, [
    { what: 'a/b results/s', top: 'a upload', bottom: 'b statement', of: unitsPerSec, target: { atLeast: 0.85 } },
    { what: 'a/e results/s', top: 'a upload', bottom: 'e storing', of: unitsPerSec },
    { what: 'a/c results/s', top: 'a upload', bottom: 'c copy', of: unitsPerSec, target: { atLeast: 0.35 } },
    // The same on a machine that does nothing else: all the CPU that a result takes.
    { what: 'a/b results per CPU', top: 'a upload', bottom: 'b statement', of: perCpu },
    { what: 'a/e results per CPU', top: 'a upload', bottom: 'e storing', of: perCpu },
    { what: 'a/c results per CPU', top: 'a upload', bottom: 'c copy', of: perCpu },
    { what: 'd/a results per CPU', top: 'd upload, 1 % fail', bottom: 'a upload', of: perCpu },
  ])
})

type MakeBatch = () => Batch

function perCpu(slice: Slice): number {
  return 1 / cpuPerUnit()(slice)
}

async function countResults({ database }: Stage): Promise<number> {
  const { rows } = await database.pools.machines.query<{ count: number }>('select count(*) from results')
  return rows[0]?.count ?? 0
}

/** Everything: request, gates, statement, answer. */
async function overHttp(name: string, stage: Stage, makeBatch: MakeBatch): Promise<Arm> {
  const server = await stage.serve()
  const lanes = await openLanes(server.port, IN_FLIGHT)
  const expected = JSON.stringify({ accepted: CHECKS_EACH })
  return arm(
    name,
    [server.meter, stage.postgres],
    () => toRequest(makeBatch()),
    async (request, lane) => {
      const body = await lanes[lane]?.send(sentNow(request))
      if (body?.toString() !== expected) throw new Error(`an upload was answered ${body?.toString()}`)
    },
  )
}

/** The server's own function, with prepared arguments. */
function statementAlone(stage: Stage, makeBatch: MakeBatch): Arm {
  const database = openDatabase({ url: stage.url, poolSize: IN_FLIGHT })
  stage.undo(() => database.close())
  const ready = (): { caller: { id: string; key_hash: Buffer }; columns: ResultColumns } => {
    const batch = makeBatch()
    const { id, key } = batch.monitor
    return { caller: { id, key_hash: hashToken(key) }, columns: toColumns(batch) }
  }
  return arm('b statement', [stage.postgres], ready, async ({ caller, columns }) => {
    const { fresh } = await insertHealthyResults(database, caller, columns)
    if (fresh !== CHECKS_EACH) throw new Error(`the statement stored ${fresh} of ${CHECKS_EACH} results`)
  })
}

/** What the server does with such a batch, without HTTP: it says what may be stored, and copies that, in one transaction. */
function storingAlone(stage: Stage, makeBatch: MakeBatch): Arm {
  const database = openDatabase({ url: stage.url, poolSize: IN_FLIGHT })
  stage.undo(() => database.close())
  const deps = { ...depsOf(stage), database }
  const arrival = { catchingUp: false, wasDelayed: false }
  const ready = (): { caller: Caller; columns: TimedColumns } => {
    const batch = makeBatch()
    const { id, key } = batch.monitor
    const columns = toColumns(batch)
    return {
      caller: { ...CALLER, id, key_hash: hashToken(key) },
      columns: { ...columns, effective_at: columns.check_guid.map(() => null) },
    }
  }
  return arm('e storing', [stage.postgres], ready, async ({ caller, columns }) => {
    const stored = await storeByCopy(deps, caller, columns, arrival)
    if (stored?.fresh !== CHECKS_EACH) throw new Error(`${stored?.fresh} of ${CHECKS_EACH} results were stored`)
  })
}

/** Prepared rows straight into the table, without lookups or limits: the cost of the table itself. */
async function rawCopy(stage: Stage, makeBatch: MakeBatch): Promise<Arm> {
  const clients = await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      const client = new pg.Client({ connectionString: stage.url })
      await client.connect()
      stage.undo(() => client.end())
      return client
    }),
  )
  return arm(
    'c copy',
    [stage.postgres],
    () => toCopyRows(makeBatch()),
    (rows, lane) => copyIn(clients[lane] as pg.Client, COPY, rows),
  )
}

/** Makes a slice's batches before its clock runs. */
function arm<Ready>(
  name: string,
  meters: Arm['meters'],
  make: () => Ready,
  step: (ready: Ready, lane: number) => Promise<void>,
): Arm {
  let ready: Ready[] = []
  return {
    name,
    meters: [...meters, ownMeter],
    unitsPerStep: CHECKS_EACH,
    prepare: (steps) => {
      ready = Array.from({ length: steps }, make)
    },
    step: (index, lane) => step(ready[index] as Ready, lane),
  }
}
