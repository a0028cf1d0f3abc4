// What is read of sealed rows is what was sealed, field by field, whatever it was: by SQL, and opened here.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { OPENED, openRuns, type SealedRow } from '../src/results/stored/opened.ts'
import { RUN_COLUMNS, SEALED_COLUMNS, sealing, unsealed } from '../src/results/stored/sealed-form.ts'
import { timingsIn } from '../src/results/timings.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('create temporary table sent (like results)')
  await client.query('create temporary table sealed (like sealed_hours including all) with (toast_tuple_target = 128)')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const HOUR_US = 3_600_000_000
const BEGAN_US = Date.UTC(2026, 10, 20, 9) * 1000
const ROUNDS = 40

interface Told {
  monitor: number
  success: boolean
  http_status: number
  latency_ms: number
  error: string | null
  response_sample: string | null
  parts: (number | null)[]
  retries: number | null
  cert: number | null
}
type Run = Told & { at_us: number }

const part = fc.option(
  fc.oneof({ weight: 3, arbitrary: fc.nat(300) }, fc.constantFrom(-32_768, -2, -1, 254, 255, 32_767)),
)
const text = fc.option(
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('', 'NULL', '{}', 'ready ✓', '"\\\n,', 'eight 🟢 🟢 🟢') },
    { weight: 1, arbitrary: fc.constantFrom('\u001f', 'a\u001fb') },
    { weight: 10, arbitrary: fc.string({ maxLength: 20 }) },
  ),
)
const told = {
  monitor: fc.nat(3),
  success: fc.boolean(),
  http_status: fc.constantFrom(0, 200, 503, 999),
  latency_ms: fc.oneof({ weight: 9, arbitrary: fc.nat(900) }, fc.constantFrom(32_768, 65_535, 65_536, 2_147_483_647)),
  error: text,
  response_sample: text,
  parts: fc.array(part, { minLength: 5, maxLength: 5 }),
  retries: fc.option(fc.nat(5), { freq: 2 }),
  cert: fc.option(fc.nat(1), { freq: 3 }),
}
/** At any microsecond of three hours. */
const anywhere: fc.Arbitrary<Run[]> = fc.array(fc.record({ ...told, at_us: fc.nat(3 * HOUR_US - 1) }), {
  maxLength: 20,
})
/** A run a minute, each some milliseconds late, now and then one that is missing. All alike in what checks are mostly alike in. */
const evenly: fc.Arbitrary<Run[]> = fc
  .array(fc.record({ ...told, late_ms: fc.nat(80), isMissing: fc.boolean() }), { minLength: 1, maxLength: 90 })
  .map((runs) =>
    runs.flatMap(({ late_ms, isMissing, ...run }, n) =>
      isMissing && n % 7 === 0
        ? []
        : [{ ...run, latency_ms: run.latency_ms % 60_000, cert: 1, at_us: (n * 60_000 + late_ms) * 1000 }],
    ),
  )
const checks = fc.array(fc.oneof(anywhere, evenly), { minLength: 1, maxLength: 3 })

function toRow({ parts, cert, monitor, at_us, ...run }: Run, check_id: number) {
  const [dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms] = parts
  const us = BEGAN_US + at_us
  return {
    ...{ ...run, dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, check_id, org_id: 1 + (check_id % 2) },
    ran_at: new Date(Math.floor(us / 1000)).toISOString().replace('Z', `${String(us % 1000).padStart(3, '0')}Z`),
    monitor_id: `monitor ${monitor}`,
    cert_expires_at: cert === null ? null : `2027-01-0${1 + cert}T00:00:00Z`,
  }
}

const NAMES = RUN_COLUMNS.join(', ')
const KEY = 'org_id, check_id, ran_at, monitor_id'

/** Shorter than some of the texts, between two characters that are one unit each and one that is two. */
const MAX_CHARS = 9
const NAMED = new Map([['monitor 1', 'Berlin']])

