// Proves that the backups of docs/guides/backup.md restore a service: months of data, sealed, the commands word for word, and the responses of
// the account API against those of the original, byte for byte. Then the restored service continues: uploads are stored once, agents receive
// every check again, ids continue, and monitors that the backup does not know are refused. Needs Debian's Postgres.
// npm run prove -- restore
import { join } from 'node:path'
import { ApiError, type SyncCursor } from '../../packages/monitor-sdk/dist/index.js'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { assignMonitors, unassignMonitors } from '../../packages/server/dist/domain/checks/assign.js'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { sealHours } from '../../packages/server/dist/domain/results/seal.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { ask, type Cluster, type Debian, openDebian } from '../lab/postgres.ts'
import { need, openFolder, readFlags, runProof, sum, type Undo } from '../lab/proof.ts'
import { startServer } from '../lab/server.ts'
import { heartbeatOf, openDeps, openOrg } from '../lab/world.ts'
import { type Answers, compare, readAnswers } from './restore/account-answers.ts'
import { block, runBlock } from './restore/page.ts'
import {
  enroll,
  type Monitor,
  monitorAt,
  pastResults,
  populate,
  sealPast,
  type Tenant,
  tenantAt,
  upload,
  uploadNow,
} from './restore/tenants.ts'

readFlags({})
const HALF_AN_HOUR_MS = 1_800_000
/** Number of late results of each organisation. */
const LATE = 50
const ARCHIVED_MS = 60_000
const IDENTITIES = `
  select c.relname::text as table, a.attname::text as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attidentity <> '' order by 1`

interface Service {
  cluster: Cluster
  /** Database of the service. */
  database: string
  deps: Deps
  url: string
}

type Env = Readonly<Record<string, string>>

await runProof('restore', 1_500_000, async (undo) => {
  const folder = await openFolder(undo)
  const debian = openDebian(folder, undo)
  const [backups, archive] = [debian.home('backups'), debian.home('archive')]
  const cluster = await debian.create('original', block('archive').replaceAll('$WAL_ARCHIVE', archive))
  const original = await open(cluster, undo, true)
  const tenants = await populate(original.deps, original.url)
  await sealPast(original.deps)
  for (const tenant of tenants) {
    // Half an hour beside those that came in time.
    const results = pastResults(tenant, Date.now() - HALF_AN_HOUR_MS, LATE)
    for (const monitor of tenant.monitors.slice(0, 1)) await upload(monitor, results)
  }
  const [hours, late] = [await count(original, 'sealed_hours'), await count(original, 'reopened_results')]
  const env = { BACKUP_DIR: backups, DATABASE_URL: original.database, WAL_ARCHIVE: archive }
  await runBlock('base', { ...debian, env })
  for (const tenant of tenants) await uploadNow(tenant, true)
  const atDump = await readAll(original, tenants, 0)
  await runBlock('dump', { ...debian, env })
  const since = await goOn(original, tenants)
  const atEnd = await readAll(original, tenants, 1)
  const [row] = await ask(original.database, 'select pg_walfile_name(pg_current_wal_lsn()) as file, pg_switch_wal()')
  const archived = `select from pg_stat_archiver where last_archived_wal >= '${String(row && 'file' in row && row.file)}'`
  await need(async () => (await cluster.ask(archived)).length > 0, ARCHIVED_MS, 'the log is not archived')
  const counted = await count(original, 'stored_results')
  await cluster.kill()
  const dataDir = { ...env, DATA_DIR: join(folder, 'postgres', 'recovered') }
  const sealed = `${hours} sealed hours of checks and ${late} late results for them`
  return {
    faults: [
      ...(await proveDump(debian, env, { tenants, atDump, since }, undo)),
      ...(await proveLog(debian, dataDir, { tenants, atEnd, password: cluster.password }, undo)),
      (hours === 0 || late === 0) && `${sealed}: that is no trial`,
    ],
    figures: [
      `${tenants.length} organisations, ${counted} results, ${sealed}`,
      `${sum([...atDump, ...atEnd].map(({ size }) => size))} responses compared`,
    ],
  }
})

