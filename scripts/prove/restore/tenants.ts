// Creates a service with months of data: organisations of every plan, checks with and without definitions, results, incidents, heartbeats.
import { MonitorClient, type Result } from '../../../packages/monitor-sdk/dist/index.js'
import { createChannel, switchChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import {
  deleteCheck,
  switchCheck,
  wipeDefinition,
} from '../../../packages/server/dist/domain/checks/pause-delete-wipe.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat, switchHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { createEnrollmentToken } from '../../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { addMember } from '../../../packages/server/dist/domain/organisations/members.js'
import { setStatusPage } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { sealHours } from '../../../packages/server/dist/domain/results/seal.js'
import { PLACE } from '../../lab/clients/sdk-agent.ts'
import { need } from '../../lab/proof.ts'
import { heartbeatOf, numberOf, openOrg } from '../../lab/world.ts'

const PLANS = ['free', 'solo', 'double', 'team'] as const
const DAY_MS = 86_400_000
const BATCH = 500
const MONTHS = 9
const SEALED_MS = 600_000
const SEALED =
  "select count(*) from seal_progress where sealed_until >= date_trunc('hour', now() - interval '20 minutes')"

export interface Tenant {
  readonly org_id: number
  /** One for each reading, because exports are limited per token. */
  readonly tokens: readonly string[]
  readonly guids: readonly string[]
  readonly monitors: readonly Monitor[]
}

export interface Monitor {
  readonly id: string
  readonly client: MonitorClient
  readonly key: string
}

export async function populate(deps: Deps, url: string): Promise<Tenant[]> {
  const now = Date.now()
  // The partitions as they were created when those months began.
  for (let month = MONTHS; month >= 0; month -= 1) {
    await ensurePartitions({ ...deps, clock: { ...deps.clock, now: () => new Date(now - month * 30 * DAY_MS) } })
  }
  const tenants: Tenant[] = []
  for (const plan of PLANS) tenants.push(await makeTenant(deps, url, plan))
  for (const [n, tenant] of tenants.entries()) {
    for (const [m, monitor] of tenant.monitors.entries()) {
      await upload(monitor, pastResults(tenant, now, 1500 * (n + 1), m))
    }
    for (const success of [false, false, false, true, false]) await uploadNow(tenant, success)
  }
  await foldHistory(deps)
  await foldHistory(deps)
  return tenants
}

async function makeTenant(deps: Deps, url: string, plan: (typeof PLANS)[number]): Promise<Tenant> {
  const org = await openOrg(deps, `Org ${plan} ‘ü’`, plan)
  const { org_id } = org
  const common = { interval_sec: 600, result_detail_max_chars: 200 }
  const guids = await org.addChecks([
    { ...common, name: 'shop', url: 'https://shop.example.com/', match_string: 'öffnen', headers: { 'X-A': 'b' } },
    { ...common, name: 'private', url: '' },
    { ...common, name: 'to be wiped', url: 'https://user:secret@inside.example.com/', restricted: true },
    { ...common, name: 'paused', url: 'tcp://db.example.com:5432', down_interval_sec: 3 },
    { ...common, name: 'to be deleted', url: 'https://old.example.com/' },
  ])
  const [, , wiped = '', paused = '', deleted = ''] = guids
  const monitors = [await enroll(deps, url, org_id, 'first'), await enroll(deps, url, org_id, 'second')]
  await wipeDefinition(deps, wiped)
  await switchCheck(deps, paused, false)
  await deleteCheck(deps, deleted)
  const beat = (name: string) => createHeartbeat(deps, org_id, heartbeatOf(name, 3600, 600))
  await fetch(`${url}/ping/${(await beat('backup job')).token}`, { method: 'POST', body: 'done' })
  if (plan !== 'free') {
    await fetch(`${url}/ping/${(await beat('failing')).token}/fail`, { method: 'POST' })
    await switchHeartbeat(deps, (await beat('paused')).guid, 'enabled', false)
  }
  await createChannel(deps, org_id, { kind: 'ntfy', name: 'phones', ntfy_topic: `topic-${plan}` })
  const { id } = await createChannel(deps, org_id, { kind: 'email', name: 'post', email: 'ops@example.com' })
  await switchChannel(deps, id, false)
  if (plan === 'team') {
    await addMember(deps, org_id, 'colleague@example.com')
    await setStatusPage(deps, org_id, true)
  }
  const tokens: string[] = []
  for (let n = 0; n < 4; n++) tokens.push((await createPersonalToken(deps, org_id)).token)
  return { org_id, tokens, guids: guids.filter((guid) => guid !== deleted), monitors }
}

export async function enroll(deps: Deps, url: string, org_id: number, name: string): Promise<Monitor> {
  const { token } = await createEnrollmentToken(deps, org_id)
  const { monitor_id, api_key } = await new MonitorClient({ baseUrl: url, token }).enroll({ ...PLACE, name })
  return monitorAt(url, { id: monitor_id, key: api_key })
}

/** Returns a monitor that uses the server of another URL. */
export function monitorAt(url: string, { id, key }: Pick<Monitor, 'id' | 'key'>): Monitor {
  return { id, key, client: new MonitorClient({ baseUrl: url, token: key, retries: 0 }) }
}

export function tenantAt(url: string, tenant: Tenant): Tenant {
  return { ...tenant, monitors: tenant.monitors.map((monitor) => monitorAt(url, monitor)) }
}

/** Uploads results in batches. Returns the number of accepted ones. */
export async function upload({ client }: Monitor, results: readonly Result[]): Promise<number> {
  let accepted = 0
  for (let at = 0; at < results.length; at += BATCH) {
    accepted += (await client.upload(results.slice(at, at + BATCH))).accepted
  }
  return accepted
}

/** Returns results of the past months, the same ones each time. */
export function pastResults({ guids, monitors }: Tenant, now: number, count: number, m = 0): Result[] {
  const step = Math.floor((MONTHS * 30 * DAY_MS) / count)
  return Array.from({ length: count }, (_, n) => {
    const success = n % 97 !== 0
    const ran_at = new Date(now - DAY_MS - n * step).toISOString().replace('Z', `${String(n % 1000).padStart(3, '0')}Z`)
    return {
      ...{ check_guid: guids[n % guids.length] ?? '', monitor_id: monitors[m]?.id ?? '', ran_at, success },
      ...{ http_status: success ? 200 : 500, latency_ms: (n * 7) % 900 },
      ...(!success && { error: `status 500, “${n}”`, response_sample: 'oops \\ "quoted"' }),
    }
  })
}

/** Uploads a result of each check at this moment. Returns the number of accepted ones. */
export async function uploadNow({ guids, monitors }: Tenant, success: boolean): Promise<number> {
  const [monitor] = monitors
  if (!monitor) return 0
  const base = {
    monitor_id: monitor.id,
    ran_at: new Date().toISOString().replace('Z', '000Z'),
    latency_ms: 12,
    success,
  }
  const outcome = success ? { http_status: 200 } : { http_status: 0, error: 'connection refused' }
  return upload(
    monitor,
    guids.map((check_guid) => ({ ...base, ...outcome, check_guid })),
  )
}

/** Seals all hours that have ended, with a clock that is ahead. */
export async function sealPast(deps: Deps): Promise<void> {
  const now = () => new Date(Date.now() + 120_000)
  const sealing: Deps = { ...deps, clock: { ...deps.clock, now, asTold: now }, seals_hours: true }
  let refusal: string | undefined
  const isDone = async (): Promise<boolean> => {
    await foldHistory(sealing)
    ;({ refusal } = await sealHours(sealing))
    return (await numberOf(deps, SEALED)) > 0
  }
  await need(isDone, SEALED_MS, () => `hours are not sealed: ${refusal ?? 'that takes long'}`)
}