/** As a page of results shows them. */
async function showAll() {
  const { rows } = await client.query(`
    select wire_time(r.ran_at) as ran_at, r.monitor_id, case r.monitor_id when 'monitor 1' then 'Berlin' else '' end as monitor_name,
      r.success, r.latency_ms, r.http_status, nullif(left(r.error, ${MAX_CHARS}), '') as error,
      nullif(left(r.response_sample, ${MAX_CHARS}), '') as response_sample, ${timingsIn('r')}, r.retries,
      wire_time(r.cert_expires_at) as cert_expires_at
    from sent r order by ${KEY}`)
  return rows
}

/** They are strings here, as no parser of ours is set. */
type BigInts = 'first_us' | 'step_us'

/** All runs of each row, or the middle of them. */
async function openAll(which: 'all' | 'middle') {
  const [from, until] = which === 'all' ? ['0', 'runs'] : ['runs / 3', 'runs - runs / 4']
  const { rows } = await client.query<Omit<SealedRow, BigInts> & Record<BigInts, string> & { has_between: boolean }>(
    `select o.*, array_to_string(coalesce(h.errors, '{}') || coalesce(h.samples, '{}'), '') like e'%\\x1f%' as has_between from (select *, ${from} as from_run, ${until} as until_run from sealed) h
     cross join lateral (select ${OPENED}) o order by h.org_id, h.check_id, h.since`,
  )
  const asNumbers = rows.map((row) => ({ ...row, first_us: Number(row.first_us), step_us: Number(row.step_us) }))
  return asNumbers.map((row) => ({ row, runs: opened(row) }))
}

/** The runs, of which there are as many as is said; undefined where SQL has to read them. */
function opened(row: SealedRow) {
  const runs = openRuns(row, { max_chars: MAX_CHARS, names: NAMED })
  if (!runs) return undefined
  const all = [...runs]
  expect(runs.length).toBe(all.length)
  return all
}

/** Everything opens as it is shown, but rows with a text that has the character between texts. */
async function compareOpened(): Promise<void> {
  const shown = await showAll()
  const whole = await openAll('all')
  let at = 0
  for (const { row, runs } of whole) {
    const expected = shown.slice(at, at + row.runs)
    at += row.runs
    expect(runs).toEqual(row.has_between ? undefined : expected)
  }
  expect(at).toBe(shown.length)
  for (const [n, { row, runs }] of (await openAll('middle')).entries()) {
    const all = whole[n]?.runs
    if (all) expect(runs).toEqual(all.slice(row.from_run, row.until_run))
  }
}

test('each field of each run comes back, in the order of the key', async () => {
  await fc.assert(
    fc.asyncProperty(checks, async (all) => {
      await client.query('truncate sent, sealed')
      const rows = all.flatMap((runs, check_id) => runs.map((run) => toRow(run, check_id)))
      await client.query(
        `insert into sent (${NAMES}) select distinct on (${KEY}) ${NAMES} from jsonb_populate_recordset(null::sent, $1)`,
        [JSON.stringify(rows)],
      )
      await client.query(`insert into sealed (${SEALED_COLUMNS}) ${sealing('sent')}`)
      const sent = await client.query(`select r::text from (select ${NAMES} from sent order by ${KEY}) r`)
      // Rows in the order of their own key, as an index gives them: their runs need no order of their own.
      const read = await client.query(
        `select r::text from (select ${NAMES} from (${unsealed('(select * from sealed order by org_id, check_id, since)')}) u) r`,
      )
      expect(read.rows).toEqual(sent.rows)
      await compareOpened()
      const hours = await client.query(
        `select (count(*) = (select count(distinct (org_id, check_id, date_trunc('hour', ran_at, 'UTC'))) from sent)) as are_all
         from sealed`,
      )
      expect(hours.rows).toEqual([{ are_all: true }])
    }),
    { numRuns: ROUNDS, endOnFailure: true },
  )
})
