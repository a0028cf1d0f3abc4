// Measures what HTTP adds to storing a result: whole uploads against their statement alone, and against COPY.
// npm run bench -- ingest [--rounds N] [--seconds N] [--profile DIRECTORY]

import { hashToken } from '../../packages/runtime/dist/tokens.js'
import { copyIn } from '../../packages/store/dist/copy-in.js'
import { openDatabase } from '../../packages/store/dist/database.js'
import { insertHealthyResults } from '../../packages/store/dist/results/results.js'
import { ownMeter } from '../lab/cpu.ts'
import { CHECKS_EACH, loadFleet } from '../lab/fleet.ts'
import { readFlags } from '../lab/proof.ts'
import { PHASES } from '../lab/recording.ts'
import { BENCH_FLAGS, onStage } from '../lab/stage.ts'
import { numberOf } from '../lab/world.ts'
import { type Arm, armOf, compare, PER_CPU, RATE } from './support/compare.ts'
import {
  type Batch,
  batchMaker,
  type MakeBatch,
  openClients,
  serveTarget,
  someFail,
  toColumns,
  uploads,
} from './support/requests.ts'

const IN_FLIGHT = 4
const COUNT = 'select count(*) from results'
const COPY = `copy results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample,
  ${PHASES.join(', ')}, cert_expires_at) from stdin`

await onStage(readFlags(BENCH_FLAGS), async (stage) => {
  const monitors = await loadFleet(stage)
  const before = await numberOf(stage, COUNT)
  let made = 0
  const counted = (make: MakeBatch): MakeBatch => {
    return () => {
      made++
      return make()
    }
  }
  // Makes batches without failures, because nearly all results are successes. Real batches often have some failures, which the
  // server also judges.
  const makeBatch = counted(batchMaker(monitors))
  const database = openDatabase({ url: stage.url, poolSize: IN_FLIGHT })
  stage.undo(() => database.close())
  const clients = await openClients(stage, IN_FLIGHT)
  const alone = { meters: [stage.postgres], units: CHECKS_EACH }
  const arms: Arm[] = [
    uploads('upload', await serveTarget(stage), makeBatch),
    armOf({
      ...{ name: 'statement', ...alone },
      make: () => {
        const { monitor, results } = makeBatch()
        return { caller: { id: monitor.id, key_hash: hashToken(monitor.key) }, columns: toColumns(results) }
      },
      step: async ({ caller, columns }) => {
        const { fresh } = await insertHealthyResults(database, caller, columns)
        if (fresh !== CHECKS_EACH) throw new Error(`the statement stored ${fresh} of ${CHECKS_EACH} results`)
      },
    }),
    // COPY shows the cost of the table itself, without lookups or limits.
    armOf({
      ...{ name: 'copy', ...alone },
      make: () => toCopyRows(makeBatch()),
      step: (rows, lane) => copyIn(clients[lane] as (typeof clients)[number], COPY, rows),
    }),
    uploads('upload, 1 % fail', await serveTarget(stage), counted(batchMaker(monitors, someFail))),
  ].map((arm) => ({ ...arm, meters: [...arm.meters, ownMeter] }))
  // Claims two ratios, which would be the same on a machine that does nothing else.
  await compare(stage, arms, {
    title: `ingest: batches of ${CHECKS_EACH} results; figures per result`,
    inFlight: IN_FLIGHT,
    claims: [
      ['upload', 'statement', RATE, { atLeast: 0.85 }],
      ['upload', 'copy', RATE],
      ['upload', 'statement', PER_CPU],
      ['upload', 'copy', PER_CPU],
      ['upload, 1 % fail', 'upload', PER_CPU],
    ],
  })
  const stored = (await numberOf(stage, COUNT)) - before
  if (stored !== made * CHECKS_EACH) throw new Error(`${stored} of ${made * CHECKS_EACH} results were stored`)
})

function toCopyRows({ monitor, results }: Batch): Buffer {
  const lines = results.map(({ check, ran_at, success, http_status, latency_ms, ...more }) => {
    const row = [
      ...[check.org_id, check.check_id, ran_at, latency_ms, http_status, success, monitor.id],
      ...[more.error || null, more.response_sample || null],
      ...[...PHASES.map((name) => more.timings[name]), more.cert_expires_at],
    ]
    return `${row.map((value) => (value === null ? '\\N' : escapeText(String(value)))).join('\t')}\n`
  })
  return Buffer.from(lines.join(''))
}

function escapeText(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')
}
