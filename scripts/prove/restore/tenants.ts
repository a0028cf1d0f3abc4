// A service after months: orgs of every plan, checks with and without definitions, results, incidents, heartbeats.
import { MonitorClient, type Result } from '../../../packages/monitor-sdk/dist/index.js'
import {
  deleteCheck,
  switchCheck,
  wipeDefinition,
} from '../../../packages/server/dist/domain/checks/pause-delete-wipe.js'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat, switchHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { createEnrollmentToken } from '../../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { createChannel, switchChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { addMember } from '../../../packages/server/dist/domain/organisations/members.js'
import { createOrganisation, setStatusPage } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'

const PLANS = ['free', 'solo', 'double', 'team'] as const
const DAY_MS = 86_400_000
const BATCH = 500
const PLACE = { region: 'eu', country: 'DE', city: 'Berlin' }
const MONTHS = 9

export interface Tenant {
  readonly org_id: number
  /** One token for each time that its answers are read: exports are limited per token. */
  readonly tokens: readonly string[]
  readonly guids: readonly string[]
  readonly monitors: readonly Enrolled[]
}

export interface Enrolled {
  readonly id: string
  readonly key: string
}

export async function populate(deps: Deps, server_url: string): Promise<Tenant[]> {
  const now = deps.clock.now().getTime()
  // As they were created when those months began.
  for (let month = MONTHS; month > 0; month -= 2) {
    await ensurePartitions({ ...deps, clock: { ...deps.clock, now: () => new Date(now - month * 30 * DAY_MS) } })
  }
  await ensurePartitions(deps)
  const tenants: Tenant[] = []
  for (const plan of PLANS) tenants.push(await makeTenant(deps, server_url, plan))
  for (const [n, tenant] of tenants.entries()) {
    for (const [m, monitor] of tenant.monitors.entries()) {
      await upload(server_url, monitor, pastResults(tenant, now, 1500 * (n + 1), m))
    }
    for (const result of ['fail', 'fail', 'fail', 'ok', 'fail'] as const) {
      await uploadNow(deps, server_url, tenant, result)
    }
  }
  await foldHistory(deps)
  await foldHistory(deps)
  return tenants
}

async function makeTenant(deps: Deps, server_url: string, plan: (typeof PLANS)[number]): Promise<Tenant> {
  const { org_id } = await createOrganisation(deps, {
    name: `Org ${plan} ‘ü’`,
    plan,
    owner_email: `${plan}@example.com`,
  })
  const common = { interval_sec: 600, result_detail_max_chars: 200 }
  const { guids } = await importChecks(
    deps,
    org_id,
    [
      { ...common, name: 'shop', url: 'https://shop.example.com/', match_string: 'öffnen', headers: { 'X-A': 'b' } },
      { ...common, name: 'private', url: '' },
      { ...common, name: 'to be wiped', url: 'https://user:secret@inside.example.com/', restricted: true },
      { ...common, name: 'paused', url: 'tcp://db.example.com:5432', down_interval_sec: 3 },
      { ...common, name: 'to be deleted', url: 'https://old.example.com/' },
    ],
    'all',
  )
  const [, , wiped = '', paused = '', deleted = ''] = guids
  const monitors = [await enroll(deps, server_url, org_id, 'first'), await enroll(deps, server_url, org_id, 'second')]
  await wipeDefinition(deps, wiped)
  await switchCheck(deps, paused, false)
  await deleteCheck(deps, deleted)
  const heartbeat = { name: 'backup job', interval_sec: 3600, grace_sec: 600, resend_interval_sec: 0 }
  const { token } = await createHeartbeat(deps, org_id, { ...heartbeat, show_on_status_page: true })
  await fetch(`${server_url}/ping/${token}`, { method: 'POST', body: 'done' })
  if (plan !== 'free') {
    const late = await createHeartbeat(deps, org_id, { ...heartbeat, name: 'failing', show_on_status_page: false })
    await fetch(`${server_url}/ping/${late.token}/fail`, { method: 'POST' })
    const { guid } = await createHeartbeat(deps, org_id, { ...heartbeat, name: 'paused', show_on_status_page: false })
    await switchHeartbeat(deps, guid, 'enabled', false)
  }
  await createChannel(deps, org_id, { kind: 'ntfy', name: 'phones', ntfy_topic: `topic-${plan}` })
  const { id } = await createChannel(deps, org_id, { kind: 'email', name: 'post', email: 'ops@example.com' })
  await switchChannel(deps, id, false)
  if (plan === 'team') {
    await addMember(deps, org_id, 'colleague@example.com')
    await setStatusPage(deps, org_id, true)
  }
  const tokens = []
  for (let n = 0; n < 4; n++) tokens.push((await createPersonalToken(deps, org_id)).token)
  return { org_id, tokens, guids: guids.filter((guid) => guid !== deleted), monitors }
}

export async function enroll(deps: Deps, server_url: string, org_id: number, name: string): Promise<Enrolled> {
  const { token } = await createEnrollmentToken(deps, org_id)
  const client = new MonitorClient({ baseUrl: server_url, token })
  const { monitor_id, api_key } = await client.enroll({ ...PLACE, name })
  return { id: monitor_id, key: api_key }
}

export function clientOf(server_url: string, { key }: Enrolled): MonitorClient {
  return new MonitorClient({ baseUrl: server_url, token: key, retries: 0 })
}

/** Uploads in batches and returns how many were accepted. */
export async function upload(server_url: string, monitor: Enrolled, results: readonly Result[]): Promise<number> {
  let accepted = 0
  for (let at = 0; at < results.length; at += BATCH) {
    accepted += (await clientOf(server_url, monitor).upload(results.slice(at, at + BATCH))).accepted
  }
  return accepted
}

/** Some over the past months, always the same ones. */
export function pastResults({ guids, monitors }: Tenant, now: number, count: number, m = 0): Result[] {
  const step = Math.floor((MONTHS * 30 * DAY_MS) / count)
  return Array.from({ length: count }, (_, n) => {
    const success = n % 97 !== 0
    return {
      check_guid: guids[n % guids.length] ?? '',
      monitor_id: monitors[m]?.id ?? '',
      ran_at: new Date(now - DAY_MS - n * step).toISOString().replace('Z', `${String(n % 1000).padStart(3, '0')}Z`),
      success,
      http_status: success ? 200 : 500,
      latency_ms: (n * 7) % 900,
      ...(!success && { error: `status 500, “${n}”`, response_sample: 'oops \\ "quoted"' }),
    }
  })
}

/** One of each check at this moment. Returns how many were accepted. */
export async function uploadNow(
  deps: Pick<Deps, 'clock'>,
  server_url: string,
  { guids, monitors }: Tenant,
  kind: 'ok' | 'fail',
): Promise<number> {
  const [monitor] = monitors
  if (!monitor) return 0
  const ran_at = deps.clock.now().toISOString().replace('Z', '000Z')
  const base = { monitor_id: monitor.id, ran_at, latency_ms: 12 }
  const found =
    kind === 'ok'
      ? { success: true, http_status: 200 }
      : { success: false, http_status: 0, error: 'connection refused' }
  return upload(
    server_url,
    monitor,
    guids.map((check_guid) => ({ ...base, ...found, check_guid })),
  )
}
