// Makes the demo in an empty database: organisation, monitors, checks, heartbeats, channel, status page and ninety days of
// invented history. All in one transaction, so that there is a whole demo or none.
import { randomBytes, randomUUID } from 'node:crypto'
import { type Transaction, sql } from 'kysely'
import { phaseOf } from '../../packages/monitor-sdk/dist/agent.js'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { enroll } from '../../packages/server/dist/domain/monitors/enroll.js'
import { createOrganisation, setStatusPage } from '../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { ensurePartitions } from '../../packages/server/dist/domain/results/partitions.js'
import { editStatusPage } from '../../packages/server/dist/domain/status-page/edit.js'
import type { Tables } from '../../packages/server/dist/store/tables.js'
import { writeCheckHistory } from './fill-checks.ts'
import { writeHeartbeatHistory } from './fill-heartbeats.ts'
import { DEMO_NAME, type Filling } from './filling.ts'
import { pastOf } from './history.ts'
import type { Letter } from './inbox.ts'
import { CHECKS, type DemoPorts, HEARTBEATS, INTERVAL_SEC, MONITORS, STATUS_PAGE } from './story.ts'

export const INBOX_NAME = 'Demo inbox'
export const OWNER = 'demo@example.com'

/** What is needed to go on with the demo later. */
export interface Made {
  org_id: number
  password: string
  token: string
  guids: string[]
  channel_id: number
  monitors: { key: string; monitor_id: string; api_key: string }[]
  /** The paths of the ping URLs, in the order of the heartbeats. */
  ping_paths: string[]
}

export interface Fill {
  ports: DemoPorts
  /** Where the channel sends its webhooks. */
  inbox_url: string
  /** Called before anything is final, with what must be kept. */
  keep: (made: Made, letters: readonly Letter[]) => Promise<void>
  /** How many days of history; left out, ninety. */
  days?: number
}

export async function fill(deps: Deps, { ports, inbox_url, keep, days }: Fill): Promise<Made> {
  // Months are made in transactions of their own, and are nothing of the demo's.
  await ensurePartitions(deps)
  return deps.database.machines.transaction().execute(async (trx) => {
    const inside = within(deps, trx)
    const now = deps.clock.now().getTime()
    const password = randomBytes(12).toString('base64url')
    const owner = { owner_email: OWNER, owner_password: password }
    const { org_id } = await createOrganisation(inside, { name: DEMO_NAME, plan: 'team', ...owner })
    const { token } = await createPersonalToken(inside, org_id)
    const monitors = await enrollAll(inside, org_id)
    const monitor_ids = monitors.map(({ monitor_id }) => monitor_id)
    const guids = await importAll(inside, org_id, ports, monitor_ids)
    const heartbeats = await createHeartbeats(inside, org_id)
    const { id: channel_id } = await createChannel(inside, org_id, {
      kind: 'webhook',
      name: INBOX_NAME,
      webhook_url: inbox_url,
    })
    const heartbeat_guids = heartbeats.map(({ guid }) => guid)
    await publish(inside, org_id, guids, heartbeat_guids)
    const filling: Filling = {
      trx,
      deps,
      ...pastOf(now, days),
      org_id,
      channel_id,
      monitor_ids,
      guids,
      heartbeat_guids,
    }
    await backdate(filling)
    const letters = [...(await writeCheckHistory(filling)), ...(await writeHeartbeatHistory(filling))]
    letters.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    const ping_paths = heartbeats.map((one) => `/ping/${one.token}`)
    const made: Made = { org_id, password, token, guids, channel_id, monitors, ping_paths }
    await keep(made, letters)
    return made
  })
}

/** The same, but every transaction that is begun is a part of this one. */
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

async function enrollAll(deps: Deps, org_id: number): Promise<Made['monitors']> {
  const monitors: Made['monitors'] = []
  for (const { key, name, region, country, city } of MONITORS) {
    const identity = await enroll(deps, { org_id }, { name, region, country, city })
    monitors.push({ key, ...identity })
  }
  return monitors
}

async function importAll(
  deps: Deps,
  org_id: number,
  ports: DemoPorts,
  monitor_ids: readonly string[],
): Promise<string[]> {
  const guids = CHECKS.map((_, index) => guidInTurn(index))
  const run = CHECKS.flatMap((one, i) => (one.unmonitored_days === undefined ? [i] : []))
  const rest = CHECKS.flatMap((one, i) => (one.unmonitored_days === undefined ? [] : [i]))
  for (const [some, monitors] of [
    [run, [...monitor_ids]],
    [rest, undefined],
  ] as const) {
    const entries = checkEntries(ports, guids).filter((_, i) => some.includes(i))
    await importChecks(deps, org_id, entries, monitors)
  }
  return guids
}

/** The demo's checks in the shape of the account API. */
export function checkEntries(ports: DemoPorts, guids: readonly string[]): Record<string, unknown>[] {
  return CHECKS.map(({ name, url, fields }, i) => ({
    guid: guids[i],
    name,
    url: url(ports),
    interval_sec: INTERVAL_SEC,
    down_interval_sec: 1,
    ...fields,
  }))
}

/** A guid whose turn comes at another part of the interval than the others': so a first result comes within seconds. */
function guidInTurn(index: number): string {
  // The last check is the one that nobody runs.
  const run = CHECKS.length - 1
  const [from, until] = [(index % run) / run, ((index % run) + 0.2) / run]
  for (;;) {
    const guid: string = randomUUID()
    const phase = phaseOf(guid)
    if (phase >= from && phase < until) return guid
  }
}

async function createHeartbeats(deps: Deps, org_id: number): Promise<{ guid: string; token: string }[]> {
  const made: { guid: string; token: string }[] = []
  for (const { name, interval_sec, grace_sec, public_name } of HEARTBEATS) {
    const show_on_status_page = public_name !== undefined
    made.push(
      await createHeartbeat(deps, org_id, {
        name,
        interval_sec,
        grace_sec,
        resend_interval_sec: 0,
        show_on_status_page,
      }),
    )
  }
  return made
}

async function publish(deps: Deps, org_id: number, guids: readonly string[], beats: readonly string[]): Promise<void> {
  const shown = [
    ...CHECKS.map(({ public_name }, i) => ({ kind: 'check' as const, guid: guids[i] ?? '', public_name })),
    ...HEARTBEATS.map(({ public_name }, i) => ({ kind: 'heartbeat' as const, guid: beats[i] ?? '', public_name })),
  ]
  const entries = shown.flatMap(({ public_name, ...rest }, order) =>
    public_name === undefined ? [] : [{ ...rest, public_name, order }],
  )
  await editStatusPage(deps, org_id, { ...STATUS_PAGE, entries })
  await setStatusPage(deps, org_id, true)
}

/** What the history is about was there when it began. */
async function backdate({ trx, org_id, now, ...past }: Filling): Promise<void> {
  const began = new Date(past.began)
  const seen = new Date(now)
  await sql`update organisations set created_at = ${began} where org_id = ${org_id}`.execute(trx)
  await sql`update monitors set enrolled_at = ${began}, last_seen_at = ${seen}, watched_since = ${began} where org_id = ${org_id}`.execute(
    trx,
  )
  await sql`update checks set created_at = ${began} where org_id = ${org_id}`.execute(trx)
  await sql`update heartbeats set created_at = ${began} where org_id = ${org_id}`.execute(trx)
  await sql`update notification_channels set created_at = ${began} where org_id = ${org_id}`.execute(trx)
}
