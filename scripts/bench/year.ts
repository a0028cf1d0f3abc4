// Measures what the service costs with a year of results in sealed hours: the same work on twenty million and on one million,
// and on one million that are rows; how long it takes to seal twenty million for the first time; and retention passes.
// npm run bench -- year [--only migration|work|forms] [--rows N] [--short]
import { settleTables } from '../lab/archive.ts'
import { request } from '../lab/lane.ts'
import { sealPast } from '../lab/sealing.ts'
import { onStage } from '../lab/stage.ts'
import { cookieOf, downloadExport, idleSyncs, pageRequest, requests, serveTarget, uploads } from './support/arms.ts'
import { batchMaker, noneFails } from './support/batches.ts'
import { compare, cpuPerUnit, p50 } from './support/report.ts'
import type { Arm } from './support/rounds.ts'
import { measureMigration, measurePasses } from './year/chores.ts'
import { loadYear, type Year } from './year/load.ts'

/** `work` seals without measuring that, because it takes about an hour. `forms` needs only the small databases. */
const PARTS = ['migration', 'work', 'forms']
const ROWS = 20_000_000
const FEW_ROWS = 1_000_000
/** Groups of organisations in the large database. A group has one organisation of each plan. */
const MANY = 20
const AT_MOST = 1.3
/** A page of results begins about in the middle of the year. */
const MIDDLE_DAYS = 180
/**
 * Settings of a dedicated machine. With the small buffers of the embedded server, the ratios would measure how often a page is
 * copied from the cache of the operating system.
 */
const SETTINGS = { shared_buffers: '4GB', effective_cache_size: '12GB', max_wal_size: '8GB' }

const INGEST = 'ingest'
const WORK = [
  ...[INGEST, 'results page', 'export', 'console: checks', 'console: a check, 24 h', 'console: a check, a year'],
  ...['sync, full', 'sync, idle'],
]

await onStage(async (stage) => {
  const rows = stage.flags.rows ?? (stage.flags.short ? FEW_ROWS : ROWS)
  const { only } = stage.flags
  if (only !== undefined && !PARTS.includes(only)) throw new Error(`--only is one of ${PARTS.join(', ')}`)
  const big = only === 'forms' ? undefined : await loadYear(stage, { name: 'big', groups: MANY, results: rows })
  if (big && only === 'work') await sealPast(big.stage)
  else if (big) await measureMigration(big)
  if (only === 'migration') return
  const small = await loadYear(stage, { name: 'small', groups: 1, results: rows / MANY })
  await sealPast(small.stage)
  const plain = await loadYear(stage, { name: 'rows', groups: 1, results: rows / MANY })
  const arms: Arm[] = []
  for (const year of big ? [big, small, plain] : [small, plain]) {
    await settleTables(year.stage)
    arms.push(...(await armsOf(year)))
  }
  const settings = Object.entries(SETTINGS).map(([name, value]) => `${name} ${value}`)
  const cpu = cpuPerUnit('server', 'postgres')
  // Uploads last, because pages would read what they leave.
  for (const works of [WORK.filter((work) => work !== INGEST), [INGEST]]) {
    await compare(
      stage.flags,
      arms.filter(({ name }) => works.some((work) => name.startsWith(`${work}, `))),
      {
        title: `year: ${big ? `"big" has ${big.results} results of ${big.orgs.length} organisations in sealed hours, ` : ''}"small" has ${small.results} of ${small.orgs.length} in sealed hours, "rows" has the same as rows; ${settings.join(', ')}`,
        ...{ inFlight: 1, firstSteps: 3 },
        claims: works.flatMap((work) => [
          ...(big
            ? [
                [`${work}: big / small, p50`, `${work}, big`, `${work}, small`, p50, { atMost: AT_MOST }] as const,
                [`${work}: big / small, CPU`, `${work}, big`, `${work}, small`, cpu] as const,
              ]
            : []),
          [`${work}: sealed / rows, p50`, `${work}, small`, `${work}, rows`, p50] as const,
          [`${work}: sealed / rows, CPU`, `${work}, small`, `${work}, rows`, cpu] as const,
        ]),
      },
    )
  }
  if (big) await measurePasses(big)
}, SETTINGS)

/** Returns an arm for each work. Each step asks for the next organisation: a large one, except for the export. */
async function armsOf({ name, stage, orgs, writers }: Year): Promise<Arm[]> {
  const target = await serveTarget(stage)
  const { server, meters } = target
  const large = orgs.filter(({ plan }) => plan === 'team')
  const small = orgs.filter(({ plan }) => plan === 'free')
  const org = (index: number) => large[index % large.length] as (typeof large)[number]
  const guid = (index: number) => org(index).guids[(index * 7) % org(index).guids.length] ?? ''
  const token = (index: number) => org(index).tokens[index % org(index).tokens.length] ?? ''
  const after = new Date(Date.now() - MIDDLE_DAYS * 86_400_000).toISOString()
  const page = (work: string, path: (index: number) => string, mark: string) =>
    requests(`${work}, ${name}`, target, mark, (index) => pageRequest(path(index), cookieOf(org(index).session)))
  const keys = large.map(({ monitor }) => monitor.key)
  let exported = 0
  return [
    uploads(`ingest, ${name}`, target, batchMaker(writers, noneFails), writers[0]?.checks.length),
    requests(`results page, ${name}`, target, '"next"', (index) =>
      request('GET', `/checks/${guid(index)}/results?after=${after}`, { key: token(index), api: 'account-api' }),
    ),
    {
      ...{ name: `export, ${name}`, meters, unitsPerStep: 1 },
      step: async () => {
        const { tokens } = small[exported % small.length] as (typeof small)[number]
        await downloadExport(stage, server, tokens[Math.floor(exported++ / small.length) % tokens.length] ?? '')
      },
    },
    page('console: checks', () => '/checks', '</html>'),
    page('console: a check, 24 h', (index) => `/checks/${guid(index)}?period=24h`, '</html>'),
    page('console: a check, a year', (index) => `/checks/${guid(index)}?period=1y`, '</html>'),
    requests(`sync, full, ${name}`, target, '"server_time"', (index) =>
      request('GET', '/checks', { key: keys[index % keys.length] ?? '' }),
    ),
    await idleSyncs(`sync, idle, ${name}`, target, keys),
  ]
}