/** Starts the server on a cluster, like its commands do. */
async function open(cluster: Cluster, undo: Undo, seals = false): Promise<Service> {
  const database = cluster.url.replace(/postgres$/, 'dogwatch')
  const known = await cluster.ask("select from pg_database where datname = 'dogwatch'")
  if (known.length === 0) await cluster.ask('create database dogwatch')
  await migrateToLatest(database)
  const deps = openDeps(database, undo)
  // Before servers start, which might read rows alone for some seconds otherwise.
  if (seals) await sealHours({ ...deps, seals_hours: true })
  const env = { DATABASE_URL: database, LOG_LEVEL: 'fatal', ADDRESS_RATE_LIMIT: 'off' }
  const { url } = await startServer({ role: 'web', env }, undo)
  return { cluster, database, deps, url }
}

async function readAll({ url }: Service, tenants: readonly Tenant[], token: number): Promise<Answers[]> {
  return Promise.all(tenants.map(({ tokens }) => readAnswers(url, tokens[token] ?? '')))
}

function compareAll(what: string, before: readonly Answers[], after: readonly Answers[]): string[] {
  return before.flatMap((answers, n) => compare(`${what}, org ${n + 1}`, answers, after[n] ?? new Map()))
}

/** Data that only the log and the agents have, because it came after the dump. */
interface Since {
  /** Cursor of the first monitor of each organisation. */
  cursors: SyncCursor[]
  unknown: Monitor
}

async function goOn({ deps, url }: Service, tenants: readonly Tenant[]): Promise<Since> {
  const cursors: SyncCursor[] = []
  for (const { org_id, guids, monitors } of tenants) {
    const [shop = '', inside = ''] = guids
    const [first, second] = monitors
    const renamed = { guid: shop, name: 'renamed after the backup', url: 'https://new.example.com/', interval_sec: 600 }
    await importChecks(deps, org_id, [renamed])
    await unassignMonitors(deps, inside, [first?.id ?? ''])
    await assignMonitors(deps, shop, [second?.id ?? ''])
  }
  for (const tenant of tenants) await uploadNow(tenant, false)
  const unknown = await enroll(deps, url, tenants[0]?.org_id ?? 0, 'enrolled after the backup')
  for (const { monitors } of tenants) {
    const answer = await monitors[0]?.client.sync()
    if (answer) cursors.push(answer.server_time)
  }
  return { cursors, unknown }
}

async function proveDump(
  debian: Debian,
  env: Env,
  { tenants, atDump, since }: { tenants: readonly Tenant[]; atDump: readonly Answers[]; since: Since },
  undo: Undo,
): Promise<string[]> {
  const cluster = await debian.create('restored')
  await cluster.ask('create database dogwatch')
  const given = { ...debian, env: { ...env, NEW_DATABASE_URL: cluster.url.replace(/postgres$/, 'dogwatch') } }
  await runBlock('restore', given)
  await runBlock('announce', given)
  const restored = await open(cluster, undo)
  const own = tenants.map((tenant) => tenantAt(restored.url, tenant))
  return [
    ...compareAll('from the dump', atDump, await readAll(restored, tenants, 2)),
    ...(await proveSync(own, since)),
    ...(await proveUploads(restored, own)),
    ...(await proveNewIds(restored, own)),
    ...(await proveUnknown(monitorAt(restored.url, since.unknown))),
  ]
}

async function proveLog(
  debian: Debian,
  env: Env,
  { tenants, atEnd, password }: { tenants: readonly Tenant[]; atEnd: readonly Answers[]; password: string },
  undo: Undo,
): Promise<string[]> {
  await runBlock('recover', { ...debian, env })
  const cluster = await debian.at('recovered', password)
  await cluster.start()
  const recovered = 'select where not pg_is_in_recovery()'
  await need(async () => (await cluster.ask(recovered)).length > 0, ARCHIVED_MS, 'from the log: recovery does not end')
  const database = cluster.url.replace(/postgres$/, 'dogwatch')
  await runBlock('announce', { ...debian, env: { ...env, NEW_DATABASE_URL: database } })
  const service = await open(cluster, undo)
  const own = tenants.map((tenant) => tenantAt(service.url, tenant))
  return [
    ...compareAll('from the log', atEnd, await readAll(service, tenants, 3)),
    ...(await proveUploads(service, own)),
    ...(await proveNewIds(service, own)),
  ]
}

