// How much disk and log a result takes: rows as they are stored today against open hours in short partitions and sealed hours,
// in several forms. With what real agents send, and a checkpoint every 15 minutes.
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { parentOf, postgresMeter } from '../lab/cpu.ts'
import { loadRecording } from '../lab/recorded-rows.ts'
import { onBareStage, onStage, say } from '../lab/stage.ts'
import { type Ground, logOf } from './disk/ground.ts'
import { insertHour, type Layout, type Taken } from './disk/open.ts'
import { BYTES, FORMS, makeSource, seal, type Sealed, type Span } from './disk/seal.ts'
import { sealBesideHistory, type Steady } from './disk/steady.ts'
import { printFacts, printRows } from './support/report.ts'

const CHECKS = 20_000
const FEW_CHECKS = 4000
const SPANS: readonly Span[] = [
  { hours: 1, every: 1 },
  { hours: 6, every: 1 },
  { hours: 1, every: 5 },
  { hours: 24, every: 5 },
]
const DISK_MAX = 30
const LOG_SHARE = 0.8
const SETTINGS = { checkpoint_timeout: '1d', max_wal_size: '64GB', shared_buffers: '2GB', work_mem: '256MB' }

const LAYOUTS: readonly Layout[] = [
  { name: 'rows, as today', minutes: undefined },
  // The first hour of a month is like this today.
  { name: 'open hours', minutes: 60 },
  { name: 'open ten minutes', minutes: 10 },
]

const isElsewhere = process.argv.includes('--plain')
await (isElsewhere
  ? onBareStage(elsewhere)
  : onStage(({ flags, database, postgres }) => measure(database, postgres, flags), SETTINGS))

type Bare = Parameters<Parameters<typeof onBareStage>[0]>[0]

/** On a Postgres that somebody else runs on this machine. */
async function elsewhere({ flags, undo }: Bare): Promise<void> {
  const { plain: url = '' } = flags
  await migrateToLatest(url)
  const database = openDatabase({ url })
  undo(() => database.close())
  const { rows } = await database.pools.machines.query<{ pid: number }>('select pg_backend_pid() as pid')
  await measure(database, postgresMeter(parentOf(rows[0]?.pid ?? 0)), flags)
}

async function measure(database: Ground['database'], meter: Ground['meter'], flags: Bare['flags']): Promise<void> {
  const checks = flags.rows ?? (flags.short ? FEW_CHECKS : CHECKS)
  const ground: Ground = { database, meter, checks, log: () => logOf(database) }
  await loadRecording(database.pools.machines)
  const { rows } = await database.pools.machines.query<{ version: string }>('select version()')
  const compressions = await compressionsOf(ground)
  const open: Taken[] = []
  for (const layout of LAYOUTS) {
    say(`inserting an hour of ${checks.toLocaleString('en-US')} checks: ${layout.name}`)
    open.push(await insertHour(ground, layout))
  }
  const sealed: Sealed[] = []
  for (const span of SPANS) {
    const source = await makeSource(ground, span)
    for (const form of FORMS) {
      for (const compression of compressions) {
        say(`sealing: ${form.name}, ${span.hours} h of runs every ${span.every} min, ${compression}`)
        sealed.push(await seal(ground, { form, source, span, compression }))
      }
    }
  }
  const hour = sealed.find(({ name }) => name.startsWith(`${BYTES.name}, 1 h`)) as Sealed
  say('sealing beside earlier hours')
  print(rows[0]?.version ?? '', checks, { open, sealed, steady: await sealBesideHistory(ground, hour) })
}

interface Found {
  open: readonly Taken[]
  sealed: readonly Sealed[]
  steady: readonly Steady[]
}

function print(version: string, checks: number, { open, sealed, steady }: Found): void {
  const per = (bytes: number, { results }: { results: number }, digits = 1) => (bytes / results).toFixed(digits)
  const us = (seconds: number, taken: Taken) => per(seconds * 1e6, taken, 2)
  process.stdout.write(
    `\ndisk: an hour of ${checks.toLocaleString('en-US')} checks at 60 s from three monitors in turn\n`,
  )
  process.stdout.write(`${version.split(' on ')[0]}, a checkpoint every 15 minutes\n\n`)
  printRows([
    ['bytes a result', 'disk', 'log', 'postgres us'],
    ...open.map((one) => [one.name, per(one.disk, one), per(one.log, one), us(one.cpu, one)]),
  ])
  printRows([
    ['sealed', 'disk', 'of it index', 'log', 'sealing us', 'reading us'],
    ...sealed.map((one) => [
      one.name,
      per(one.disk, one),
      per(one.index, one),
      per(one.log, one),
      us(one.cpu, one),
      us(one.read, one),
    ]),
  ])
  printRows([['an hour sealed beside earlier ones', 'log'], ...steady.map((one) => [one.name, per(one.log, one)])])
  const today = open[0] as Taken
  const least = open.slice(1).reduce((a, b) => (a.log < b.log ? a : b))
  const best = sealed
    .filter(({ name }) => name.includes(', 1 h,') && !name.includes('every'))
    .reduce((a, b) => (a.disk < b.disk ? a : b))
  printFacts([
    { what: `disk, bytes a result: ${best.name}`, value: best.disk / best.results, digits: 1, atMost: DISK_MAX },
    { what: 'disk: rows as today / sealed', value: today.disk / today.results / (best.disk / best.results), digits: 1 },
    {
      what: `log: ${least.name}, and sealed ${steady[0]?.name} / rows as today`,
      value: (least.log / least.results + (steady[0]?.log ?? 0) / best.results) / (today.log / today.results),
      atMost: LOG_SHARE,
    },
  ])
}

/** Builds of Postgres differ in what they can compress with. */
async function compressionsOf({ database }: Ground): Promise<string[]> {
  const { rows } = await database.pools.machines.query<{ values: string[] }>(
    `select enumvals as values from pg_settings where name = 'default_toast_compression'`,
  )
  return (rows[0]?.values ?? []).toSorted()
}
