// Proves that the backups of docs/guides/backup.md restore a service: months of data, sealed, the commands word for word, and the responses of
// the account API against those of the original, byte for byte. Then the restored service continues: uploads are stored once, agents receive
// every check again, ids continue, and monitors that the backup does not know are refused. Needs Debian's Postgres.
// npm run prove -- restore
import { join } from 'node:path'
import { assignMonitors, unassignMonitors } from '../../packages/domain/dist/checks/assign.js'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { foldHistory } from '../../packages/domain/dist/results/history.js'
import { ApiError, MonitorClient, type SyncCursor } from '../../packages/monitor-sdk/dist/index.js'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { makeYear } from '../lab/archive.ts'
import { type Cluster, openDebian } from '../lab/postgres.ts'
import { need, openFolder, readFlags, runProof, type Undo } from '../lab/proof.ts'
import { sealPast } from '../lab/sealing.ts'
import { type Server, startServer } from '../lab/server.ts'
import { numberOf, openDeps, query } from '../lab/world.ts'
import { type Answers, Customer, MONTHS } from './restore/customer.ts'
import { block, runBlock } from './restore/guide.ts'

readFlags({})
const [HALF_AN_HOUR_MS, DAY_MS, ARCHIVED_MS] = [1_800_000, 86_400_000, 60_000]
const [RESULTS_EACH, LATE] = [5000, 50]
const IDENTITIES = `
  select c.relname::text as table, a.attname::text as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attidentity <> '' order by 1`

interface Service {
  database: string
  deps: Deps
  server: Server
}

await runProof('restore', 1_500_000, async (undo) => {
  const folder = await openFolder(undo)
  const debian = openDebian(folder, undo)
  const [BACKUP_DIR, WAL_ARCHIVE] = [debian.home('backups'), debian.home('archive')]
  const cluster = await debian.create('original', block('archive').replaceAll('$WAL_ARCHIVE', WAL_ARCHIVE))
  await cluster.ask('create database dogwatch')
  const original = await open(cluster, undo)
  const customer = await fill(original)
  const [hours, late] = [await count(original.deps, 'sealed_hours'), await count(original.deps, 'reopened_results')]
  const env = { BACKUP_DIR, DATABASE_URL: original.database, WAL_ARCHIVE }
  runBlock('base', debian, env)
  await customer.uploadNow(true)
  const atDump = await customer.readAnswers(original.deps)
  runBlock('dump', debian, env)
  const { cursor, unknown } = await goOn(original, customer)
  const atEnd = await customer.readAnswers(original.deps)
  const file = 'select pg_walfile_name(pg_current_wal_lsn()) as file, pg_switch_wal()'
  const [row] = await cluster.ask<{ file: string }>(file)
  const archived = `select from pg_stat_archiver where last_archived_wal >= '${row?.file}'`
  await need(async () => (await cluster.ask(archived)).length > 0, ARCHIVED_MS, 'the log is not archived')
  const results = await count(original.deps, 'stored_results')
  await cluster.kill()

  const restored = await debian.create('restored')
  await restored.ask('create database dogwatch')
  runBlock('restore', debian, { ...env, NEW_DATABASE_URL: urlOf(restored) })
  runBlock('announce', debian, { NEW_DATABASE_URL: urlOf(restored) })
  const fromDump = await open(restored, undo)
  customer.url = fromDump.server.url
  const faults = compare('from the dump', atDump, await customer.readAnswers(fromDump.deps))
  faults.push(...(await proveSync(customer, cursor)), ...(await proveUse(fromDump, customer)))
  const stranger = new MonitorClient({ baseUrl: customer.url, token: unknown, retries: 0 })
  const refusal: unknown = await stranger.ping().catch((error: unknown) => error)
  if (!(refusal instanceof ApiError && refusal.status === 401)) faults.push('an unknown monitor is accepted')

  runBlock('recover', debian, { ...env, DATA_DIR: join(folder, 'postgres', 'recovered') })
  const recovered = await debian.at('recovered', cluster.password)
  await recovered.start()
  const isOver = async () => (await recovered.ask('select where not pg_is_in_recovery()')).length > 0
  await need(isOver, ARCHIVED_MS, 'from the log: recovery does not end')
  runBlock('announce', debian, { NEW_DATABASE_URL: urlOf(recovered) })
  const fromLog = await open(recovered, undo)
  customer.url = fromLog.server.url
  faults.push(...compare('from the log', atEnd, await customer.readAnswers(fromLog.deps)))
  faults.push(...(await proveUse(fromLog, customer)))

  const sealed = `${hours} sealed hours of checks and ${late} late results for them`
  return {
    faults: [...faults, (hours === 0 || late === 0) && `${sealed}: that is no trial`],
    figures: [`${results} results, ${sealed}`, `${atDump.size + atEnd.size} responses compared`],
  }
})

