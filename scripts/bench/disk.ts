// Measures how much disk and log a result takes, in rows and in sealed hours, as production stores, seals and drops results:
// minute after minute of an invented time, with what real agents send, and a checkpoint every 15 minutes.
// npm run bench -- disk [--rows CHECKS] [--short] [--plain URL]

import { systemClock } from '../../packages/runtime/dist/clock.js'
import { hashToken } from '../../packages/runtime/dist/tokens.js'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { ensurePartitions } from '../../packages/server/dist/domain/results/partitions.js'
import { sealHours } from '../../packages/server/dist/domain/results/seal.js'
import { insertHealthyResults, type ResultColumns } from '../../packages/server/dist/store/results/results.js'
import { readSealProgress } from '../../packages/server/dist/store/results/sealing/sealing.js'
import { depsOf } from '../lab/archive.ts'
import { makeDatabase } from '../lab/databases.ts'
import { addToFleet, type FleetCheck, listChecks } from '../lab/fleet.ts'
import { ONE_FAILS_OF, PHASES } from '../lab/recording.ts'
import { type BareStage, onBareStage, onStage, type Stage, say, stageOn } from '../lab/stage.ts'
import { resultOf, toColumns } from './support/batches.ts'
import { type Fact, printFacts, printRows } from './support/report.ts'

const CHECKS = 5000
const FEW_CHECKS = 1000
const SETTINGS = { checkpoint_timeout: '1d', max_wal_size: '64GB', shared_buffers: '2GB', work_mem: '256MB' }

/** A way to store results. */
interface Way {
  name: string
  /** Name of the way that stores the same results as rows. Absent if this way does not seal. */
  rows?: string
  every_min: number
  /** Number of monitors that take turns at a check. */
  monitors: number
  /** Whether results have neither phases nor certificates. */
  is_bare?: boolean
}

const WAYS: readonly Way[] = [
  { name: 'rows', every_min: 1, monitors: 1 },
  { name: 'sealed', every_min: 1, monitors: 1, rows: 'rows' },
  { name: 'sealed, no phases', every_min: 1, monitors: 1, rows: 'rows', is_bare: true },
  { name: 'rows, monitors in turn', every_min: 1, monitors: 3 },
  { name: 'sealed, monitors in turn', every_min: 1, monitors: 3, rows: 'rows, monitors in turn' },
  { name: 'rows, every 5 min', every_min: 5, monitors: 3 },
  { name: 'sealed, every 5 min', every_min: 5, monitors: 3, rows: 'rows, every 5 min' },
]

/** Beginning of the invented time. From here on, partitions are short, because sealing was turned on before. */
const BEGIN_MS = Date.UTC(2026, 1, 1)
const MINUTE_MS = 60_000
const HOUR_MIN = 60
const TURNED_ON_MIN = 120
/** Hours after which each check has pages of its own in the index of a month, and every partition was in use. */
const WARM_UP_HOURS = 5
const MEASURED_HOURS = 3
const CHECKPOINT_MIN = 15
const PARTITIONS_MIN = 10
/** Minute at which the previous hour is summarised and sealed. */
const SEALED_AT_MIN = 10
const MOST_RUNS = 100
const ORGS = 50
const BATCH = 500

/** Bytes of log, and seconds of Postgres, for storing and for sealing. */
type Expense = Record<'log' | 'cpu', Record<'open' | 'sealing', number>>

/** Cost of a result: bytes of disk and log, and microseconds of Postgres. */
interface Cost extends Expense {
  disk: number
}

/** Measures on another Postgres of this machine. */
async function measureElsewhere(bare: BareStage): Promise<void> {
  await measure(await stageOn(bare, bare.flags.plain ?? ''))
}

