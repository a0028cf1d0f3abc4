// Proves that the backups of docs/guides/backup.md are worth something: a service with months of data, sealed, its commands word for word,
// and the account API's whole answers against those of the original, byte for byte, but for the moment of asking that an
// export tells. Then the restored service goes on: uploads are stored once, agents hear of every check again, ids go on, and
// what the backup does not know is refused. Needs Debian's Postgres, which it installs where it may.
// npm run prove -- restore
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type SyncCursor } from '../../packages/monitor-sdk/dist/index.js'
import { assignMonitors, unassignMonitors } from '../../packages/server/dist/domain/checks/assign.js'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { readFlags } from '../lab/proof-flags.ts'
import { LIFELINE, listeningPort, type Outcome, runProof, SERVER, until, type World } from '../lab/world.ts'
import { SERVER_FLAGS } from '../server-flags.js'
import { type Answers, compare, readAnswers } from './restore/account-answers.ts'
import {
  type Cluster,
  inDatabase,
  makeCluster,
  openPlace,
  ownFolder,
  type Place,
  passwordOf,
  startCluster,
} from './restore/cluster.ts'
import { block, runBlock } from './restore/page.ts'
import { sealPast, turnSealingOn } from './restore/sealed.ts'
import { clientOf, enroll, pastResults, populate, type Tenant, upload, uploadNow } from './restore/tenants.ts'

readFlags({})
const LIMIT_MS = 1_500_000
const HALF_AN_HOUR_MS = 1_800_000
/** How many results an org's first monitor uploads late, of times that have none. */
const LATE = 50
const ARCHIVED_MS = 60_000
const IDENTITIES = `
  select c.relname::text as table, a.attname::text as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attidentity <> '' order by 1`

await runProof('restore', LIMIT_MS, prove)

interface Service {
  cluster: Cluster
  deps: Deps
  url: string
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const place = await openFolder(undo)
  const [backups, archive] = [ownFolder(place, 'backups'), ownFolder(place, 'archive')]
  // The page says to write the path.
  const conf = block('archive').replaceAll('$WAL_ARCHIVE', archive)
  const original = await open(await makeCluster(place, 'original', conf, undo), undo, turnSealingOn)
  const tenants = await populate(original.deps, original.url)
  await sealPast(original.deps)
  for (const tenant of tenants) await uploadLate(original, tenant)
  const [hours, late] = [
    await count(original.cluster, 'sealed_hours'),
    await count(original.cluster, 'reopened_results'),
  ]
  const env = { BACKUP_DIR: backups, DATABASE_URL: original.cluster.url, WAL_ARCHIVE: archive }

  await runBlock('base', { ...place, env })
  for (const tenant of tenants) await uploadNow(original.deps, original.url, tenant, 'ok')
  const atDump = await readAll(original, tenants, 0)
  await runBlock('dump', { ...place, env })
  const since = await goOn(original, tenants)
  const atEnd = await readAll(original, tenants, 1)
  await untilArchived(original.cluster)
  const counted = await count(original.cluster, 'stored_results')
  await original.cluster.kill()

  const faults = [
    ...(await proveDump(place, env, { tenants, atDump, since }, undo)),
    ...(await proveLog(
      place,
      { ...env, DATA_DIR: join(place.folder, 'recovered') },
      { tenants, atEnd, original },
      undo,
    )),
  ]
  const answers = [...atDump, ...atEnd].reduce((sum, { size }) => sum + size, 0)
  const sealed = `${hours} sealed hours of checks and ${late} results that came for them later`
  if (hours === 0 || late === 0) faults.push(`${sealed}: that is no trial`)
  return { figures: `${tenants.length} orgs, ${counted} results, ${sealed}, ${answers} answers compared`, faults }
}

async function openFolder(undo: World['undo']): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-restore-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  return openPlace(folder)
}

