// What an installation that has a year of rows goes through when hours are sealed for the first time: how long that takes, how
// much log and disk, and how much uploads slow down meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { sealHours } from '../../../packages/server/dist/domain/results/seal.js'
import { NEVER, readSealProgress } from '../../../packages/server/dist/store/results/sealing/sealing.js'
import { depsOf, settleTables } from '../../lab/archive.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { printFacts } from '../support/report.ts'
import { LOADED_UNTIL, type Year } from './load.ts'
import { openOwnRole } from './own-role.ts'
import { rateOf, slowdown, uploader } from './uploads.ts'

/** As long as the chore rests between its runs. */
const REST_MS = 15_000
/** As long as servers take to notice that sealing is on. */
const BEFORE_MS = 65_000
const TOLD_EVERY_MS = 300_000

/** By the chore itself, which takes a tenth of one connection's time. */
export async function measureMigration(year: Year): Promise<void> {
  const { stage, results } = year
  const upload = await uploader(year, { SEAL_HOURS: 'on' })
  const own = await openOwnRole(stage, 'sealing')
  const deps: Deps = { ...depsOf(stage), database: own.database, seals_hours: true }
  const rate = rateOf(year).toLocaleString('en-US')
  process.stdout.write(
    `migration: ${results.toLocaleString('en-US')} results become sealed hours, under ${rate} more a second\n\n`,
  )
  await settleTables(stage)
  const [rowsBefore, found] = [await diskOf(stage), await countStored(stage)]
  // Turns it on; from then on, every process has to notice it first.
  await sealHours(deps)
  say('migration: uploads alone')
  const before = await upload(pause(BEFORE_MS))
  say('migration: uploads beside it')
  const walBefore = await own.readWal()
  const begun = performance.now()
  let hours = 0
  const sealing = (async () => {
    for (let told = begun; !(await isOver(deps)); await pause(REST_MS)) {
      hours += (await sealHours(deps)).hours
      if (performance.now() - told < TOLD_EVERY_MS) continue
      told = performance.now()
      const { sealed_until } = await readSealProgress(deps.database.machines)
      say(`migration: ${hours.toLocaleString('en-US')} hours of checks, until ${sealed_until}`)
    }
    // What readers may have used when a run began is dropped by the next one.
    for (let run = 0; run < 2; run++) await sealHours(deps)
  })()
  const during = await upload(sealing)
  const seconds = (performance.now() - begun) / 1000
  const wal = (await own.readWal()) - walBefore
  await settleTables(stage)
  const [sealed, left] = [await diskOf(stage, 'sealed_hours'), await countStored(stage)]
  if (left !== found) throw new Error(`${found} results became ${left}`)
  printFacts([
    { what: 'migration: minutes', value: seconds / 60, digits: 1 },
    { what: 'hours of checks sealed', value: hours, digits: 0 },
    { what: 'results per hour of a check', value: results / hours, digits: 1 },
    { what: 'WAL, MB', value: wal / 1e6, digits: 0 },
    { what: 'WAL, bytes a result', value: wal / results, digits: 0 },
    { what: 'disk of rows before, bytes a result', value: rowsBefore / results, digits: 0 },
    { what: 'disk of sealed hours after, bytes a result', value: sealed / results, digits: 0 },
    ...slowdown(before, during),
  ])
}

async function isOver({ database }: Deps): Promise<boolean> {
  const { sealed_until, settled } = await readSealProgress(database.machines)
  return sealed_until !== NEVER && sealed_until >= settled
}

/** Of a table and all its partitions, with their indexes. */
async function diskOf({ database }: Stage, table = 'results'): Promise<number> {
  const { rows } = await database.pools.machines.query<{ bytes: number }>(
    `select coalesce(sum(pg_total_relation_size(relid)), 0)::float8 as bytes from pg_partition_tree($1::regclass)`,
    [table],
  )
  return rows[0]?.bytes ?? 0
}

/** Those that were loaded, wherever they are now. */
async function countStored({ database }: Stage): Promise<number> {
  const { rows } = await database.pools.machines.query<{ count: number }>(
    `select count(*)::float8 as count from stored_results where ran_at < $1::timestamptz`,
    [LOADED_UNTIL],
  )
  return rows[0]?.count ?? 0
}
