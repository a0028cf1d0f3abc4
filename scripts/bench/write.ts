// Measures what changes by the configuration API cost: creating checks one by one and in bulk against the same inserts by the
// driver, bulk changes of every kind, and how much syncs slow down while others make changes.
// npm run bench -- write [--only create|kinds|syncs] [--short]
import { randomBytes } from 'node:crypto'
import { newGuid } from '../../packages/runtime/dist/ids.js'
import { systemRandom } from '../../packages/runtime/dist/random.js'
import { addToFleet, loadFleet } from '../lab/fleet.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { openClients, serveTarget, type Target } from './support/arms.ts'
import { compare, cpuPerUnit, unitsPerSec } from './support/report.ts'
import type { Arm } from './support/rounds.ts'
import { compareKinds } from './write/kinds.ts'
import { compareSyncs } from './write/syncs.ts'
import { checkBody, inTurn, MANY, makeWriters, openPoster, type Writer } from './write/writers.ts'

/** Number of organisations that write. Each may change only so many things in a burst. */
const ORGS = 300
const SHORT_ORGS = 200
const IN_FLIGHT = 2

/** Size of the fleet for `kinds`, which needs no other checks. */
const FEW = { orgs: 1, checks: 100, monitors: 4, groups: 2 }

async function compareCreating(
  stage: Stage,
  target: Target,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<void> {
  const next = inTurn(writers)
  const post = openPoster(target)
  const bulk = (): object => {
    const [prefix, body] = [randomBytes(6).toString('hex'), checkBody(ids())]
    return {
      changes: Array.from({ length: MANY }, (_, n) => ({ action: 'put', kind: 'check', key: `${prefix}-${n}`, body })),
    }
  }
  const { meters } = target
  const arms: Arm[] = [
    {
      ...{ name: 'one by one', meters, unitsPerStep: 1 },
      step: (_, lane) => post('/checks', next(), checkBody(ids()), lane),
    },
    { name: 'in bulk', meters, unitsPerStep: MANY, step: (_, lane) => post('/bulk', next(), bulk(), lane) },
    await driverArm(stage, 'driver, one by one', { next, ids, many: 1 }),
    await driverArm(stage, 'driver, in bulk', { next, ids, many: MANY }),
  ]
  await compare(stage.flags, arms, {
    title: `write: checks created, each with two monitors, ${MANY} in bulk`,
    ...{ inFlight: IN_FLIGHT, firstSteps: 4 },
    claims: [
      ['one by one / driver, checks/s', 'one by one', 'driver, one by one', unitsPerSec],
      ['in bulk / driver, checks/s', 'in bulk', 'driver, in bulk', unitsPerSec],
      ['in bulk / one by one, checks/s', 'in bulk', 'one by one', unitsPerSec],
      ['in bulk / driver, CPU', 'in bulk', 'driver, in bulk', cpuPerUnit('server', 'postgres')],
    ],
  })
}

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

/** Stores the rows that the server stores, by prepared statements. Triggers, indexes and the sync clock are the same. */
async function driverArm(
  stage: Stage,
  name: string,
  { next, ids, many }: { next: () => Writer; ids: () => readonly string[]; many: number },
): Promise<Arm> {
  const clients = await openClients(stage, IN_FLIGHT)
  return {
    ...{ name, meters: [stage.postgres], unitsPerStep: many },
    step: async (_, lane) => {
      const client = clients[lane] as (typeof clients)[number]
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

await onStage(async (stage) => {
  const { only, short } = stage.flags
  const monitors = only === 'kinds' ? (await addToFleet(stage, FEW)).monitors : await loadFleet(stage)
  const target = await serveTarget(stage)
  const writers = await makeWriters(stage, only === 'kinds' ? 1 : short ? SHORT_ORGS : ORGS)
  // Each request names two other monitors, so that all monitors receive equally many changes.
  const ids = inTurn(monitors.map(({ id }, n) => [id, monitors[(n + 1) % monitors.length]?.id ?? id]))
  if (only === undefined || only === 'create') await compareCreating(stage, target, writers, ids)
  if (only === undefined || only === 'kinds') await compareKinds(stage, target, writers[0] as Writer, ids())
  if (only === undefined || only === 'syncs') await compareSyncs(stage, target, { writers, ids, monitors })
})