/** The server on a cluster, started like its commands do. */
async function open(
  cluster: Cluster,
  undo: World['undo'],
  prepare: (deps: Deps) => Promise<void> = async () => {},
): Promise<Service> {
  await migrateToLatest(cluster.url)
  const database = openDatabase({ url: cluster.url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  await prepare(deps)
  const settings = { DATABASE_URL: cluster.url, PORT: '0', LOG_LEVEL: 'fatal', ADDRESS_RATE_LIMIT: 'off' }
  const child = spawn(process.execPath, [...SERVER_FLAGS, '--import', LIFELINE, SERVER, 'serve', '--role', 'web'], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  undo(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { cluster, deps, url: `http://127.0.0.1:${await listeningPort(child)}` }
}

async function readAll({ url }: Service, tenants: readonly Tenant[], token: number): Promise<Answers[]> {
  return Promise.all(tenants.map(({ tokens }) => readAnswers(url, tokens[token] ?? '')))
}

function compareAll(what: string, before: readonly Answers[], after: readonly Answers[]): string[] {
  return before.flatMap((answers, n) =>
    compare(`${what}, org ${n + 1}`, answers, after[n] ?? new Map<string, string>()),
  )
}

async function uploadLate({ deps, url }: Service, tenant: Tenant): Promise<void> {
  // Half an hour beside those that were uploaded in time.
  const results = pastResults(tenant, deps.clock.now().getTime() - HALF_AN_HOUR_MS, LATE)
  for (const monitor of tenant.monitors.slice(0, 1)) await upload(url, monitor, results)
}

interface Since {
  /** Of the first monitor of each org: what it was last told. */
  cursors: SyncCursor[]
  /** Created after the dump. */
  unknown: { id: string; key: string }
}

/** What happens after the dump: only the log and the agents know of it. */
async function goOn({ deps, url }: Service, tenants: readonly Tenant[]): Promise<Since> {
  for (const { org_id, guids, monitors } of tenants) {
    const [shop = '', inside = ''] = guids
    const [first, second] = monitors
    const renamed = { guid: shop, name: 'renamed after the backup', url: 'https://new.example.com/', interval_sec: 600 }
    await importChecks(deps, org_id, [renamed])
    await unassignMonitors(deps, inside, [first?.id ?? ''])
    await assignMonitors(deps, shop, [second?.id ?? ''])
  }
  for (const tenant of tenants) await uploadNow(deps, url, tenant, 'fail')
  const [tenant] = tenants
  const unknown = await enroll(deps, url, tenant?.org_id ?? 0, 'enrolled after the backup')
  const cursors: SyncCursor[] = []
  for (const { monitors } of tenants) {
    const [monitor] = monitors
    if (monitor) cursors.push((await clientOf(url, monitor).sync()).server_time)
  }
  return { cursors, unknown }
}

async function proveDump(
  place: Place,
  env: Record<string, string>,
  { tenants, atDump, since }: { tenants: readonly Tenant[]; atDump: readonly Answers[]; since: Since },
  undo: World['undo'],
): Promise<string[]> {
  const cluster = await makeCluster(place, 'restored', '', undo)
  const given = { ...place, env: { ...env, NEW_DATABASE_URL: cluster.url } }
  await runBlock('restore', given)
  await runBlock('announce', given)
  const restored = await open(cluster, undo)
  return [
    ...compareAll('from the dump', atDump, await readAll(restored, tenants, 2)),
    ...(await proveSync(restored, tenants, since)),
    ...(await proveUploads(restored, tenants)),
    ...(await proveNewIds(restored, tenants)),
    ...(await proveUnknown(restored, since)),
  ]
}

async function proveLog(
  place: Place,
  env: Record<string, string>,
  { tenants, atEnd, original }: { tenants: readonly Tenant[]; atEnd: readonly Answers[]; original: Service },
  undo: World['undo'],
): Promise<string[]> {
  await runBlock('recover', { ...place, env })
  const started = await startCluster(place, 'recovered', passwordOf(original.cluster), undo)
  const cluster = inDatabase(started)
  const isDone = async () => (await started.ask('select pg_is_in_recovery() as is_not_done'))[0]?.is_not_done === false
  if (!(await until(isDone, ARCHIVED_MS))) return ['from the log: recovery does not end']
  await runBlock('announce', { ...place, env: { ...env, NEW_DATABASE_URL: cluster.url } })
  const recovered = await open(cluster, undo)
  return [
    ...compareAll('from the log', atEnd, await readAll(recovered, tenants, 3)),
    ...(await proveUploads(recovered, tenants)),
    ...(await proveNewIds(recovered, tenants)),
  ]
}

/** Agents that ask for what is newer than what the original told them last hear of every check as it is now. */
async function proveSync({ url }: Service, tenants: readonly Tenant[], { cursors }: Since): Promise<string[]> {
  const faults: string[] = []
  for (const [n, { monitors, guids }] of tenants.entries()) {
    const [monitor] = monitors
    if (!monitor) continue
    const client = clientOf(url, monitor)
    const { checks, server_time } = await client.sync(cursors[n])
    const [whole, later] = [await client.sync(), await client.sync(server_time)]
    if (server_time < (cursors[n] ?? '')) faults.push(`org ${n + 1}: the time went back`)
    const seen = (list: typeof checks) => JSON.stringify(list.map((check) => ({ ...check, updated_at: '' })))
    if (seen(checks) !== seen(whole.checks)) faults.push(`org ${n + 1}: the delta is not all that there is`)
    const shop = checks.find(({ guid }) => guid === guids[0])
    if (shop?.name !== 'shop') faults.push(`org ${n + 1}: the check is told as ${shop?.name ?? 'nothing'}`)
    if (!checks.some(({ guid, deleted }) => guid === guids[1] && !deleted)) faults.push(`org ${n + 1}: one is not told`)
    if (later.checks.length > 0) faults.push(`org ${n + 1}: it is told again and again`)
  }
  return faults
}

/** What is stored stays stored once, and new results are stored. */
async function proveUploads({ cluster, deps, url }: Service, tenants: readonly Tenant[]): Promise<string[]> {
  const before = await count(cluster, 'stored_results')
  let repeated = 0
  let fresh = 0
  const stored = await cluster.ask(`
    select a.monitor_id, a.guid, to_char(r.ran_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ran_at
    from stored_results r join assignments a using (org_id, check_id, monitor_id) where a.active order by 1, 2, 3 limit 2000`)
  for (const tenant of tenants) {
    for (const monitor of tenant.monitors) {
      const mine = stored.filter(({ monitor_id }) => monitor_id === monitor.id)
      const again = mine.map(({ guid, ran_at }) => ({
        check_guid: String(guid),
        monitor_id: monitor.id,
        ran_at: String(ran_at),
        success: true,
        http_status: 299,
        latency_ms: 1,
      }))
      const accepted = await upload(url, monitor, again)
      if (accepted !== again.length) return [`of ${again.length} results uploaded again ${accepted} were accepted`]
      repeated += accepted
    }
  }
  if (repeated === 0) return ['nothing was uploaded again']
  if ((await count(cluster, 'stored_results')) !== before) return ['results uploaded again are stored twice']
  for (const tenant of tenants) fresh += await uploadNow(deps, url, tenant, 'ok')
  const now = await count(cluster, 'stored_results')
  return fresh > 0 && now === before + fresh ? [] : [`${fresh} new results were accepted and ${now - before} stored`]
}

/** New rows of every kind get ids that none has, as the sequences say as well. */
async function proveNewIds({ cluster, deps }: Service, tenants: readonly Tenant[]): Promise<string[]> {
  const { org_id } = await createOrganisation(deps, { name: 'new', plan: 'team', owner_email: 'new@example.com' })
  const times = { interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  for (const org of [org_id, tenants.at(-1)?.org_id ?? 0]) {
    await importChecks(deps, org, [{ name: 'new', url: 'https://new.example.com/', interval_sec: 600 }])
    await createHeartbeat(deps, org, { name: 'new', ...times })
    await createChannel(deps, org, { kind: 'ntfy', name: 'new', ntfy_topic: 'new' })
  }
  const faults: string[] = []
  for (const row of await cluster.ask(IDENTITIES)) {
    const [table, column, sequence] = [String(row.table), String(row.column), String(row.sequence)]
    const [next] = await cluster.ask(
      `select nextval('${sequence}') > coalesce((select max("${column}") from "${table}"), 0) as goes_on`,
    )
    if (next?.goes_on !== true) faults.push(`${table}.${column} gives out ids that are taken`)
  }
  return faults
}

async function proveUnknown({ url }: Service, { unknown }: Since): Promise<string[]> {
  const refusal: unknown = await clientOf(url, unknown)
    .ping()
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  return refusal instanceof ApiError && refusal.status === 401
    ? []
    : ['a monitor that the backup does not know is let in']
}

async function count(cluster: Cluster, table: string): Promise<number> {
  return Number((await cluster.ask(`select count(*)::integer as n from ${table}`))[0]?.n)
}

/** Until the log contains everything; in production that takes archive_timeout at most. */
async function untilArchived(cluster: Cluster): Promise<void> {
  const [row] = await cluster.ask('select pg_walfile_name(pg_current_wal_lsn()) as file, pg_switch_wal()')
  const isThere = async () =>
    (await cluster.ask(`select last_archived_wal >= '${String(row?.file)}' as is_there from pg_stat_archiver`))[0]
      ?.is_there === true
  if (!(await until(isThere, ARCHIVED_MS))) throw new Error('the log is not archived')
}