/** Requires that agents receive every check as it is now, also those that ask only for newer ones. */
async function proveSync(tenants: readonly Tenant[], { cursors }: Since): Promise<string[]> {
  const faults: string[] = []
  for (const [n, { monitors, guids }] of tenants.entries()) {
    const [monitor] = monitors
    if (!monitor) continue
    const { checks, server_time } = await monitor.client.sync(cursors[n])
    const [whole, later] = [await monitor.client.sync(), await monitor.client.sync(server_time)]
    const seen = (list: typeof checks) => JSON.stringify(list.map((check) => ({ ...check, updated_at: '' })))
    const shop = checks.find(({ guid }) => guid === guids[0])
    const org = `org ${n + 1}`
    if (server_time < (cursors[n] ?? '')) faults.push(`${org}: the time went back`)
    if (seen(checks) !== seen(whole.checks)) faults.push(`${org}: the delta is not complete`)
    if (shop?.name !== 'shop') faults.push(`${org}: the check is called ${shop?.name ?? 'nothing'}`)
    if (!checks.some(({ guid, deleted }) => guid === guids[1] && !deleted)) faults.push(`${org}: a check is missing`)
    if (later.checks.length > 0) faults.push(`${org}: checks come again and again`)
  }
  return faults
}

/** Requires that repeated results stay stored once, and new results are stored. */
async function proveUploads(service: Service, tenants: readonly Tenant[]): Promise<string[]> {
  const before = await count(service, 'stored_results')
  let [repeated, fresh] = [0, 0]
  const stored = await ask<{ monitor_id: string; guid: string; ran_at: string }>(
    service.database,
    `select a.monitor_id, a.guid, to_char(r.ran_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ran_at
     from stored_results r join assignments a using (org_id, check_id, monitor_id) where a.active order by 1, 2, 3 limit 2000`,
  )
  for (const monitor of tenants.flatMap(({ monitors }) => monitors)) {
    const own = stored.filter(({ monitor_id }) => monitor_id === monitor.id)
    const other = { success: true, http_status: 299, latency_ms: 1 }
    const again = own.map(({ guid, monitor_id, ran_at }) => ({ check_guid: guid, monitor_id, ran_at, ...other }))
    const accepted = await upload(monitor, again)
    if (accepted !== again.length) return [`${accepted} of ${again.length} repeated results were accepted`]
    repeated += accepted
  }
  if (repeated === 0) return ['no result was repeated']
  if ((await count(service, 'stored_results')) !== before) return ['repeated results are stored twice']
  for (const tenant of tenants) fresh += await uploadNow(tenant, true)
  const now = await count(service, 'stored_results')
  return fresh > 0 && now === before + fresh ? [] : [`${fresh} new results were accepted and ${now - before} stored`]
}

/** Requires that new rows of every kind get ids that no other row has. */
async function proveNewIds({ database, deps }: Service, tenants: readonly Tenant[]): Promise<string[]> {
  const { org_id } = await openOrg(deps, 'new')
  for (const org of [org_id, tenants.at(-1)?.org_id ?? 0]) {
    await importChecks(deps, org, [{ name: 'new', url: 'https://new.example.com/', interval_sec: 600 }])
    await createHeartbeat(deps, org, heartbeatOf('new', 60, 60))
    await createChannel(deps, org, { kind: 'ntfy', name: 'new', ntfy_topic: 'new' })
  }
  const faults: string[] = []
  const identities = await ask<{ table: string; column: string; sequence: string }>(database, IDENTITIES)
  for (const { table, column, sequence } of identities) {
    const most = `select coalesce(max("${column}"), 0) from "${table}"`
    const next = await ask(database, `select where nextval('${sequence}') > (${most})`)
    if (next.length === 0) faults.push(`${table}.${column} gives out ids that exist`)
  }
  return faults
}

async function proveUnknown({ client }: Monitor): Promise<string[]> {
  const refusal: unknown = await client.ping().then(
    () => undefined,
    (error: unknown) => error,
  )
  return refusal instanceof ApiError && refusal.status === 401 ? [] : ['an unknown monitor is accepted']
}

async function count({ database }: Service, table: string): Promise<number> {
  return Number((await ask<{ n: number }>(database, `select count(*)::integer as n from ${table}`))[0]?.n)
}
