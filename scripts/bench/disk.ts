// Measures how much disk and log a result takes, in rows where the sealing chore does not run, and in sealed hours, as production
// stores, seals and drops results: minute after minute of an invented time, with what real agents send, and a checkpoint every 15
// minutes.
// npm run bench -- disk [--rows CHECKS]

import { foldHistory } from '../../packages/domain/dist/results/history.js'
import { ensurePartitions } from '../../packages/domain/dist/results/partitions.js'
import { sealHours } from '../../packages/domain/dist/results/seal.js'
import { systemClock } from '../../packages/runtime/dist/clock.js'
import { hashToken } from '../../packages/runtime/dist/tokens.js'
import { insertHealthyResults } from '../../packages/store/dist/results/results.js'
import { readSealProgress } from '../../packages/store/dist/results/sealing/sealing.js'
import { depsOf } from '../lab/archive.ts'
import { makeDatabase } from '../lab/databases.ts'
import { addToFleet, type FleetCheck, listChecks } from '../lab/fleet.ts'
import { ONE_FAILS_OF, PHASES } from '../lab/recording.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { numberOf } from '../lab/world.ts'
import { type Fact, printFacts, printRows } from './support/compare.ts'
import { resultOf, toColumns } from './support/requests.ts'

const CHECKS = 5000
const SETTINGS = { checkpoint_timeout: '1d', max_wal_size: '64GB', shared_buffers: '2GB', work_mem: '256MB' }

/** A variant of the measurement: how checks run, and how the database stores their results. */
interface Way {
  name: string
  /** Whether the chore runs that seals hours. */
  is_sealed: boolean
  every_min: number
  /** Number of monitors that take turns at a check. */
  monitors: number
  /** Whether results have neither phases nor certificates. */
  is_bare?: boolean
}

/** Variants of how checks run. The targets of the bench apply only to checks that run every minute. */
const RUNS = [
  { name: '', every_min: 1, monitors: 1 },
  { name: ', monitors in turn', every_min: 1, monitors: 3 },
  { name: ', every 5 min', every_min: 5, monitors: 3 },
]
const WAYS: readonly Way[] = [
  ...RUNS.flatMap((run) => [
    { ...run, name: `rows${run.name}`, is_sealed: false },
    { ...run, name: `sealed${run.name}`, is_sealed: true },
  ]),
  { name: 'sealed, no phases', every_min: 1, monitors: 1, is_sealed: true, is_bare: true },
]

/** Beginning of the invented time. Sealing began earlier, so partitions are short from here on where hours are sealed. */
const BEGIN_MS = Date.UTC(2026, 1, 1)
const MINUTE_MS = 60_000
const HOUR_MIN = 60
const BEGUN_MIN = 120
/**
 * Hours until the measurement begins. By then, each check has its own pages in the index of a month, and every partition was in
 * use.
 */
const WARM_UP_HOURS = 5
const MEASURED_HOURS = 3
const CHECKPOINT_MIN = 15
const PARTITIONS_MIN = 10
/** Minute of an hour at which the previous hour is summarised and sealed. */
const SEALED_AT_MIN = 10
const MOST_RUNS = 100
const ORGS = 50
const BATCH = 500

const LOG = `select pg_current_wal_insert_lsn() - '0/0'`
// All partitions of a table, with their indexes.
const SIZE = `
  select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits where inhparent = $1::regclass`

/** Bytes that a result takes on disk and in the log of Postgres. */
interface Cost {
  disk: number
  log: number
  log_of_sealing: number
}

async function measureWay(given: Stage, way: Way, checks: number): Promise<Cost> {
  say(`${way.name}: ${WARM_UP_HOURS} + ${MEASURED_HOURS} hours of ${checks} checks`)
  const arm = await openArm(given, way, checks)
  const warm = WARM_UP_HOURS * HOUR_MIN
  for (let minute = 0; minute < warm; minute++) await arm.pass(minute)
  const [before, rows] = [{ ...arm.sums }, await numberOf(arm.stage, SIZE, 'results')]
  for (let minute = warm; minute < warm + MEASURED_HOURS * HOUR_MIN; minute++) await arm.pass(minute)
  const results = arm.sums.results - before.results
  const disk = way.is_sealed
    ? (await numberOf(arm.stage, SIZE, 'sealed_hours')) /
      (arm.sums.results - (await numberOf(arm.stage, 'select count(*) from results')))
    : ((await numberOf(arm.stage, SIZE, 'results')) - rows) / results
  const log_of_sealing = (arm.sums.log_of_sealing - before.log_of_sealing) / results
  return { disk, log: (arm.sums.log - before.log) / results, log_of_sealing }
}