function urlOf(cluster: Cluster): string {
  return cluster.url.replace(/postgres$/, 'dogwatch')
}

/** Applies the migrations to a cluster, and starts the server on it. */
async function open(cluster: Cluster, undo: Undo): Promise<Service> {
  const database = urlOf(cluster)
  await migrateToLatest(database)
  const env = { DATABASE_URL: database, LOG_LEVEL: 'fatal', ADDRESS_RATE_LIMIT: 'off' }
  return { database, deps: openDeps(database, undo), server: await startServer({ role: 'web', env }, undo) }
}

/** Uploads the results of months and seals them, and then uploads some late results. */
async function fill({ deps, server }: Service): Promise<Customer> {
  await makeYear(deps, MONTHS + 1)
  const customer = await Customer.open(deps, server.url)
  const past = customer.pastResults(DAY_MS, RESULTS_EACH)
  for (const monitor of customer.monitors) await customer.upload(monitor, past)
  for (const success of [false, false, false, true, false]) await customer.uploadNow(success)
  await foldHistory(deps)
  await foldHistory(deps)
  // Stops the server during sealing, because a running server would notice only later that hours are sealed.
  await server.stop()
  await sealPast(deps)
  await server.start()
  // Uploads late results, each half an hour apart from those that came in time.
  await customer.upload(customer.monitors[0], customer.pastResults(DAY_MS + HALF_AN_HOUR_MS, LATE))
  return customer
}

/** Returns a line for each path whose responses differ. */
function compare(what: string, before: Answers, after: Answers): string[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
  return changed.map((path) => `${what}: ${path} was ${before.get(path)} and is ${after.get(path)}`)
}

/**
 * Makes changes after the backup, which are only in the log of Postgres and at the agents. Returns the cursor of the first
 * monitor, and the key of a new monitor.
 */
async function goOn({ deps }: Service, customer: Customer): Promise<{ cursor: SyncCursor; unknown: string }> {
  const [shop = '', inside = ''] = customer.guids
  const [first, second] = customer.monitors
  const renamed = { guid: shop, name: 'renamed after the backup', url: 'https://new.example.com/', interval_sec: 600 }
  await customer.org.addChecks([renamed])
  await unassignMonitors(deps, inside, [first.id])
  await assignMonitors(deps, shop, [second.id])
  await customer.uploadNow(false)
  const unknown = (await customer.enroll('enrolled after the backup')).key
  return { cursor: (await customer.clientOf(first).sync()).server_time, unknown }
}

/** Requires that agents receive every check in its present state, even agents that request only changes. */
async function proveSync(customer: Customer, cursor: SyncCursor): Promise<string[]> {
  const client = customer.clientOf(customer.monitors[0])
  const { checks, server_time } = await client.sync(cursor)
  const [whole, later] = [await client.sync(), await client.sync(server_time)]
  const seen = (list: typeof checks) => JSON.stringify(list.map((check) => ({ ...check, updated_at: '' })))
  const [shop, inside] = customer.guids.map((wanted) => checks.find(({ guid }) => guid === wanted))
  return [
    ...(server_time < cursor ? ['the time went back'] : []),
    ...(seen(checks) === seen(whole.checks) ? [] : ['the delta is not complete']),
    ...(shop?.name === 'shop' ? [] : [`the check is called ${shop?.name ?? 'nothing'}`]),
    ...(inside && !inside.deleted ? [] : ['a check is missing']),
    ...(later.checks.length > 0 ? ['checks come again and again'] : []),
  ]
}

/**
 * Requires that results that are uploaded again stay stored once, that the server stores new results, and that it assigns no id
 * twice.
 */
async function proveUse({ deps }: Service, customer: Customer): Promise<string[]> {
  const faults: string[] = []
  const before = await count(deps, 'stored_results')
  const again = customer.pastResults(DAY_MS, RESULTS_EACH).map((result) => ({ ...result, http_status: 299 }))
  let repeated = 0
  for (const monitor of customer.monitors) repeated += await customer.upload(monitor, again)
  if (repeated === 0) faults.push('no result was repeated')
  if ((await count(deps, 'stored_results')) !== before) faults.push('repeated results are stored twice')
  const fresh = await customer.uploadNow(true)
  const stored = (await count(deps, 'stored_results')) - before
  if (fresh === 0 || stored !== fresh) faults.push(`${fresh} new results were accepted and ${stored} stored`)
  const identities = await query<{ table: string; column: string; sequence: string }>(deps, IDENTITIES)
  for (const { table, column, sequence } of identities) {
    const isNew = `select (nextval('${sequence}') > (select coalesce(max("${column}"), 0) from "${table}"))::integer`
    if ((await numberOf(deps, isNew)) !== 1) faults.push(`${table}.${column} gives out ids that exist`)
  }
  return faults
}

function count(deps: Deps, table: string): Promise<number> {
  return numberOf(deps, `select count(*) from ${table}`)
}
