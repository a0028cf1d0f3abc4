// Measures what HTTP adds to storing a result: whole uploads against their statement alone, and against COPY.

import { hashToken } from '../../packages/runtime/dist/tokens.js'
import { copyIn } from '../../packages/server/dist/store/copy-in.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { insertHealthyResults } from '../../packages/server/dist/store/results/results.js'
import { ownMeter } from '../lab/cpu.ts'
import { CHECKS_EACH, loadFleet } from '../lab/fleet.ts'
import { PHASES } from '../lab/recording.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { openClients, preparedArm, serveTarget, uploads } from './support/arms.ts'
import { type Batch, batchMaker, noneFails, toColumns } from './support/batches.ts'
import { compare, cpuPerUnit, unitsPerSec } from './support/report.ts'
import type { Arm, Slice } from './support/rounds.ts'

const IN_FLIGHT = 4
const COPY = `copy results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample,
  ${PHASES.join(', ')}, cert_expires_at) from stdin`

type MakeBatch = () => Batch

await onStage(async (stage) => {
  // Nearly all results are successes. Batches usually have some failures, which the server also judges.
  const monitors = await loadFleet(stage)
  const before = await countResults(stage)
  let made = 0
  const counted = (make: MakeBatch): MakeBatch => {
    return () => {
      made++
      return make()
    }
  }
  const makeHealthy = counted(batchMaker(monitors, noneFails))
  const arms = [
    uploads('a upload', await serveTarget(stage), makeHealthy),
    statementAlone(stage, makeHealthy),
    await rawCopy(stage, makeHealthy),
    uploads('d upload, 1 % fail', await serveTarget(stage), counted(batchMaker(monitors))),
  ].map((arm) => ({ ...arm, meters: [...arm.meters, ownMeter] }))
  await compare(stage.flags, arms, {
    title: `ingest: batches of ${CHECKS_EACH} results; figures per result`,
    inFlight: IN_FLIGHT,
    claims: [
      ['a/b results/s', 'a upload', 'b statement', unitsPerSec, { atLeast: 0.85 }],
      ['a/c results/s', 'a upload', 'c copy', unitsPerSec],
      // On a machine that does nothing else, these ratios would be those of the results per second.
      ['a/b results per CPU', 'a upload', 'b statement', perCpu],
      ['a/c results per CPU', 'a upload', 'c copy', perCpu],
      ['d/a results per CPU', 'd upload, 1 % fail', 'a upload', perCpu],
    ],
  })
  const stored = (await countResults(stage)) - before
  if (stored !== made * CHECKS_EACH) throw new Error(`${stored} of ${made * CHECKS_EACH} results were stored`)
})

function perCpu(slice: Slice): number {
  return 1 / cpuPerUnit()(slice)
}

async function countResults({ database }: Stage): Promise<number> {
  const { rows } = await database.pools.machines.query<{ count: number }>('select count(*) from results')
  return rows[0]?.count ?? 0
}

/** Calls the server's function with prepared arguments. */
function statementAlone(stage: Stage, makeBatch: MakeBatch): Arm {
  const database = openDatabase({ url: stage.url, poolSize: IN_FLIGHT })
  stage.undo(() => database.close())
  return preparedArm(
    { name: 'b statement', meters: [stage.postgres], unitsPerStep: CHECKS_EACH },
    () => {
      const { monitor, results } = makeBatch()
      return { caller: { id: monitor.id, key_hash: hashToken(monitor.key) }, columns: toColumns(results) }
    },
    async ({ caller, columns }) => {
      const { fresh } = await insertHealthyResults(database, caller, columns)
      if (fresh !== CHECKS_EACH) throw new Error(`the statement stored ${fresh} of ${CHECKS_EACH} results`)
    },
  )
}

/** Copies prepared rows into the table, without lookups or limits: the cost of the table itself. */
async function rawCopy(stage: Stage, makeBatch: MakeBatch): Promise<Arm> {
  const clients = await openClients(stage, IN_FLIGHT)
  return preparedArm(
    { name: 'c copy', meters: [stage.postgres], unitsPerStep: CHECKS_EACH },
    () => toCopyRows(makeBatch()),
    async (rows, lane) => copyIn(clients[lane] as (typeof clients)[number], COPY, rows),
  )
}

function toCopyRows({ monitor, results }: Batch): Buffer {
  const lines = results.map(({ check, ran_at, success, http_status, latency_ms, error, ...more }) => {
    const row = [
      ...[check.org_id, check.check_id, ran_at, latency_ms, http_status, success, monitor.id],
      ...[
        error || null,
        more.response_sample || null,
        ...PHASES.map((name) => more.timings[name]),
        more.cert_expires_at,
      ],
    ]
    return `${row.map((value) => (value === null ? '\\N' : escapeText(String(value)))).join('\t')}\n`
  })
  return Buffer.from(lines.join(''))
}

function escapeText(text: string): string {
  return text.replace(
    /[\\\n\r\t]/g,
    (char) => `\\${char === '\n' ? 'n' : char === '\r' ? 'r' : char === '\t' ? 't' : char}`,
  )
}