async function openArm(given: Stage, way: Way, checks: number) {
  const stage = await makeDatabase(given, way.name.replaceAll(/\W+/g, '_'))
  const { machines } = stage.database.pools
  const groups = Math.ceil(checks / (BATCH * way.every_min))
  const fleet = await addToFleet(stage, { orgs: ORGS, checks, monitors: groups * way.monitors, groups })
  const callers = fleet.monitors.map(({ id, key }) => ({ id, key_hash: hashToken(key) }))
  const checksOf = await Promise.all(callers.slice(0, groups).map(({ id }) => listChecks(machines, id)))
  let now_ms = BEGIN_MS - BEGUN_MIN * MINUTE_MS
  const clock = { ...systemClock, now: () => new Date(now_ms) }
  const deps = { ...depsOf(stage), clock }
  for (let run = 0; run < 2; run++, now_ms += 2 * MINUTE_MS) {
    await ensurePartitions(deps)
    await foldHistory(deps, checks)
    if (way.is_sealed) await sealHours(deps)
  }
  await ensurePartitions(deps)
  await machines.query('vacuum (analyze)')

  /** Sums over the whole measurement so far. */
  const sums = { results: 0, log: 0, log_of_sealing: 0 }
  const metered = async (work: () => Promise<unknown>, isSealing = false): Promise<void> => {
    const before = await numberOf(stage, LOG)
    await work()
    const written = (await numberOf(stage, LOG)) - before
    sums.log += written
    if (isSealing) sums.log_of_sealing += written
  }
  const upload = async (minute: number): Promise<void> => {
    const run = Math.floor(minute / way.every_min)
    for (const [group, its] of checksOf.entries()) {
      const due = its.filter(({ check_id }) => check_id % way.every_min === minute % way.every_min)
      const caller = callers[group + groups * (run % way.monitors)] as (typeof callers)[number]
      const { fresh } = await insertHealthyResults(stage.database, caller, columnsOf(due, minute, run, way.is_bare))
      if (fresh !== due.length) throw new Error(`${fresh} of ${due.length} results were stored`)
      sums.results += fresh
    }
  }
  const sealBefore = async (hour: string): Promise<void> => {
    for (let runs = 0; runs < MOST_RUNS; runs++) {
      // After the hour is sealed, one more run drops the rows that the previous run sealed.
      const isSealed = (await readSealProgress(stage.database.machines)).sealed_until >= hour
      await sealHours(deps)
      if (isSealed) return
    }
    throw new Error(`results before ${hour} were not sealed`)
  }
  /** Lets one minute of the invented time pass. */
  const pass = async (minute: number): Promise<void> => {
    now_ms = BEGIN_MS + minute * MINUTE_MS + MINUTE_MS / 2
    if (minute % CHECKPOINT_MIN === 0) await machines.query('checkpoint')
    if (minute % PARTITIONS_MIN === 0) await metered(() => ensurePartitions(deps))
    await metered(() => upload(minute))
    if (minute < HOUR_MIN || minute % HOUR_MIN !== SEALED_AT_MIN) return
    // Does not measure summarising, because it is the same for rows and for sealed hours.
    await foldHistory(deps, checks)
    const hour = new Date(BEGIN_MS + (minute - SEALED_AT_MIN) * MINUTE_MS).toISOString().replace('Z', '000Z')
    if (way.is_sealed) await metered(() => sealBefore(hour), true)
  }
  return { stage, sums, pass }
}

/** Returns the columns of an upload with one run of each check. Each check has its own second of the minute. */
function columnsOf(checks: readonly FleetCheck[], minute: number, number: number, isBare = false) {
  const at_ms = BEGIN_MS + minute * MINUTE_MS
  const columns = toColumns(
    checks.map((check) => {
      const { check_id } = check
      const result = resultOf(check, number, '', (number + check_id * 37) % ONE_FAILS_OF !== 0)
      return { ...result, ran_at: new Date(at_ms + ((check_id * 7919) % MINUTE_MS) + result.late_ms).toISOString() }
    }),
  )
  const none = Object.fromEntries(PHASES.map((name) => [name, []]))
  return isBare ? { ...columns, ...none, cert_expires_at: [] } : columns
}

await onStage(async (stage) => {
  const checks = stage.flags.rows ?? CHECKS
  const costs = new Map<string, Cost>()
  for (const way of WAYS) costs.set(way.name, await measureWay(stage, way, checks))
  process.stdout.write(`\ndisk: ${checks} checks, as production stores and seals their results; figures per result\n\n`)
  printRows([
    ['', 'disk bytes', 'log bytes', 'of it sealing'],
    ...[...costs].map(([name, cost]) => [name, ...Object.values(cost).map((one: number) => one.toFixed(1))]),
  ])
  const of = (name: string): Cost => costs.get(name) as Cost
  const facts = RUNS.flatMap(({ name, every_min }): Fact[] => {
    const [sealed, rows] = [of(`sealed${name}`), of(`rows${name}`)]
    const isMinute = every_min === 1
    return [
      [`sealed${name}: disk, bytes a result`, sealed.disk, 1, isMinute ? { atMost: 30 } : {}],
      [`sealed${name}: disk, rows / sealed`, rows.disk / sealed.disk, 1, isMinute ? { atLeast: 12 } : {}],
      [`sealed${name}: log / rows`, sealed.log / rows.log, 2, isMinute ? { atMost: 0.8 } : {}],
    ]
  })
  const phases = of('sealed').disk - of('sealed, no phases').disk
  printFacts([...facts, ['phases and certificates, bytes a result', phases, 1, { atMost: 4 }]])
}, SETTINGS)
