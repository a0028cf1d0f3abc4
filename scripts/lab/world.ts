// Prepares what a proof needs: a Postgres that can be killed, organisations in it, and real servers.

import { createChannel } from '../../packages/domain/dist/channels/edit.js'
import { importChecks } from '../../packages/domain/dist/checks/import.js'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { createHeartbeat } from '../../packages/domain/dist/heartbeats/edit.js'
import { createEnrollmentToken } from '../../packages/domain/dist/monitors/enrollment-tokens.js'
import { createOrganisation } from '../../packages/domain/dist/organisations/organisation.js'
import { PLANS, type PlanName } from '../../packages/domain/dist/organisations/plans.js'
import { openSession } from '../../packages/domain/dist/people/sessions.js'
import { systemClock } from '../../packages/runtime/dist/clock.js'
import { createLog } from '../../packages/runtime/dist/log.js'
import { systemRandom } from '../../packages/runtime/dist/random.js'
import { openDatabase } from '../../packages/store/dist/database.js'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { openEmbedded } from './postgres.ts'
import { openFolder, type Undo } from './proof.ts'
import { type Mortal, type Server, type ServerPlan, startServer } from './server.ts'

/**
 * Settings that lift limits, for servers whose clients send more results and change state more often than those of an
 * organisation do.
 */
export const UNLIMITED = { RESULTS_BEYOND: 'off', ALERTS_OF_CHANNEL: 'off', ALERTS_OF_ORG: 'off' } as const

export interface World {
  /** Folder of the proof. Only its owner can list it, but other users can pass through it. */
  readonly folder: string
  readonly url: string
  readonly deps: Deps
  readonly postgres: Mortal
  readonly undo: Undo
  /** Messages about servers that ended by themselves. */
  readonly ends: string[]
  /** Starts a server with the database of this proof. */
  serve(env?: Readonly<Record<string, string>>, plan?: ServerPlan): Promise<Server>
}

/** Opens a world with an empty database. */
export async function openWorld(undo: Undo, settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = await openFolder(undo)
  const { url, ...postgres } = await openEmbedded(folder, undo, settings)
  await migrateToLatest(url)
  const ends: string[] = []
  return {
    ...{ folder, url, postgres, undo, ends },
    deps: openDeps(url, undo),
    serve: (env = {}, plan = {}) =>
      startServer(
        { onEnd: (fault) => void ends.push(fault), ...plan, env: { DATABASE_URL: url, LOG_LEVEL: 'fatal', ...env } },
        undo,
      ),
  }
}

/** Opens a database for functions of the product that a proof calls directly. */
export function openDeps(url: string, undo: Undo): Deps {
  const database = openDatabase({ url, poolSize: 4 })
  undo(() => database.close())
  return { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
}

/** Returns the rows of a statement. */
export async function query<Row>({ database }: Pick<Deps, 'database'>, text: string, ...values: unknown[]) {
  return (await database.pools.machines.query<Row & object>(text, values)).rows as Row[]
}

/** Returns the number that a statement selects. */
export async function numberOf(deps: Pick<Deps, 'database'>, text: string, ...values: unknown[]): Promise<number> {
  const [row = {}] = await query<Record<string, unknown>>(deps, text, ...values)
  return Number(Object.values(row)[0])
}

export interface CheckEntry {
  guid?: string
  name: string
  url: string
  interval_sec: number
  [field: string]: unknown
}

/** Returns checks of made-up shops. */
export function shops(name: string, count: number, more: (n: number) => object = () => ({})): CheckEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ name: `${name} ${n}`, url: `https://${name}-${n}.example.com/`, interval_sec: 60 },
    ...more(n),
  }))
}

export interface Org {
  readonly name: string
  readonly org_id: number
  readonly enrollment_token: string
  /** Imports checks for all monitors of the organisation. Returns their guids. */
  addChecks(entries: readonly CheckEntry[], monitors?: 'all' | 'none'): Promise<string[]>
  /** Creates a channel. Returns its id. */
  addChannel(fields: { kind: string; name: string; [field: string]: string }): Promise<number>
  addHeartbeat(name: string, interval_sec: number, grace_sec: number): Promise<{ guid: string; token: string }>
  /** Opens a session of the owner. Returns its cookie. */
  signIn(): Promise<string>
}

/**
 * Creates an organisation. Without a plan, it is a team without the limits for checks, because a proof cannot wait for such long
 * intervals.
 */
export async function openOrg(deps: Deps, name: string, plan?: PlanName): Promise<Org> {
  if (plan === undefined) Object.assign(PLANS.team, { min_interval_sec: 1, max_checks: 0 })
  const owner_email = `${name.match(/\w+/g)?.join('-')}@example.com`
  const { org_id, owner_id } = await createOrganisation(deps, { name, plan: plan ?? 'team', owner_email })
  const { token: enrollment_token } = await createEnrollmentToken(deps, org_id)
  return {
    ...{ name, org_id, enrollment_token },
    addChecks: async (entries, monitors = 'all') => (await importChecks(deps, org_id, entries, monitors)).guids,
    addChannel: async (fields) => (await createChannel(deps, org_id, fields)).id,
    addHeartbeat: (...given) => createHeartbeat(deps, org_id, heartbeatOf(...given)),
    signIn: async () => `dogwatch-session=${await openSession(deps, owner_id, org_id)}`,
  }
}

/** Returns the settings of a heartbeat. */
export function heartbeatOf(name: string, interval_sec: number, grace_sec: number) {
  return { name, interval_sec, grace_sec, resend_interval_sec: 0, show_on_status_page: false }
}

const AS_KEY = "guid || ' ' || monitor_id || ' ' || (extract(epoch from ran_at) * 1000)::bigint"

/** Returns the keys of an organisation's stored results. A result that is stored twice has its key twice. */
export async function storedKeys(deps: Pick<Deps, 'database'>, org_id: number): Promise<string[]> {
  const isSealed = (await numberOf(deps, 'select count(*) from sealed_hours')) > 0
  const from = isSealed ? 'stored_results' : 'results'
  const text = `select ${AS_KEY} as key from ${from} join check_guids using (org_id, check_id) where org_id = $1`
  return (await query<{ key: string }>(deps, text, org_id)).map(({ key }) => key)
}

/** Returns the key of a result, which no other result has. */
export function keyOf(result: { check_guid: string; monitor_id: string; ran_at: string }): string {
  return `${result.check_guid} ${result.monitor_id} ${Date.parse(result.ran_at)}`
}
