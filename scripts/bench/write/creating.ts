// Creating checks one by one and in bulk, against the same inserts by the driver.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { newGuid } from '../../../packages/server/dist/runtime/ids.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { openLanes } from '../../lab/lane.ts'
import type { BenchServer, Stage } from '../../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims, unitsPerSec } from '../support/report.ts'
import { type Arm, interleave } from '../support/rounds.ts'
import { inTurn, MANY, post, type Writer } from './writers.ts'

const IN_FLIGHT = 2

const STORE = `
  with stored as (
    insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects, insecure_skip_verify,
      headers, post_data, match_string, match_mode, status_code_op, status_code_value, cert_expiry_warn_days, max_response_time_ms,
      invert_result, result_detail_max_chars, down_interval_sec, resend_interval_sec)
    select $1, guid, 'Shop', 'https://shop.example.com/health', true, false, 60, 0, false, false, '{}', '', '', '', '', 0, 0, 0, false, 256, 0, 0
    from unnest($2::text[]) guid returning org_id, check_id, guid
  ), named as (
    insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from stored
  )
  insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
  select id, guid, org_id, check_id, true, 256 from stored cross join unnest($3::text[]) id`

const RECORD = `
  insert into audit_entries (org_id, created_at, actor, action, subject, detail)
  select $1, now(), 'bench', 'check.create', 'Shop', '{"token": "bench"}' from generate_series(1, $2::integer)`

export function checkBody(monitors: readonly string[]): object {
  return { name: 'Shop', url: 'https://shop.example.com/health', interval_sec: 60, monitors }
}

export async function compareCreating(
  stage: Stage,
  server: BenchServer,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<void> {
  const next = inTurn(writers)
  const lanes = await openLanes(server.port, IN_FLIGHT)
  const meters = [server.meter, stage.postgres]
  const one = () => JSON.stringify(checkBody(ids()))
  const arms: Arm[] = [
    {
      name: 'one by one',
      meters,
      unitsPerStep: 1,
      step: (_, lane) => post(lanes[lane], next().token, '/checks', one(), 201),
    },
    {
      name: 'in bulk',
      meters,
      unitsPerStep: MANY,
      step: (_, lane) => post(lanes[lane], next().token, '/bulk', bulkBody(MANY, ids()), 200),
    },
    await byDriver(stage, 'driver, one by one', { next, ids, many: 1 }),
    await byDriver(stage, 'driver, in bulk', { next, ids, many: MANY }),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT, firstSteps: 4 })
  process.stdout.write(`\nwrite: checks created, each with two monitors, ${IN_FLIGHT} in flight, ${MANY} in bulk\n\n`)
  const cpu = cpuPerUnit('server', 'postgres')
  printArms(measured, [
    { title: 'checks/s', of: unitsPerSec, digits: 0, spread: true },
    { title: 'server us/check', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us/check', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'p50 ms', of: percentile(0.5), digits: 1 },
  ])
  printClaims(measured, [
    { what: 'one by one / driver, checks/s', top: 'one by one', bottom: 'driver, one by one', of: unitsPerSec },
    { what: 'in bulk / driver, checks/s', top: 'in bulk', bottom: 'driver, in bulk', of: unitsPerSec },
    { what: 'in bulk / one by one, checks/s', top: 'in bulk', bottom: 'one by one', of: unitsPerSec },
    { what: 'in bulk / driver, CPU', top: 'in bulk', bottom: 'driver, in bulk', of: cpu },
  ])
}

function bulkBody(count: number, ids: readonly string[]): string {
  const prefix = randomBytes(6).toString('hex')
  const body = checkBody(ids)
  const changes = Array.from({ length: count }, (_, n) => ({
    action: 'put',
    kind: 'check',
    key: `${prefix}-${n}`,
    body,
  }))
  return JSON.stringify({ changes })
}

interface Driven {
  next: () => Writer
  ids: () => readonly string[]
  many: number
}

/** The rows that the server stores, by statements that are prepared and by nothing else: triggers, indexes and the sync clock are the same. */
async function byDriver(stage: Stage, name: string, { next, ids, many }: Driven): Promise<Arm> {
  const clients = await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      const client = new pg.Client({ connectionString: stage.url })
      await client.connect()
      stage.undo(() => client.end())
      return client
    }),
  )
  return {
    name,
    meters: [stage.postgres],
    unitsPerStep: many,
    step: async (_, lane) => {
      const client = clients[lane] as pg.Client
      const { org_id } = next()
      const guids = Array.from({ length: many }, () => newGuid(systemRandom))
      await client.query('begin')
      await client.query('select sync_tick()')
      await client.query({ name: 'store', text: STORE, values: [org_id, guids, ids()] })
      await client.query({ name: 'record', text: RECORD, values: [org_id, many] })
      await client.query('commit')
    },
  }
}
