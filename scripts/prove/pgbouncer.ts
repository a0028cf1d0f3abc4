// Proves that the server works behind Debian's pgbouncer in transaction mode: the tests that use HTTP and a database pass with every
// connection through it, more than it has to Postgres; and that they fail if statements keep their names.
// npm run prove -- pgbouncer
import { startPgbouncer } from '../lab/pgbouncer.ts'
import { openEmbedded } from '../lab/postgres.ts'
import { openFolder, readFlags, runProof } from '../lab/proof.ts'
import { runSuites } from '../lab/suites.ts'

readFlags({})
/**
 * Number of connections to Postgres for each database. It is less than a test needs, because each test opens three pools of four.
 */
const POOL_SIZE = 5
const FOLDERS =
  'access|account-api|alerting|commands|console|heartbeats|history|hostile|http|limits|monitor-api|sync-race'
const TESTS = [`(api|server)/test/(${FOLDERS})/`, 'api/test/store/(database|pooler)', '--maxWorkers=2', '--silent']
/** Test that uses named statements often, which cannot work behind pgbouncer. */
const NAMED = ['api/test/account-api/results']

await runProof('pgbouncer', 3_600_000, async (undo) => {
  const folder = await openFolder(undo)
  const { url } = await openEmbedded(folder, undo)
  const pooler = await startPgbouncer(folder, url, POOL_SIZE, undo)
  const env = { TEST_DATABASE_URL: url, DOGWATCH_TEST_POOLER: pooler.host }
  let [clients, servers] = [0, 0]
  const sampling = setInterval(() => {
    const note = (pools: Awaited<ReturnType<typeof pooler.pools>>) => {
      clients = Math.max(clients, ...pools.map((pool) => pool.clients))
      servers = Math.max(servers, ...pools.map((pool) => pool.servers))
    }
    pooler.pools().then(note, () => {})
  }, 250)
  undo(() => clearInterval(sampling))
  const through = await runSuites(TESTS, env)
  const transactions = await pooler.transactions()
  const named = await runSuites(NAMED, { ...env, DOGWATCH_TEST_POOLER_PREPARED: 'on' })
  return {
    faults: [
      ...through.failures,
      through.passed === 0 && 'no test passed',
      transactions < 10 * through.passed && `only ${transactions} transactions went through it`,
      clients <= servers && `connections were not shared: ${clients} clients, ${servers} connections`,
      servers > POOL_SIZE && `${servers} connections to one database, and not at most ${POOL_SIZE}`,
      !/prepared statement/.test(named.said) && 'statements prepared by name did not fail',
    ],
    figures: [
      `pgbouncer ${pooler.version}: ${through.passed} tests passed in ${transactions} transactions`,
      `up to ${clients} clients shared ${servers} connections`,
      `with statements prepared by name, ${named.failed} of ${named.failed + named.passed} failed`,
    ],
  }
})
