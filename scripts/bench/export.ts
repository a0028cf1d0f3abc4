// Measures the speed and the memory of exports, over sealed hours and over rows, and compares the speed with COPY of the rows.
// Also measures how much disk a result takes as a row and in a sealed hour.
// npm run bench -- export [--rows N] [--rounds N] [--seconds N] [--profile DIRECTORY]
import { type Archive, loadArchive, makeYear, readDisk, settleTables } from '../lab/archive.ts'
import { ownMeter, peakMemory } from '../lab/cpu.ts'
import { readFlags } from '../lab/proof.ts'
import { sealPast } from '../lab/sealing.ts'
import { BENCH_FLAGS, makeDatabase, onStage, type Stage, say } from '../lab/stage.ts'
import { numberOf } from '../lab/world.ts'
import { type Arm, compare, cpuOf, median, printFacts, RATE } from './support/compare.ts'
import { exporter, openClients, openResponse, serveTarget } from './support/requests.ts'

const flags = readFlags({ ...BENCH_FLAGS, rows: { type: 'string', default: '1000000' } })
const CHECKS = 10
const EVERY_SEC = 60
const TOKENS = 200
const MEMORY_ROUNDS = 3

const FEW_FIELDS = 'monitor_id, success, latency_ms, http_status, error, response_sample'
const ALL_FIELDS = `${FEW_FIELDS}, dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, retries, wire_time(cert_expires_at) as cert_expires_at`
const STORED = 'select count(*) from stored_results where ran_at < $1::timestamptz'

/** A database with two organisations. The small one has a tenth of the results. */
interface Side {
  stage: Stage
  big: Archive
  small: Archive
}

await onStage(flags, async (stage) => {
  const rows = Number(flags.rows)
  const [plain, sealed] = [await load(stage, 'plain', rows), await load(stage, 'sealed', rows)]
  const until = await sealPast(sealed.stage)
  await settleTables(sealed.stage)
  await measureDisk(plain, sealed, until)
  const [client] = await openClients(plain.stage, 1)
  const copyArm = (name: string, fields: string): Arm => ({
    ...{ name, meters: [stage.postgres, ownMeter], units: rows },
    step: async () => {
      const copied = await client?.query(copyText(plain.big.org_id, fields))
      if (copied?.rowCount !== rows) throw new Error(`COPY returned ${copied?.rowCount} rows`)
    },
  })
  const arms = [
    await exportArm('export', sealed, rows),
    await exportArm('export, in rows', plain, rows),
    copyArm('copy', FEW_FIELDS),
    copyArm('copy of all fields', ALL_FIELDS),
  ]
  await compare(stage, arms, {
    title: `export: ${rows.toLocaleString('en-US')} results of ${CHECKS} checks every ${EVERY_SEC} s, sealed until ${until}; figures per result`,
    inFlight: 1,
    claims: [
      ['export', 'copy', RATE, { atLeast: 1 }],
      ['export, in rows', 'copy', RATE],
      ['export', 'copy of all fields', RATE],
      ['export', 'copy of all fields', cpuOf()],
    ],
  })
  await measureMemory(sealed)
})

async function load(given: Stage, name: string, rows: number): Promise<Side> {
  say(`${name}: an organisation of ${rows.toLocaleString('en-US')} results and one with a tenth of them`)
  const stage = await makeDatabase(given, name)
  await makeYear(stage)
  const size = { checks: CHECKS, tokens: TOKENS, every_sec: EVERY_SEC }
  const big = await loadArchive(stage, { ...size, results: rows })
  const small = await loadArchive(stage, { ...size, results: rows / 10 })
  await settleTables(stage)
  return { stage, big, small }
}

/** Prints how much disk a result takes in each form, with its share of the indexes. */
async function measureDisk(plain: Side, sealed: Side, until: string): Promise<void> {
  const rows = await numberOf(plain.stage, 'select count(*) from results')
  const results = await numberOf(sealed.stage, STORED, until)
  printFacts([
    ['disk of rows, bytes a result', (await readDisk(plain.stage, 'results')) / rows, 1],
    [
      'disk of sealed hours, bytes a result',
      (await readDisk(sealed.stage, 'sealed_hours')) / results,
      1,
      { atMost: 30 },
    ],
  ])
}

/** Returns an arm of exports, each with the next token. Requires before the measurement that an export has all results. */
async function exportArm(name: string, { stage, big: { tokens } }: Side, rows: number): Promise<Arm> {
  const { server, meters } = await serveTarget(stage)
  const [first, ...others] = tokens
  const response = await openResponse(server, '/account-api/v1/export', { Authorization: `Bearer ${first}` })
  const found = (await response.setEncoding('utf8').toArray()).join('').split('"ran_at"').length - 1
  if (found !== rows) throw new Error(`an export had ${found} of ${rows} results`)
  return { name, meters: [...meters, ownMeter], units: rows, step: exporter(stage, server, others) }
}

function copyText(org_id: number, fields: string): string {
  const rows = `
    select wire_time(ran_at) as ran_at, ${fields}
    from results where org_id = ${org_id} order by check_id, ran_at, monitor_id`
  return `copy (select row_to_json(r) from (${rows}) r) to stdout`
}

async function measureMemory({ stage, big, small }: Side): Promise<void> {
  const peaks: Record<'tenth' | 'one' | 'three', number[]> = { tenth: [], one: [], three: [] }
  for (let round = 1; round <= MEMORY_ROUNDS; round++) {
    say(`memory ${round} of ${MEMORY_ROUNDS}`)
    peaks.tenth.push(await peakOf(stage, small.tokens.slice(round, round + 1)))
    peaks.one.push(await peakOf(stage, big.tokens.slice(round, round + 1)))
    peaks.three.push(await peakOf(stage, big.tokens.slice(round * 10, round * 10 + 3)))
  }
  const [tenth, one] = [median(peaks.tenth), median(peaks.one)]
  printFacts([
    ['peak resident memory of a fresh server, MB, a tenth of the results', tenth, 0],
    ['all of them', one, 0],
    ['all / a tenth', one / tenth, 2, { atMost: 1.2 }],
    ['three at once, MB (the most of all rounds)', Math.max(...peaks.three), 0, { atMost: 250 }],
  ])
}

/**
 * Starts an export with each token at the same time, on a new server, because a process keeps most of the memory that it once
 * had.
 */
async function peakOf(stage: Stage, tokens: readonly string[]): Promise<number> {
  const server = await stage.serve()
  await Promise.all(tokens.map((token) => exporter(stage, server, [token])()))
  const peak = peakMemory(server.pid)
  await server.stop()
  return peak
}
