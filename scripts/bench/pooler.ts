// npm run bench -- pooler [--rounds N]: the cost of a statement and of a transaction: directly, without named
// statements, with the settings that a pooler requires, and through Debian's pgbouncer, which is installed if it is
// missing.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { readPresence } from '../../packages/server/dist/store/processes/availability.js'
import { type Database, openDatabase } from '../../packages/server/dist/store/database.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { updateSeen } from '../../packages/server/dist/store/monitors/monitors.js'
import { findReader } from '../../packages/server/dist/store/accounts/personal-tokens.js'
import { startPgbouncer } from '../lab/pgbouncer.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '12' } } })
const ROUNDS = Number(values.rounds)
const PER_ROUND = 200
const KEY = Buffer.alloc(32, 7)
const BOUNDS = { statement_ms: 20_000, lock_ms: 2_000, poolSize: 2 }

const WORK: Record<string, (database: Database) => Promise<unknown>> = {
  'a caller is seen (relaxed)': (database) => updateSeen(database, KEY, new Date().toISOString()),
  'a token is proved (durable)': (database) => findReader(database, KEY),
  'a transaction that reads': (database) => database.people.transaction().execute((trx) => readPresence(trx)),
}

const undoing: (() => Promise<unknown>)[] = []
try {
  await bench()
} finally {
  for (let step = undoing.pop(); step; step = undoing.pop()) await step()
}

async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-bench-pooler-'))
  undoing.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  const postgres = await openEmbeddedPostgres({ dataDir: join(folder, 'data'), random: systemRandom, throwaway: true })
  undoing.push(() => postgres.stop())
  await migrateToLatest(postgres.url)
  const plan = { folder, database_url: postgres.url, pool_size: 6 }
  const pooler = await startPgbouncer(plan, (step) => void undoing.push(step))
  const through = new URL(postgres.url)
  through.host = pooler.host
  const ways: Record<string, Database> = {
    direct: openDatabase({ ...BOUNDS, url: postgres.url }),
    'direct, settings with names': openDatabase({ ...BOUNDS, url: postgres.url, pooler: { isPrepared: true } }),
    'direct, settings, no names': openDatabase({ ...BOUNDS, url: postgres.url, pooler: { isPrepared: false } }),
    pgbouncer: openDatabase({ ...BOUNDS, url: through.href, pooler: { isPrepared: false } }),
  }
  for (const database of Object.values(ways)) undoing.push(() => database.close())
  await ways.direct?.pools.machines.query(
    `insert into monitors (id, name, region, country, city, key_hash, enrolled_at) values ('aaaabbbbcccc', 'm', 'r', 'DE', 'c', $1, now())`,
    [KEY],
  )
  for (const [what, work] of Object.entries(WORK)) {
    const took = new Map(Object.keys(ways).map((name) => [name, [] as number[]]))
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, database] of Object.entries(ways)) took.get(name)?.push(await timed(() => work(database)))
    }
    const base = median(took.get('direct') ?? [])
    for (const [name, rounds] of took) {
      const us = median(rounds)
      process.stdout.write(
        `${what.padEnd(30)} ${name.padEnd(30)} ${us.toFixed(0).padStart(6)} us  x${(us / base).toFixed(2)}\n`,
      )
    }
  }
}

/** Microseconds for each, one after the other. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  for (let n = 0; n < PER_ROUND; n++) await work()
  return ((performance.now() - begun) * 1000) / PER_ROUND
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? 0
}
