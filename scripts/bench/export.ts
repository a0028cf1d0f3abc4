// How fast an export is over sealed hours, and over rows alone, compared with COPY of the rows; how much memory it takes; and whom
// a slow reader of one holds up.
import { loadavg } from 'node:os'
import pg from 'pg'
import { type Archive, loadArchive, makeYear, settleTables } from '../lab/archive.ts'
import { ownMeter, peakMemory } from '../lab/cpu.ts'
import { makeDatabase } from '../lab/databases.ts'
import { openLanes, request } from '../lab/lane.ts'
import { sealPast } from '../lab/sealing.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { copyOut } from './support/copy-out.ts'
import { type DownloadOptions, download } from './support/download.ts'
import { cpuPerUnit, median, printArms, printClaims, printFacts, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const ROWS = 1_000_000
const CHECKS = 10
const EVERY_SEC = 60
const TOKENS = 200
const MEMORY_ROUNDS = 3
const SLOW_BYTES_PER_SEC = 1e6
const SLOW_SECONDS = 15
const PAGES_APART_MS = 100
const LOOK_EVERY_MS = 100

const OLDEST = `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as age from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'
    and (backend_xmin is not null or backend_xid is not null or xact_start is not null)`

const FEW_FIELDS = 'monitor_id, success, latency_ms, http_status, error, response_sample'
/** Everything that an export has now. */
const ALL_FIELDS = `${FEW_FIELDS}, dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, retries, wire_time(cert_expires_at) as cert_expires_at`

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? ROWS
  const plain = await load(stage, 'plain', rows)
  const sealed = await load(stage, 'sealed', rows)
  const until = await sealPast(sealed.stage)
  await settleTables(sealed.stage)
  await compareSpeed({ plain, sealed }, rows, until)
  await measureMemory(sealed)
  await watchSlowReader(sealed)
})

/** A database with two orgs, one of which has a tenth of the results. */
interface Side {
  stage: Stage
  big: Archive
  exports: { big: Export; small: Export }
}

async function load(given: Stage, name: string, rows: number): Promise<Side> {
  say(`${name}: an org of ${rows.toLocaleString('en-US')} results and one with a tenth of them`)
  const stage = await makeDatabase(given, name)
  await makeYear(stage)
  const size = { checks: CHECKS, tokens: TOKENS, every_sec: EVERY_SEC }
  const big = await loadArchive(stage, { ...size, results: rows })
  const small = await loadArchive(stage, { ...size, results: rows / 10 })
  await settleTables(stage)
  return { stage, big, exports: { big: exporter(stage, big), small: exporter(stage, small) } }
}

type Export = (server: BenchServer, options?: DownloadOptions) => Promise<{ bytes: number; found: number }>

/** Exports of an org, each with its next token, and with those of the whole org forgotten, so that no limit is reached. */
function exporter({ database }: Stage, { tokens }: Archive): Export {
  let used = 0
  return async ({ port }, options) => {
    await database.pools.machines.query("delete from rate_limits where starts_with(key, 'export-org:')")
    const key = tokens[used++ % tokens.length] ?? ''
    const headers = { Connection: 'close', 'Accept-Encoding': 'identity' }
    return download(port, request('GET', '/export', { key, api: 'account-api', headers }), options)
  }
}

async function compareSpeed({ plain, sealed }: Record<'plain' | 'sealed', Side>, rows: number, until: string) {
  const { stage, big } = plain
  const bytes = [await countBytes(sealed, rows), await countBytes(plain, rows)]
  const client = new pg.Client({ connectionString: stage.url })
  await client.connect()
  stage.undo(() => client.end())
  const copying = { stage, client, rows }
  const arms = [
    await exportArm('export', sealed, rows),
    await exportArm('export, nothing sealed', plain, rows),
    copy('copy', copying, copyText(big.org_id, FEW_FIELDS)),
    copy('copy, any order', copying, copyText(big.org_id, FEW_FIELDS, false)),
    copy('copy, all fields', copying, copyText(big.org_id, ALL_FIELDS)),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: 1, firstSteps: 1 })
  const megabytes = bytes.map((one) => (one / 1e6).toFixed(0)).join(' and ')
  process.stdout.write(
    `\nexport: ${rows.toLocaleString('en-US')} results of ${big.guids.length} checks every ${EVERY_SEC} s, sealed until ${until}, ${megabytes} MB\n\n`,
  )
  printArms(measured, [
    { title: 'rows/s', of: unitsPerSec, digits: 0, spread: true },
    { title: 'server us/row', of: cpuPerUnit('server'), digits: 2 },
    { title: 'postgres us/row', of: cpuPerUnit('postgres'), digits: 2 },
    { title: 'bench us/row', of: cpuPerUnit('bench'), digits: 2 },
  ])
  const speed = { bottom: 'copy', of: unitsPerSec }
  printClaims(measured, [
    { ...speed, what: 'export/copy rows/s', top: 'export', target: { atLeast: 1 } },
    { ...speed, what: 'export, nothing sealed/copy rows/s', top: 'export, nothing sealed' },
    { ...speed, what: 'export/copy in any order, rows/s', top: 'export', bottom: 'copy, any order' },
    { ...speed, what: 'export/copy of all fields, rows/s', top: 'export', bottom: 'copy, all fields' },
    { what: 'export/copy CPU', top: 'export', bottom: 'copy', of: cpuPerUnit() },
    { what: 'export/copy of all fields, CPU', top: 'export', bottom: 'copy, all fields', of: cpuPerUnit() },
  ])
}

