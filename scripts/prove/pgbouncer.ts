// Proves that the server works behind Debian's pgbouncer in transaction mode: the tests that go through HTTP and a database pass with
// every connection of the code under test through it, many more of them than it has to Postgres; and that the same fails where
// statements keep their names. `npm run prove -- pgbouncer [PATTERN...]`: other tests. Installs pgbouncer where it is missing.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { type Pgbouncer, startPgbouncer } from '../lab/pgbouncer.ts'
import { readFlagsAndPatterns } from '../lab/proof-flags.ts'
import { runProof, type World } from '../lab/world.ts'
import { lineOf, runSuites } from './support/suites.ts'

const { positionals: given } = readFlagsAndPatterns({})
const LIMIT_MS = 1_800_000
/** Each world opens three pools of four. */
const POOL_SIZE = 5
const SAMPLE_MS = 250
const FOLDERS =
  'access|account-api|alerting|commands|console|heartbeats|history|hostile|http|limits|monitor-api|sync-race'
const TESTS = [`server/test/(${FOLDERS})/`, 'server/test/store/(database|pooler)']
/** One that uses statements with names, over and over. */
const NAMED = ['server/test/account-api/results']

await runProof('pgbouncer', LIMIT_MS, async (undo) => {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-pgbouncer-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres and pgbouncer run as other users, who must be able to enter here.
  await chmod(folder, 0o711)
  const options = { dataDir: join(folder, 'data'), random: systemRandom, throwaway: true, remove: true }
  const postgres = await openEmbeddedPostgres(options)
  undo(() => postgres.stop())
  const pooler = await startPgbouncer({ folder, database_url: postgres.url, pool_size: POOL_SIZE }, undo)
  const env = { TEST_DATABASE_URL: postgres.url, DOGWATCH_TEST_POOLER: pooler.host }

  const widest = watchPools(pooler, undo)
  const through = await runSuites(given.length > 0 ? given : TESTS, join(folder, 'off.json'), env)
  const counts = await pooler.counts()
  const named = await runSuites(NAMED, join(folder, 'on.json'), { ...env, DOGWATCH_TEST_POOLER_PREPARED: 'on' })
  const { clients, servers } = widest()

  const faults = through.failures.map(lineOf)
  if (through.passed === 0 || through.failed > 0)
    faults.push(`${through.failed} tests failed, ${through.passed} passed`)
  if (counts.transactions < 10 * through.passed) faults.push(`only ${counts.transactions} transactions went through it`)
  if (clients <= servers) faults.push(`connections were not shared: ${clients} clients, ${servers} connections`)
  if (servers > POOL_SIZE) faults.push(`${servers} connections to one database, and not at most ${POOL_SIZE}`)
  if (named.failed === 0) faults.push('with statements prepared by name, nothing failed')
  if (!named.failures.some(({ why }) => /prepared statement/.test(why)))
    faults.push('no name of a statement was the reason')
  return {
    faults,
    figures:
      `pgbouncer ${pooler.version}: ${through.passed} tests passed, ${through.skipped} skipped, through ` +
      `${counts.transactions} transactions; up to ${clients} clients shared ${servers} connections; ` +
      `with statements prepared by name, ${named.failed} of ${named.failed + named.passed} failed`,
  }
})

/** The most clients that one database had at a time, and the most connections. */
function watchPools(pooler: Pgbouncer, undo: World['undo']): () => { clients: number; servers: number } {
  const widest = { clients: 0, servers: 0 }
  let isWatching = true
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    for (const { clients, servers } of await pooler.pools().catch(() => [])) {
      widest.clients = Math.max(widest.clients, clients)
      widest.servers = Math.max(widest.servers, servers)
    }
    if (isWatching) timer = setTimeout(() => (looking = look()), SAMPLE_MS)
  }
  let looking = look()
  undo(async () => {
    isWatching = false
    clearTimeout(timer)
    await looking
  })
  return () => widest
}
