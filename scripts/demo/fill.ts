// Makes the demo in an empty database: organisation, monitors, checks, heartbeats, channel, status page and ninety days of
// history. Uses one transaction, so that there is a complete demo or none.
import { randomBytes, randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { createChannel } from '../../packages/domain/dist/channels/edit.js'
import { importChecks } from '../../packages/domain/dist/checks/import.js'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { createHeartbeat } from '../../packages/domain/dist/heartbeats/edit.js'
import { enroll } from '../../packages/domain/dist/monitors/enroll.js'
import { createOrganisation, setStatusPage } from '../../packages/domain/dist/organisations/organisation.js'
import { createPersonalToken } from '../../packages/domain/dist/organisations/personal-tokens.js'
import { ensurePartitions } from '../../packages/domain/dist/results/partitions.js'
import { editStatusPage } from '../../packages/domain/dist/status-page/edit.js'
import { phaseOf } from '../../packages/monitor-sdk/dist/agent.js'
import type { Tables } from '../../packages/store/dist/tables.js'
import type { Letter } from './inbox.ts'
import { CHECKS, type DemoPorts, HEARTBEATS, HISTORY_DAYS, INTERVAL_SEC, MONITORS, STATUS_PAGE } from './story.ts'
import { DEMO_NAME, writeHistory } from './write-history.ts'

export const INBOX_NAME = 'Demo inbox'
export const OWNER = 'demo@example.com'
const DAY_MS = 86_400_000

/** Facts about the demo that later starts need. */
export interface DemoRecord {
  org_id: number
  password: string
  token: string
  guids: string[]
  channel_id: number
  monitors: { key: string; monitor_id: string; api_key: string }[]
  /** Paths of the ping URLs, in the order of the heartbeats. */
  ping_paths: string[]
}

export interface FillOptions {
  ports: DemoPorts
  /** Receiver of the channel's webhooks. */
  inbox_url: string
  /** Stores the record and the webhooks in files, before the transaction is committed. */
  keep: (record: DemoRecord, letters: readonly Letter[]) => Promise<void>
}

export async function fill(given: Deps, { ports, inbox_url, keep }: FillOptions): Promise<DemoRecord> {
  // Creates the monthly partitions first, because they need transactions of their own.
  await ensurePartitions(given)
  return given.database.machines.transaction().execute(async (trx) => {
    const deps = within(given, trx)
    const now = deps.clock.now().getTime()
    const password = randomBytes(12).toString('base64url')
    const owner = { owner_email: OWNER, owner_password: password }
    const { org_id } = await createOrganisation(deps, { name: DEMO_NAME, plan: 'team', ...owner })
    const { token } = await createPersonalToken(deps, org_id)
    const monitors: DemoRecord['monitors'] = []
    for (const { key, name, region, country, city } of MONITORS) {
      monitors.push({ key, ...(await enroll(deps, { org_id }, { name, region, country, city })) })
    }
    const monitor_ids = monitors.map(({ monitor_id }) => monitor_id)
    const guids = CHECKS.map((_, index) => guidInTurn(index))
    for (const [n, entry] of checkEntries(ports, guids).entries()) {
      await importChecks(deps, org_id, [entry], CHECKS[n]?.unmonitored_days === undefined ? monitor_ids : undefined)
    }
    const heartbeats: { guid: string; token: string }[] = []
    for (const { name, interval_sec, grace_sec, public_name } of HEARTBEATS) {
      const timing = { interval_sec, grace_sec, resend_interval_sec: 0 }
      const show_on_status_page = public_name !== undefined
      heartbeats.push(await createHeartbeat(deps, org_id, { name, ...timing, show_on_status_page }))
    }
    const heartbeat_guids = heartbeats.map(({ guid }) => guid)
    const channel = { kind: 'webhook', name: INBOX_NAME, webhook_url: inbox_url }
    const { id: channel_id } = await createChannel(deps, org_id, channel)
    await publish(deps, org_id, guids, heartbeat_guids)
    const began = now - HISTORY_DAYS * DAY_MS
    await backdate(trx, org_id, began)
    const letters = await writeHistory({ trx, began, now, org_id, channel_id, monitor_ids, guids, heartbeat_guids })
    const ping_paths = heartbeats.map((one) => `/ping/${one.token}`)
    const record = { org_id, password, token, guids, channel_id, monitors, ping_paths }
    await keep(record, letters)
    return record
  })
}

/** Returns dependencies whose transactions are all parts of the given transaction. */
function within(deps: Deps, trx: Transaction<Tables>): Deps {
  const part = { execute: <T>(work: (inner: Transaction<Tables>) => Promise<T>): Promise<T> => work(trx) }
  const inside = new Proxy(trx, {
    get: (target, name) => {
      if (name === 'transaction') return () => part
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { ...deps, database: { ...deps.database, people: inside, machines: inside } }
}

/** Returns the demo's checks in the form of the account API. */
export function checkEntries(ports: DemoPorts, guids: readonly string[]): Record<string, unknown>[] {
  return CHECKS.map(({ name, url, fields }, n) => {
    const entry = { guid: guids[n], name, url: url(ports), interval_sec: INTERVAL_SEC, down_interval_sec: 1 }
    return { ...entry, ...fields }
  })
}

/**
 * Returns a guid whose slot is in another part of the interval than those of the other checks, so that the first result comes
 * within seconds.
 */
function guidInTurn(index: number): string {
  // The last check has no monitors, so it needs no part of the interval.
  const run = CHECKS.length - 1
  const from = (index % run) / run
  for (;;) {
    const guid: string = randomUUID()
    const phase = phaseOf(guid)
    if (phase >= from && phase < from + 0.2 / run) return guid
  }
}

async function publish(deps: Deps, org_id: number, guids: readonly string[], beats: readonly string[]): Promise<void> {
  const shown = [
    ...CHECKS.map(({ public_name }, n) => ({ kind: 'check' as const, guid: guids[n] ?? '', public_name })),
    ...HEARTBEATS.map(({ public_name }, n) => ({ kind: 'heartbeat' as const, guid: beats[n] ?? '', public_name })),
  ]
  const entries = shown.flatMap(({ public_name, ...rest }, order) =>
    public_name === undefined ? [] : [{ ...rest, public_name, order }],
  )
  await editStatusPage(deps, org_id, { ...STATUS_PAGE, entries })
  await setStatusPage(deps, org_id, true)
}

/** Sets the creation time of all items to the beginning of the history. */
async function backdate(trx: Transaction<Tables>, org_id: number, began_ms: number): Promise<void> {
  const began = new Date(began_ms)
  for (const table of ['organisations', 'checks', 'heartbeats', 'notification_channels']) {
    await sql`update ${sql.table(table)} set created_at = ${began} where org_id = ${org_id}`.execute(trx)
  }
  await sql`
    update monitors set enrolled_at = ${began}, last_seen_at = now(), watched_since = ${began}
    where org_id = ${org_id}`.execute(trx)
}
