// Hours of results as production stores them, minute after minute of an invented time: by its statement for uploads, into the
// partitions that its chore makes, sealed and dropped by its chore; against rows in a month, as without sealing.
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { sealHours } from '../../../packages/server/dist/domain/results/seal.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { hashToken } from '../../../packages/server/dist/runtime/tokens.js'
import { insertHealthyResults, type ResultColumns } from '../../../packages/server/dist/store/results/results.js'
import { readSealProgress } from '../../../packages/server/dist/store/results/sealing/sealing.js'
import { depsOf } from '../../lab/archive.ts'
import { makeDatabase } from '../../lab/databases.ts'
import { addToFleet, type FleetCheck, listChecks } from '../../lab/fleet.ts'
import { certificateEndOf, ONE_FAILS_OF, PHASES, runOf } from '../../lab/recording.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { logOf } from './ground.ts'

export interface Way {
  name: string
  seals: boolean
  every_min: number
  /** Monitors that take turns at a check. */
  monitors: number
  /** Without what runs tell of their phases and certificates. */
  bare?: boolean
}

export interface Cost {
  name: string
  results: number
  /** A result, in bytes. */
  disk: number
  log: { open: number; sealing: number }
  /** A result, in us of Postgres' processors. */
  cpu: { open: number; sealing: number }
  /** How much a result takes until it is sealed, in bytes. */
  disk_open: number
}

/** The month before is under way when sealing is turned on. From here on, partitions are short. */
const BEGIN_MS = Date.UTC(2026, 1, 1)
const MINUTE_MS = 60_000
const HOUR_MIN = 60
const TURNED_ON_MIN = 120
/** So that each check has pages of its own in the index of a month, and every partition was in use before. */
const WARM_UP_HOURS = 5
const MEASURED_HOURS = 3
/** Of each page, the first change after a checkpoint is written whole to the log. */
const CHECKPOINT_MIN = 15
const PARTITIONS_MIN = 10
/** In the minute of an hour in which the hour before is folded and sealed. */
const SEALED_AT_MIN = 10
const MOST_RUNS = 100
const ORGS = 50
const BATCH = 500

export async function measureWay(given: Stage, way: Way, checks: number): Promise<Cost> {
  say(`${way.name}: ${WARM_UP_HOURS} + ${MEASURED_HOURS} hours of ${checks.toLocaleString('en-US')} checks`)
  const arm = await openArm(given, way, checks)
  const warm = WARM_UP_HOURS * HOUR_MIN
  for (let minute = 0; minute < warm; minute++) await arm.pass(minute)
  const before = { results: arm.stored(), spent: arm.spent(), rows: await arm.sizeOf('results') }
  for (let minute = warm; minute < warm + MEASURED_HOURS * HOUR_MIN; minute++) await arm.pass(minute)
  const results = arm.stored() - before.results
  const [spent, rows] = [arm.spent(), await arm.sizeOf('results')]
  const per = (kind: keyof Spent, part: 'open' | 'sealing') => (spent[kind][part] - before.spent[kind][part]) / results
  const disk_open = way.seals ? rows / (await arm.countOpen()) : (rows - before.rows) / results
  return {
    name: way.name,
    results,
    disk: way.seals ? (await arm.sizeOf('sealed_hours')) / (arm.stored() - (await arm.countOpen())) : disk_open,
    disk_open,
    log: { open: per('log', 'open'), sealing: per('log', 'sealing') },
    cpu: { open: per('cpu', 'open') * 1e6, sealing: per('cpu', 'sealing') * 1e6 },
  }
}

/** Bytes of log and seconds of Postgres. */
type Spent = Record<'log' | 'cpu', Record<'open' | 'sealing', number>>

interface Arm {
  /** One minute of the invented time. */
  pass(minute: number): Promise<void>
  stored(): number
  spent(): Spent
  /** Of all partitions of a table, with their indexes. */
  sizeOf(table: string): Promise<number>
  /** How many results are rows. */
  countOpen(): Promise<number>
}