async function exportArm(name: string, { stage, exports }: Side, rows: number): Promise<Arm> {
  const server = await stage.serve()
  return {
    name,
    meters: [server.meter, stage.postgres, ownMeter],
    unitsPerStep: rows,
    step: async () => void (await exports.big(server)),
  }
}

/** Of a document with all results. */
async function countBytes({ stage, exports }: Side, rows: number): Promise<number> {
  const server = await stage.serve()
  const { bytes, found } = await exports.big(server, { find: '"ran_at"' })
  process.kill(server.pid, 'SIGTERM')
  if (found !== rows) throw new Error(`an export held ${found} results`)
  return bytes
}

function copy(
  name: string,
  { stage, client, rows }: { stage: Stage; client: pg.Client; rows: number },
  text: string,
): Arm {
  return {
    name,
    meters: [stage.postgres, ownMeter],
    unitsPerStep: rows,
    step: async () => {
      const copied = await copyOut(client, text)
      if (copied.rows !== rows) throw new Error(`COPY gave ${copied.rows} rows`)
    },
  }
}

/** The fields of a result in the order of an export. */
function copyText(org_id: number, fields: string, isOrdered = true): string {
  const rows = `
    select wire_time(ran_at) as ran_at, ${fields}
    from results where org_id = ${org_id} ${isOrdered ? 'order by check_id, ran_at, monitor_id' : ''}`
  return `copy (select row_to_json(r) from (${rows}) r) to stdout`
}

async function measureMemory({ stage, exports: { big, small } }: Side): Promise<void> {
  const [one, tenth, three]: number[][] = [[], [], []]
  for (let round = 1; round <= MEMORY_ROUNDS; round++) {
    say(`memory ${round} of ${MEMORY_ROUNDS}, load average ${loadavg()[0]?.toFixed(1)}`)
    tenth?.push(await peakOf(stage, [small]))
    one?.push(await peakOf(stage, [big]))
    three?.push(await peakOf(stage, [big, big, big]))
  }
  const [peak, tenthPeak, threePeak] = [median(one ?? []), median(tenth ?? []), Math.max(...(three ?? []))]
  printFacts([
    { what: 'peak resident memory of a fresh server, MB, a tenth of the results', value: tenthPeak, digits: 0 },
    { what: 'all of them', value: peak, digits: 0 },
    { what: 'all / a tenth', value: peak / tenthPeak, atMost: 1.2 },
    { what: 'three at once, MB (the most of all rounds)', value: threePeak, digits: 0, atMost: 250 },
  ])
}

/** On a server of its own, because a process mostly keeps memory that it once had. */
async function peakOf(stage: Stage, runs: readonly Export[]): Promise<number> {
  const server = await stage.serve()
  await Promise.all(runs.map((run) => run(server)))
  const peak = peakMemory(server.pid)
  process.kill(server.pid, 'SIGTERM')
  return peak
}

async function watchSlowReader({ stage, big, exports: { big: run } }: Side): Promise<void> {
  say(`somebody reads an export at 1 MB/s for ${SLOW_SECONDS} s`)
  const server = await stage.serve()
  const alone = await readPages(server, big, SLOW_SECONDS)
  const leaving = new AbortController()
  const reading = run(server, { bytesPerSec: SLOW_BYTES_PER_SEC, signal: leaving.signal })
  const left = reading.then(
    () => {
      throw new Error('the slow reader came to an end')
    },
    (error: Error) => {
      if (!leaving.signal.aborted) throw error
    },
  )
  const [beside, oldest] = await Promise.all([
    readPages(server, big, SLOW_SECONDS),
    oldestTransaction(stage, SLOW_SECONDS),
  ])
  leaving.abort()
  await left
  printFacts([
    { what: 'beside a reader at 1 MB/s: oldest transaction or snapshot, s', value: oldest, atMost: 3 },
    { what: 'a page, p50 ms, alone', value: alone },
    { what: 'a page, p50 ms, beside it', value: beside },
    { what: 'beside / alone', value: beside / alone, atMost: 1.5 },
  ])
}

/** The p50 of pages that are requested at a slow pace. */
async function readPages({ port }: BenchServer, { guids, tokens }: Archive, seconds: number): Promise<number> {
  const [lane] = await openLanes(port, 1)
  if (!lane) throw new Error('no connection')
  const latencies: number[] = []
  const end = performance.now() + seconds * 1000
  for (let n = 0; performance.now() < end; n++) {
    const key = tokens[n % tokens.length] ?? ''
    const begun = performance.now()
    await lane.send(request('GET', `/checks/${guids[n % guids.length]}/results`, { key, api: 'account-api' }))
    latencies.push(performance.now() - begun)
    await pause(PAGES_APART_MS)
  }
  lane.close()
  return median(latencies)
}

/** The greatest age, in seconds, of a transaction that holds up vacuum, sampled repeatedly. */
async function oldestTransaction({ database }: Stage, seconds: number): Promise<number> {
  let oldest = 0
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const { rows } = await database.pools.machines.query<{ age: number }>(OLDEST)
    oldest = Math.max(oldest, rows[0]?.age ?? 0)
    await pause(LOOK_EVERY_MS)
  }
  return oldest
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
