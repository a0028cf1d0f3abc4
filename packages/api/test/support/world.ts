// A small world: the APIs on a real Postgres, orgs in it, monitors that speak to it through the SDK.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { document as accountDocument } from '@dogwatch/contract/account'
import { document as configDocument } from '@dogwatch/contract/config'
import { document } from '@dogwatch/contract/monitor'
import type { MonitorChoice } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import type { Deps } from '@dogwatch/domain/deps'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { createOrganisation } from '@dogwatch/domain/organisations/organisation'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { type Log, silentLog } from '@dogwatch/runtime/log'
import { type Database, openDatabase } from '@dogwatch/store/database'
import type { StandbyOptions } from '@dogwatch/store/postgres/standby'
import type { Express } from 'express'
import supertest from 'supertest'
import { type FakeClock, fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { seededRandom } from '../../../runtime/test/support/seeded-random.ts'
import { createTestDatabase, type TestDatabase, wayTo } from '../../../store/test/support/database.ts'
import { twoNodes } from '../../../store/test/support/nodes.ts'
import { type ApiOptions, createApiApp } from '../../src/app.ts'
import { createHttpServer, type Early } from '../../src/server.ts'
import { closed } from './closed-document.ts'
import { recordAnswers } from './prism.ts'
import { UNCOMPRESSED } from './raw-http.ts'

export const PREFIX = '/monitor-api/v1'
export const ACCOUNT = '/account-api/v1'
export const CONFIG = '/config-api/v1'
const PUBLIC_URL = 'http://dogwatch.example'
export const PLACE = { name: 'rack 4', region: 'eu-central', country: 'DE', city: 'Berlin' }

export interface Org {
  org_id: number
  owner_id: number
}

export interface Monitor {
  id: string
  key: string
  client: MonitorClient
}

export interface World {
  url: string
  /** The server itself, with no judge in between. */
  direct: string
  databaseUrl: string
  deps: Deps
  clock: FakeClock
  server: Server
  /** Raw requests, for what the SDK would not send. */
  http: ReturnType<typeof supertest.agent>
  org(plan?: string): Promise<Org>
  /** Mints a token for an org, or with null for the shared fleet. */
  token(org: Org | null, ttl_sec?: number): Promise<string>
  /** Enrolls through the API. */
  monitor(org: Org | null, name?: string): Promise<Monitor>
  /** Mints a personal access token for the org's owner. */
  pat(org: Org): Promise<string>
  /** Imports checks, each with the least that it needs besides what is given, and returns their guids. */
  checks(org: Org, entries: Record<string, unknown>[], monitors?: MonitorChoice): Promise<string[]>
  /** Judges what came late and waits for more: as if all monitors had caught up. */
  judgeLate(): Promise<void>
  /** One statement straight to the database, to see what is stored. */
  rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

export interface WorldOptions extends Partial<Omit<ApiOptions, 'pages'>> {
  /** Makes the application. Default: the APIs alone. */
  createApp?: (deps: Deps, options: ApiOptions) => Express
  log?: Log
  /** What answers before the application does. */
  early?: readonly Early[]
  /** Where to listen, for pages that must know their own address. */
  port?: number
  /** Instead of one of its own. */
  testDatabase?: TestDatabase
  /** What may hold alerts back, instead of all that there is. */
  hold_sources?: Deps['hold_sources']
  standby?: StandbyOptions
  /** Where results are, instead of in the one database. */
  nodes?: (url: string) => Database['nodes']
}

let worlds = 0

export async function world(given: WorldOptions = {}): Promise<World> {
  const {
    log = silentLog,
    createApp = createApiApp,
    port = 0,
    testDatabase: named,
    standby,
    nodes,
    hold_sources,
    early = [],
    ...options
  } = given
  const testDatabase = named ?? (await createTestDatabase())
  const clock = fakeClock()
  const seed = `${testFile()} ${worlds++}`
  const random = seededRandom(seed)
  const way = named ? { url: named.url } : wayTo(testDatabase.url)
  const database = openDatabase({
    ...way,
    poolSize: 4,
    standby,
    nodes: (nodes ?? (process.env.DOGWATCH_TEST_TWO_NODES ? twoNodes : undefined))?.(way.url),
  })
  // What a test looks at is not what is to be shown of the way.
  const looking = way.pooler ? openDatabase({ url: testDatabase.url, poolSize: 2 }) : database
  const deps: Deps = {
    ...{ database, clock, random, log },
    ...(hold_sources && { hold_sources }),
    ...(process.env.DOGWATCH_TEST_COPIES && { copies_from: 1 }),
  }
  const app = createApp(deps, {
    trust_proxy: [],
    address_limit: undefined,
    // On a busy machine, counting can take longer than a real client waits. By the fake clock, the limits then rest for ever.
    limit_wait_ms: 30_000,
    monitor_api: { contract: closed(document), validateResponses: true },
    account_api: { contract: closed(accountDocument), validateResponses: true, unlimited: true },
    config_api: { contract: closed(configDocument), validateResponses: true, unlimited: true, public_url: PUBLIC_URL },
    ...options,
  })
  // How often a test asks before something comes about changes no id but those of its requests.
  const server = createHttpServer(app, seededRandom(`${seed} requests`), early)
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const judge = isAboutApi() ? recordAnswers(server) : undefined
  const self: World = {
    url,
    direct: url,
    databaseUrl: testDatabase.url,
    deps,
    clock,
    server,
    http: supertest.agent(url).set(UNCOMPRESSED),
    org: (plan = 'team') => {
      const name = `org ${Buffer.from(random(3)).toString('hex')}`
      return createOrganisation(deps, {
        name,
        plan,
        owner_email: `${Buffer.from(random(6)).toString('hex')}@example.com`,
      })
    },
    token: async (org, ttl_sec) => (await createEnrollmentToken(deps, org?.org_id ?? null, ttl_sec)).token,
    monitor: async (org, name = PLACE.name) => {
      const token = await self.token(org)
      const { api_key, monitor_id } = await new MonitorClient({ baseUrl: url, token }).enroll({ ...PLACE, name })
      return { id: monitor_id, key: api_key, client: new MonitorClient({ baseUrl: url, token: api_key, retries: 0 }) }
    },
    pat: async (org) => (await createPersonalToken(deps, org.org_id)).token,
    checks: async (org, entries, monitors) => {
      const file = entries.map((entry, i) => ({
        name: `check ${i}`,
        url: 'https://example.com/',
        interval_sec: 60,
        ...entry,
      }))
      return (await importChecks(deps, org.org_id, file, monitors)).guids
    },
    judgeLate: async () => {
      await self.rows('update monitors set catching_up = false where catching_up')
      await self.rows('update check_states set rejudge_at = $1 where late_since is not null', clock.now().toISOString())
      await rejudgeChecks(deps)
    },
    rows: async (sql, ...values) => (await looking.pools.machines.query<Record<string, unknown>>(sql, values)).rows,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
      await database.close()
      if (looking !== database) await looking.close()
      await testDatabase.drop()
      const violations = (await judge?.judge())?.violations ?? []
      if (violations.length > 0) throw new Error(`answers break the document:\n${violations.join('\n')}`)
    },
  }
  return self
}

/** Of the tests of the APIs themselves, every answer is judged by Prism, too. */
function isAboutApi(): boolean {
  return /\/test\/(monitor|account)-api\//.test(testFile())
}

/** Path of the running test file in the repository, with slashes. Empty outside of tests. */
function testFile(): string {
  const { expect } = globalThis as { expect?: { getState(): { testPath?: string } } }
  const path = (expect?.getState().testPath ?? '').replaceAll('\\', '/')
  return path.slice(path.lastIndexOf('/packages/') + 1)
}

/** A result with the least that it needs besides what is given. */
export function result(check_guid: string, given: Record<string, unknown> = {}) {
  return {
    check_guid,
    monitor_id: 'ignored',
    ran_at: '2026-11-20T11:59:00.000000Z',
    success: true,
    http_status: 200,
    latency_ms: 12,
    ...given,
  }
}

/** Looking takes a processor from what is waited for: less often the longer it takes. */
const LOOKS_MS = { first: 5, last: 40, growth: 1.3 }

/** Waits until it holds. The bound is for what never comes: a busy machine takes its time. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string, ms = 60_000): Promise<void> {
  const end = performance.now() + ms
  for (let wait = LOOKS_MS.first; !(await holds()); wait = Math.min(LOOKS_MS.last, wait * LOOKS_MS.growth)) {
    if (performance.now() > end) throw new Error(`did not come about within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}