async function openArm(given: Stage, way: Way, checks: number): Promise<Arm> {
  const stage = await makeDatabase(given, `disk_${way.name.replaceAll(/\W+/g, '_')}`)
  const { machines } = stage.database.pools
  const groups = Math.ceil(checks / (BATCH * way.every_min))
  const fleet = await addToFleet(stage, { orgs: ORGS, checks, monitors: groups * way.monitors, groups })
  const callers = fleet.monitors.map(({ id, key }) => ({ id, key_hash: hashToken(key) }))
  const checksOf = await Promise.all(callers.slice(0, groups).map(({ id }) => listChecks(machines, id)))
  let now_ms = BEGIN_MS - TURNED_ON_MIN * MINUTE_MS
  const clock = { ...systemClock, now: () => new Date(now_ms) }
  const deps = { ...depsOf(stage), clock, seals_hours: way.seals }
  for (let run = 0; run < 2; run++, now_ms += 2 * MINUTE_MS) {
    await ensurePartitions(deps)
    await foldHistory(deps, checks)
    await sealHours(deps)
  }
  await ensurePartitions(deps)
  await machines.query('vacuum (analyze)')

  const spent: Spent = { log: { open: 0, sealing: 0 }, cpu: { open: 0, sealing: 0 } }
  const metered = async (part: 'open' | 'sealing', work: () => Promise<unknown>): Promise<void> => {
    const [log, cpu] = [await logOf(stage.database), stage.postgres.seconds()]
    await work()
    spent.log[part] += (await logOf(stage.database)) - log
    spent.cpu[part] += stage.postgres.seconds() - cpu
  }
  let stored = 0
  const upload = async (minute: number): Promise<void> => {
    for (const [group, its] of checksOf.entries()) {
      const due = its.filter(({ check_id }) => check_id % way.every_min === minute % way.every_min)
      const run = Math.floor(minute / way.every_min)
      const caller = callers[group + groups * (run % way.monitors)] as (typeof callers)[number]
      const columns = columnsOf(due, minute, run, way.bare === true)
      const { fresh } = await insertHealthyResults(stage.database, caller, columns)
      if (fresh !== due.length) throw new Error(`${fresh} of ${due.length} results were stored`)
      stored += fresh
    }
  }
  const sealBefore = async (hour: string): Promise<void> => {
    for (let runs = 0; runs < MOST_RUNS; runs++) {
      // One more run drops what the last one passed.
      const isSealed = (await readSealProgress(stage.database.machines)).sealed_until >= hour
      await sealHours(deps)
      if (isSealed) return
    }
    throw new Error(`what ran before ${hour} was not sealed`)
  }
  return {
    pass: async (minute) => {
      now_ms = BEGIN_MS + minute * MINUTE_MS + MINUTE_MS / 2
      if (minute % CHECKPOINT_MIN === 0) await machines.query('checkpoint')
      if (minute % PARTITIONS_MIN === 0) await metered('open', () => ensurePartitions(deps))
      await metered('open', () => upload(minute))
      if (minute < HOUR_MIN || minute % HOUR_MIN !== SEALED_AT_MIN) return
      // Both ways fold alike, so it is not counted.
      await foldHistory(deps, checks)
      const hour = new Date(BEGIN_MS + (minute - SEALED_AT_MIN) * MINUTE_MS).toISOString().replace('Z', '000Z')
      if (way.seals) await metered('sealing', () => sealBefore(hour))
    },
    stored: () => stored,
    spent: () => structuredClone(spent),
    sizeOf: async (table) => {
      const { rows } = await machines.query<{ bytes: number }>(
        `select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 as bytes from pg_inherits where inhparent = $1::regclass`,
        [table],
      )
      return rows[0]?.bytes ?? 0
    },
    countOpen: async () => {
      const { rows } = await machines.query<{ count: number }>('select count(*) as count from results')
      return rows[0]?.count ?? 0
    },
  }
}

/** What one upload has: a run of each check, each at its own second of the minute. */
function columnsOf(checks: readonly FleetCheck[], minute: number, number: number, bare: boolean): ResultColumns {
  const runs = checks.map(({ check_id }) => runOf(check_id, number, (number + check_id * 37) % ONE_FAILS_OF !== 0))
  const at_ms = BEGIN_MS + minute * MINUTE_MS
  return {
    check_guid: checks.map(({ guid }) => guid),
    ran_at: checks.map(({ check_id }, n) =>
      new Date(at_ms + ((check_id * 7919) % MINUTE_MS) + (runs[n]?.late_ms ?? 0)).toISOString(),
    ),
    success: runs.map(({ success }) => success),
    http_status: runs.map(({ http_status }) => http_status),
    latency_ms: runs.map(({ latency_ms }) => latency_ms),
    error: runs.map(({ error }) => error),
    response_sample: runs.map(({ response_sample }) => response_sample),
    ...(Object.fromEntries(
      PHASES.map((name) => [name, bare ? [] : runs.map(({ timings }) => timings[name])]),
    ) as Record<(typeof PHASES)[number], (number | null)[]>),
    retries: [],
    cert_expires_at: bare ? [] : runs.map((run, n) => certificateEndOf(checks[n]?.check_id ?? 0, run)),
  }
}