async function measure(stage: Stage): Promise<void> {
  const { rows, short } = stage.flags
  const checks = rows ?? (short ? FEW_CHECKS : CHECKS)
  const costs = new Map<string, Cost>()
  for (const way of WAYS) costs.set(way.name, await measureWay(stage, way, checks))
  process.stdout.write(`\ndisk: ${checks} checks, as production stores and seals their results; figures per result\n\n`)
  printRows([
    ['', 'disk bytes', 'log bytes', 'of it sealing', 'postgres us', 'of it sealing'],
    ...[...costs].map(([name, { disk, log, cpu }]) => [
      name,
      ...[disk, log.open + log.sealing, log.sealing, cpu.open + cpu.sealing, cpu.sealing].map((one) => one.toFixed(1)),
    ]),
  ])
  const of = (name: string): Cost => costs.get(name) as Cost
  const facts = WAYS.flatMap(({ name, rows: than, every_min, is_bare }): Fact[] => {
    if (than === undefined || is_bare) return []
    const [sealed, plain] = [of(name), of(than)]
    const log = (sealed.log.open + sealed.log.sealing) / (plain.log.open + plain.log.sealing)
    // Checks that run less often have no target.
    const isMinute = every_min === 1
    return [
      [`${name}: disk, bytes a result`, sealed.disk, 1, isMinute ? { atMost: 30 } : {}],
      [`${name}: disk, rows / sealed`, plain.disk / sealed.disk, 1, isMinute ? { atLeast: 12 } : {}],
      [`${name}: log / rows`, log, 2, isMinute ? { atMost: 0.8 } : {}],
    ]
  })
  const phases = of('sealed').disk - of('sealed, no phases').disk
  printFacts([...facts, ['phases and certificates, bytes a result', phases, 1, { atMost: 4 }]])
}

async function measureWay(given: Stage, way: Way, checks: number): Promise<Cost> {
  say(`${way.name}: ${WARM_UP_HOURS} + ${MEASURED_HOURS} hours of ${checks} checks`)
  const arm = await openArm(given, way, checks)
  const warm = WARM_UP_HOURS * HOUR_MIN
  for (let minute = 0; minute < warm; minute++) await arm.pass(minute)
  const before = { results: arm.stored(), spent: arm.spent(), rows: await arm.sizeOf('results') }
  for (let minute = warm; minute < warm + MEASURED_HOURS * HOUR_MIN; minute++) await arm.pass(minute)
  const results = arm.stored() - before.results
  const spent = arm.spent()
  const per = (kind: keyof Expense, part: 'open' | 'sealing') =>
    (spent[kind][part] - before.spent[kind][part]) / results
  const isSealed = way.rows !== undefined
  return {
    disk: isSealed
      ? (await arm.sizeOf('sealed_hours')) / (arm.stored() - (await arm.countOpen()))
      : ((await arm.sizeOf('results')) - before.rows) / results,
    log: { open: per('log', 'open'), sealing: per('log', 'sealing') },
    cpu: { open: per('cpu', 'open') * 1e6, sealing: per('cpu', 'sealing') * 1e6 },
  }
}

