// Tests on a given Citus cluster: TEST_DATABASE_URL names its coordinator, DOGWATCH_TEST_NODES its workers (host:port with
// commas between). Each database of a test is then one on every server, copied from a template on every server: what Citus
// knows of tables, shards and nodes is in the database, so that copies of the same name belong together.

import { systemClock } from '@dogwatch/runtime/clock'
import pg from 'pg'
import { connect } from '../../src/results/sharding/session.ts'
import { shardTables } from '../../src/results/sharding/shard.ts'

/** Every copy has files for each of them. */
const SHARDS = 4

export const IS_ON_CLUSTER = (process.env.DOGWATCH_TEST_NODES ?? '') !== ''

/** The urls of the workers; none where tests run on one Postgres. */
export function workerUrls(coordinator_url: string): string[] {
  const nodes = (process.env.DOGWATCH_TEST_NODES ?? '').split(',').filter(Boolean)
  return nodes.map((host) => {
    const url = new URL(coordinator_url)
    url.host = host
    return url.href
  })
}

/** What /readyz says, without where results are. */
export const withoutLayout = (line: string): string => line.replace(/ \(results on \d+ nodes, \d+ shards\)$/, '')

/** Runs a statement on each of the servers, in the database of the url. */
export async function onEach(urls: readonly string[], statement: string): Promise<void> {
  await Promise.all(urls.map((url) => withClient(url, (client) => client.query(statement))))
}

/** The url of a test's database, and those of its parts on the nodes. */
function everyUrl(database_url: string): string[] {
  const { pathname } = new URL(database_url)
  const nodes = workerUrls(database_url).map((url) => Object.assign(new URL(url), { pathname }).href)
  return [database_url, ...nodes]
}

/** The rows of a statement on the coordinator and on each node of a test's database: who stores results waits where they are. */
export async function askEach(
  database_url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const found = await Promise.all(
    everyUrl(database_url).map((url) =>
      withClient(url, async (client) => (await client.query<Record<string, unknown>>(statement, [...values])).rows),
    ),
  )
  return found.flat()
}

/** Runs a statement on the coordinator and on each node, in sessions that last until they are let go. */
export async function holdEach(
  database_url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<{ letGo(): Promise<void> }> {
  const clients = everyUrl(database_url).map((url) => new pg.Client({ connectionString: url }))
  for (const client of clients) {
    await client.connect()
    await client.query(statement, [...values])
  }
  return { letGo: async () => void (await Promise.all(clients.map((client) => client.end()))) }
}

/**
 * Runs statements that make triggers. Where a table is distributed they run on its nodes, and Citus has them only for those who
 * ask for it.
 */
export async function plantTriggers(database_url: string, ...statements: readonly string[]): Promise<void> {
  await withClient(database_url, async (client) => {
    // A plain Postgres takes it as a name that it does not know.
    for (const one of ['set citus.enable_unsafe_triggers = on', ...statements]) await client.query(one)
  })
}

async function withClient<Found>(url: string, work: (client: pg.Client) => Promise<Found>): Promise<Found> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** It ends a daemon of Citus, which uses each database and on a busy machine does not go at once. */
const GONE_TRIES = 20
const IN_USE = '55006'

export async function dropOnEach(urls: readonly string[], name: string): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      // Force: a test that failed may have left connections behind.
      return await onEach(urls, `drop database if exists ${name} with (force)`)
    } catch (error) {
      if ((error as { code?: unknown }).code !== IN_USE || n === GONE_TRIES) throw error
    }
  }
}

/** Turns a migrated database into one of the cluster. The workers have an empty database of the same name. */
export async function shardTemplate(template_url: string, workers: readonly string[]): Promise<void> {
  const own = new URL(template_url)
  const name = own.pathname.slice(1)
  const urls = [
    template_url,
    ...workers.map((worker) => Object.assign(new URL(worker), { pathname: own.pathname }).href),
  ]
  await onEach(urls, 'create extension citus')
  const client = await connect(template_url)
  try {
    await client.query('select citus_set_coordinator_host($1, $2)', [own.hostname, Number(own.port)])
    for (const worker of workers) {
      const { hostname, port } = new URL(worker)
      await client.query('select citus_add_node($1, $2)', [hostname, Number(port)])
    }
    await shardTables({
      url: template_url,
      shards: SHARDS,
      monotonicMs: () => systemClock.monotonicMs(),
      tell: () => {},
    })
  } finally {
    await client.end()
  }
  // Nobody can copy a database that somebody uses, and a daemon of Citus uses each.
  const admins = urls.map((url) => Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await onEach(admins, `alter database ${name} allow_connections false`)
  await onEach(admins, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`)
}
