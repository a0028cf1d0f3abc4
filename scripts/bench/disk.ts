// How much disk and log a result takes: rows in a month against what production makes of them where it seals hours; and of the parts
// by themselves, in several forms. With what real agents send, and a checkpoint every 15 minutes.
import { loadRecording } from '../lab/recorded-rows.ts'
import { type BareStage, onBareStage, onStage, type Stage, say, stageOn } from '../lab/stage.ts'
import { type Ground, logOf } from './disk/ground.ts'
import { insertHour, type Layout, type Taken } from './disk/open.ts'
import { type Cost, measureWay, type Way } from './disk/production.ts'
import { BYTES, FORMS, makeSource, seal, type Sealed, type Span } from './disk/seal.ts'
import { sealBesideHistory, type Steady } from './disk/steady.ts'
import { type Fact, printFacts, printRows } from './support/report.ts'

const CHECKS = 20_000
const FEW_CHECKS = 4000
const SPANS: readonly Span[] = [
  { hours: 1, every: 1 },
  { hours: 6, every: 1 },
  { hours: 1, every: 5 },
  { hours: 24, every: 5 },
]
const IN_PRODUCTION = 5000
const FEW_IN_PRODUCTION = 1000
const DISK_MAX = 30
const TIMES_LESS = 12
const PHASES_MAX = 4
const LOG_SHARE = 0.8
const SETTINGS = { checkpoint_timeout: '1d', max_wal_size: '64GB', shared_buffers: '2GB', work_mem: '256MB' }

/** As production stores results. Each sealed way is compared with the rows before it. */
const WAYS: readonly (Way & { rows?: string })[] = [
  { name: 'rows', seals: false, every_min: 1, monitors: 1 },
  { name: 'sealed', seals: true, every_min: 1, monitors: 1, rows: 'rows' },
  { name: 'sealed, no phases', seals: true, every_min: 1, monitors: 1, bare: true },
  { name: 'rows, monitors in turn', seals: false, every_min: 1, monitors: 3 },
  { name: 'sealed, monitors in turn', seals: true, every_min: 1, monitors: 3, rows: 'rows, monitors in turn' },
  { name: 'rows, every 5 min', seals: false, every_min: 5, monitors: 3 },
  { name: 'sealed, every 5 min', seals: true, every_min: 5, monitors: 3, rows: 'rows, every 5 min' },
]

const LAYOUTS: readonly Layout[] = [
  { name: 'rows, as today', minutes: undefined },
  // The first hour of a month is like this today.
  { name: 'open hours', minutes: 60 },
  { name: 'open ten minutes', minutes: 10 },
]

const isElsewhere = process.argv.includes('--plain')
await (isElsewhere ? onBareStage(elsewhere) : onStage(measure, SETTINGS))

/** On a Postgres that somebody else runs on this machine. */
async function elsewhere(bare: BareStage): Promise<void> {
  await measure(await stageOn(bare, bare.flags.plain ?? ''))
}

async function measure(stage: Stage): Promise<void> {
  const { rows } = await stage.database.pools.machines.query<{ version: string }>('select version()')
  process.stdout.write(`\n${(rows[0]?.version ?? '').split(' on ')[0]}, a checkpoint every 15 minutes\n`)
  if (stage.flags.only !== 'forms') await measureProduction(stage)
  if (stage.flags.only !== 'production') await measureForms(stage)
}

async function measureProduction(stage: Stage): Promise<void> {
  const { rows, short } = stage.flags
  const checks = rows ?? (short ? FEW_IN_PRODUCTION : IN_PRODUCTION)
  const costs = new Map<string, Cost>()
  for (const way of WAYS) costs.set(way.name, await measureWay(stage, way, checks))
  process.stdout.write(
    `\ndisk: ${checks.toLocaleString('en-US')} checks, as production stores and seals their results\n\n`,
  )
  const shown = (value: number, digits = 1) => value.toFixed(digits)
  printRows([
    ['bytes a result', 'disk', 'until sealed', 'log', 'of it sealing', 'postgres us', 'of it sealing'],
    ...[...costs.values()].map(({ name, disk, disk_open, log, cpu }) => [
      ...[name, shown(disk), shown(disk_open), shown(log.open + log.sealing), shown(log.sealing)],
      ...[shown(cpu.open + cpu.sealing, 2), shown(cpu.sealing, 2)],
    ]),
  ])
  const of = (name: string): Cost => costs.get(name) as Cost
  const facts = WAYS.flatMap(({ name, rows: than, every_min }): Fact[] => {
    if (than === undefined) return []
    const [sealed, plain] = [of(name), of(than)]
    const log = (sealed.log.open + sealed.log.sealing) / (plain.log.open + plain.log.sealing)
    // What is asked of checks that run every minute; of the others only how much it is.
    return every_min === 1
      ? [
          { what: `${name}: disk, bytes a result`, value: sealed.disk, digits: 1, atMost: DISK_MAX },
          { what: `${name}: disk, rows / sealed`, value: plain.disk / sealed.disk, digits: 1, atLeast: TIMES_LESS },
          { what: `${name}: log / rows`, value: log, atMost: LOG_SHARE },
        ]
      : [
          { what: `${name}: disk, bytes a result`, value: sealed.disk, digits: 1 },
          { what: `${name}: disk, rows / sealed`, value: plain.disk / sealed.disk, digits: 1 },
          { what: `${name}: log / rows`, value: log },
        ]
  })
  const phases = of('sealed').disk - of('sealed, no phases').disk
  printFacts([
    ...facts,
    { what: 'phases and certificates, bytes a result', value: phases, digits: 1, atMost: PHASES_MAX },
  ])
}

/** Forms that a sealed row could have, and partitions that open hours could have. */
async function measureForms({ flags, database, postgres: meter }: Stage): Promise<void> {
  const checks = flags.rows ?? (flags.short ? FEW_CHECKS : CHECKS)
  const ground: Ground = { database, meter, checks, log: () => logOf(database) }
  await loadRecording(database.pools.machines)
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
  print(checks, { open, sealed, steady: await sealBesideHistory(ground, hour) })
}

interface Found {
  open: readonly Taken[]
  sealed: readonly Sealed[]
  steady: readonly Steady[]
}

function print(checks: number, { open, sealed, steady }: Found): void {
  const per = (bytes: number, { results }: { results: number }, digits = 1) => (bytes / results).toFixed(digits)
  const us = (seconds: number, taken: Taken) => per(seconds * 1e6, taken, 2)
  process.stdout.write(
    `\ndisk: forms, of an hour of ${checks.toLocaleString('en-US')} checks at 60 s from three monitors in turn\n\n`,
  )
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
    { what: `disk, bytes a result: ${best.name}`, value: best.disk / best.results, digits: 1 },
    { what: 'disk: rows as today / sealed', value: today.disk / today.results / (best.disk / best.results), digits: 1 },
    {
      what: `log: ${least.name}, and sealed ${steady[0]?.name} / rows as today`,
      value: (least.log / least.results + (steady[0]?.log ?? 0) / best.results) / (today.log / today.results),
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