async function openArm(given: Stage, way: Way, checks: number) {
  const stage = await makeDatabase(given, `disk_${way.name.replaceAll(/\W+/g, '_')}`)
  const { machines } = stage.database.pools
  const groups = Math.ceil(checks / (BATCH * way.every_min))
  const fleet = await addToFleet(stage, { orgs: ORGS, checks, monitors: groups * way.monitors, groups })
  const callers = fleet.monitors.map(({ id, key }) => ({ id, key_hash: hashToken(key) }))
  const checksOf = await Promise.all(callers.slice(0, groups).map(({ id }) => listChecks(machines, id)))
  let now_ms = BEGIN_MS - TURNED_ON_MIN * MINUTE_MS
  const clock = { ...systemClock, now: () => new Date(now_ms) }
  const deps = { ...depsOf(stage), clock, seals_hours: way.rows !== undefined }
  for (let run = 0; run < 2; run++, now_ms += 2 * MINUTE_MS) {
    await ensurePartitions(deps)
    await foldHistory(deps, checks)
    await sealHours(deps)
  }
  await ensurePartitions(deps)
  await machines.query('vacuum (analyze)')

  const numberOf = async (text: string, values: readonly string[] = []): Promise<number> =>
    Number((await machines.query<{ number: number }>(text, [...values])).rows[0]?.number)
  const spent: Expense = { log: { open: 0, sealing: 0 }, cpu: { open: 0, sealing: 0 } }
  const metered = async (part: 'open' | 'sealing', work: () => Promise<unknown>): Promise<void> => {
    const [log, cpu] = [await numberOf(LOG), stage.postgres.seconds()]
    await work()
    spent.log[part] += (await numberOf(LOG)) - log
    spent.cpu[part] += stage.postgres.seconds() - cpu
  }
  let stored = 0
  const upload = async (minute: number): Promise<void> => {
    const run = Math.floor(minute / way.every_min)
    for (const [group, its] of checksOf.entries()) {
      const due = its.filter(({ check_id }) => check_id % way.every_min === minute % way.every_min)
      const caller = callers[group + groups * (run % way.monitors)] as (typeof callers)[number]
      const columns = columnsOf(due, minute, run)
      const { fresh } = await insertHealthyResults(
        stage.database,
        caller,
        way.is_bare ? withoutPhases(columns) : columns,
      )
      if (fresh !== due.length) throw new Error(`${fresh} of ${due.length} results were stored`)
      stored += fresh
    }
  }
  const sealBefore = async (hour: string): Promise<void> => {
    for (let runs = 0; runs < MOST_RUNS; runs++) {
      // One more run drops the rows that the previous one sealed.
      const isSealed = (await readSealProgress(stage.database.machines)).sealed_until >= hour
      await sealHours(deps)
      if (isSealed) return
    }
    throw new Error(`results before ${hour} were not sealed`)
  }
  return {
    /** Passes one minute of the invented time. */
    pass: async (minute: number): Promise<void> => {
      now_ms = BEGIN_MS + minute * MINUTE_MS + MINUTE_MS / 2
      if (minute % CHECKPOINT_MIN === 0) await machines.query('checkpoint')
      if (minute % PARTITIONS_MIN === 0) await metered('open', () => ensurePartitions(deps))
      await metered('open', () => upload(minute))
      if (minute < HOUR_MIN || minute % HOUR_MIN !== SEALED_AT_MIN) return
      // Not metered, because both ways summarise alike.
      await foldHistory(deps, checks)
      const hour = new Date(BEGIN_MS + (minute - SEALED_AT_MIN) * MINUTE_MS).toISOString().replace('Z', '000Z')
      if (deps.seals_hours) await metered('sealing', () => sealBefore(hour))
    },
    stored: () => stored,
    spent: () => structuredClone(spent),
    /** Reads the size of all partitions of a table, with their indexes. */
    sizeOf: (table: string) => numberOf(SIZE, [table]),
    countOpen: () => numberOf('select count(*) as number from results'),
  }
}

const LOG = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as number`
const SIZE = `
  select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 as number from pg_inherits where inhparent = $1::regclass`

/** Returns the columns of an upload: a run of each check, each at its own second of the minute. */
function columnsOf(checks: readonly FleetCheck[], minute: number, number: number): ResultColumns {
  const at_ms = BEGIN_MS + minute * MINUTE_MS
  return toColumns(
    checks.map((check) => {
      const { check_id } = check
      const result = resultOf(check, number, '', (number + check_id * 37) % ONE_FAILS_OF !== 0)
      return { ...result, ran_at: new Date(at_ms + ((check_id * 7919) % MINUTE_MS) + result.late_ms).toISOString() }
    }),
  )
}

function withoutPhases(columns: ResultColumns): ResultColumns {
  return { ...columns, ...Object.fromEntries(PHASES.map((name) => [name, []])), cert_expires_at: [] }
}

await (process.argv.includes('--plain') ? onBareStage(measureElsewhere) : onStage(measure, SETTINGS))
