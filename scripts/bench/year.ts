// What the service costs with a year of results: the same work on twenty million and on one million, and a retention
// pass.

import { onStage } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'
import { armsOf, WORK } from './year/arms.ts'
import { loadYear } from './year/load.ts'
import { measurePasses } from './year/passes.ts'

const ROWS = 20_000_000
const FEW_ROWS = 1_000_000
/** One group has an org of each plan. */
const MANY = 20
const AT_MOST = 1.5
/**
 * As on a dedicated machine. With the small buffers of the embedded server, the ratios would measure how often a page
 * is copied from the system's cache, because both sides read the same plans and pages.
 */
const SETTINGS = { shared_buffers: '4GB', effective_cache_size: '12GB', max_wal_size: '8GB' }

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? (stage.flags.short ? FEW_ROWS : ROWS)
  const big = await loadYear(stage, { name: 'big', groups: MANY, results: rows })
  const small = await loadYear(stage, { name: 'small', groups: 1, results: rows / MANY })
  const arms: Arm[] = [...(await armsOf(big)), ...(await armsOf(small))]
  const plan = { ...stage.flags, inFlight: 1, firstSteps: 3 }
  const isWrite = ({ name }: Arm): boolean => name.startsWith('ingest')
  // Uploads last: they would leave one org's results in the small database and many orgs' in the big one, for pages to
  // read.
  const reads = await interleave(
    arms.filter((arm) => !isWrite(arm)),
    plan,
  )
  const measured = [...(await interleave(arms.filter(isWrite), plan)), ...reads]
  const [many, few] = [big, small].map(({ results }) => results.toLocaleString('en-US'))
  process.stdout.write(`\nyear: "big" has ${many} results of ${MANY * 4} orgs, "small" ${few} of 4; one at a time\n`)
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
  printClaims(measured, [
    ...WORK.map((work) => ({ what: `${work}: big / small, p50`, ...pair(work), of: p50, target })),
    ...WORK.map((work) => ({ what: `${work}: big / small, CPU`, ...pair(work), of: cpu })),
  ])
  await measurePasses(big)
}, SETTINGS)
