// What the service costs with a year of results in sealed hours: the same work on twenty million and on one million, and on
// one million that are rows; what it takes to seal twenty million for the first time; and a retention pass.

import { sealPast } from '../lab/sealing.ts'
import { settleTables } from '../lab/archive.ts'
import { onStage } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'
import { armsOf, WORK } from './year/arms.ts'
import { loadYear } from './year/load.ts'
import { measureMigration } from './year/migration.ts'
import { measurePasses } from './year/passes.ts'

/**
 * `--only work` seals without measuring that, as it takes about an hour. `--only forms` compares sealed hours with rows, of the small
 * database alone.
 */
const PARTS = ['migration', 'work', 'forms']
const ROWS = 20_000_000
const FEW_ROWS = 1_000_000
/** One group has an org of each plan. */
const MANY = 20
const AT_MOST = 1.3
/**
 * As on a dedicated machine. With the small buffers of the embedded server, the ratios would measure how often a page
 * is copied from the system's cache, because both sides read the same plans and pages.
 */
const SETTINGS = { shared_buffers: '4GB', effective_cache_size: '12GB', max_wal_size: '8GB' }

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? (stage.flags.short ? FEW_ROWS : ROWS)
  const { only } = stage.flags
  if (only !== undefined && !PARTS.includes(only)) throw new Error(`--only: one of ${PARTS.join(', ')}`)
  const big = only === 'forms' ? undefined : await loadYear(stage, { name: 'big', groups: MANY, results: rows })
  if (big && only === 'work') await sealPast(big.stage)
  else if (big) await measureMigration(big)
  if (only === 'migration') return
  const small = await loadYear(stage, { name: 'small', groups: 1, results: rows / MANY })
  await sealPast(small.stage)
  const plain = await loadYear(stage, { name: 'rows', groups: 1, results: rows / MANY })
  const years = big ? [big, small, plain] : [small, plain]
  for (const year of years) await settleTables(year.stage)
  const arms: Arm[] = []
  for (const year of years) arms.push(...(await armsOf(year)))
  const plan = { ...stage.flags, inFlight: 1, firstSteps: 3 }
  const isWrite = ({ name }: Arm): boolean => name.startsWith('ingest')
  // Uploads last: they would leave one org's results in the small database and many orgs' in the big one, for pages to
  // read.
  const reads = await interleave(
    arms.filter((arm) => !isWrite(arm)),
    plan,
  )
  const measured = [...(await interleave(arms.filter(isWrite), plan)), ...reads]
  const [few, many] = [small, big].map((year) => year?.results.toLocaleString('en-US'))
  process.stdout.write(
    `\nyear: ${big ? `"big" has ${many} results of ${MANY * 4} orgs in sealed hours, ` : ''}"small" has ${few} of 4 orgs in sealed hours, "rows" the same as rows; one at a time\n`,
  )
  process.stdout.write(
    `${Object.entries(SETTINGS)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}\n\n`,
  )
  const [p50, cpu] = [percentile(0.5), cpuPerUnit('server', 'postgres')]
  printArms(measured, [
    { title: 'p50 ms', of: p50, digits: 2, spread: true },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits: 0 },
  ])
  const target = { atMost: AT_MOST }
  const pair = (work: string) => ({ top: `${work}, big`, bottom: `${work}, small` })
  const forms = (work: string) => ({ top: `${work}, small`, bottom: `${work}, rows` })
  const sizes = big ? WORK : []
  printClaims(measured, [
    ...sizes.map((work) => ({ what: `${work}: big / small, p50`, ...pair(work), of: p50, target })),
    ...sizes.map((work) => ({ what: `${work}: big / small, CPU`, ...pair(work), of: cpu })),
    ...WORK.map((work) => ({ what: `${work}: sealed / rows, p50`, ...forms(work), of: p50 })),
    ...WORK.map((work) => ({ what: `${work}: sealed / rows, CPU`, ...forms(work), of: cpu })),
  ])
  if (big) await measurePasses(big)
}, SETTINGS)
