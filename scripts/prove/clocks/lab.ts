// A small service of its own for each scenario: Postgres, two web servers and a worker, agents and their targets, jobs,
// a script that reads, a receiver of webhooks, and a month of earlier results. Each has a clock that can be set wrong.
import { chmodSync, mkdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { createEnrollmentToken } from '../../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { PLANS } from '../../../packages/server/dist/domain/organisations/plans.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { freePort } from '../../../packages/server/dist/embedded-postgres/server.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { until, type World } from '../../lab/world.ts'
import { openReceiver, type Receiver } from '../alerting/receiver.ts'
import { type RunningAgent, startAgent } from '../support/agents.ts'
import { Book } from '../support/book.ts'
import { type Door, openDoor } from '../support/door.ts'
import { type SdkAgent, startSdkAgent } from '../support/sdk-agent.ts'
import { type Job, type Reading, startJob, startReader } from './callers.ts'
import type { Template } from './postgres.ts'
import { type ServerProcess, startServer } from './processes.ts'
import { openTargets, type Targets } from './targets.ts'
import { type Library, makeClock, type WrongClock } from './wrong-clock.ts'

export const INTERVAL_SEC = 2
export const THRESHOLD = 2
/** Of the jobs. */
export const HEARTBEAT = { interval_sec: 6, grace_sec: 2 }
const PING_MS = 1000
const STEADY = 4
const WELL_CHECKS = 20
const STOCK_DAYS = 29
const UPLOAD_MS = 1000
const SYNC_MS = 2000
const READY_MS = 60_000
const AHEAD_METRIC = /^dogwatch_agent_clock_ahead (\S+)$/m
const UNBOUND = { resend_interval_sec: 0, show_on_status_page: false }

/** Targets by what becomes of them; each of the two orgs has all of them. */
export const FATES = ['falls', 'rises', 'later'] as const
export type Fate = (typeof FATES)[number]

export interface Lab {
  readonly deps: Deps
  readonly orgs: readonly Org[]
  /** Of results that were there before: none of them may go. */
  readonly stock: { org_ids: readonly number[]; count: number }
  readonly clocks: { database: WrongClock; agents: WrongClock }
  readonly webs: readonly ServerProcess[]
  readonly worker: ServerProcess
  /** One of the first org's two, and the only one of the second, whose clocks are wrong together. */
  readonly wrongAgents: readonly AgentInLab[]
  readonly agents: readonly AgentInLab[]
  readonly targets: Targets
  readonly receiver: Receiver
  readonly jobs: Readonly<Record<'steady' | 'stops' | 'stopsLate', Job & { guid: string }>>
  readonly readings: readonly Reading[]
  readonly sdk: { org_id: number; book: Book; agent: SdkAgent }
}

export interface Org {
  name: string
  org_id: number
  /** Guid by the name of the target. */
  guids: ReadonlyMap<string, string>
}

export interface AgentInLab {
  readonly name: string
  readonly door: Door
  running: RunningAgent
  restart(): Promise<void>
  /** By how many seconds the server is ahead of its machine's clock, as its metrics say. */
  readServerAhead(): Promise<number | undefined>
}

export async function openLab(
  { folder: parent, library, template }: { folder: string; library: Library; template: Template },
  undo: World['undo'],
): Promise<Lab> {
  const folder = await mkdtemp(join(parent, 'lab-'))
  undo(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  const clockFolder = join(folder, 'clocks')
  chmodSync(folder, 0o711)
  mkdirSync(clockFolder, { mode: 0o711 })
  const clockOf = (name: string, who: 'node' | 'postgres' = 'node') => makeClock(library, clockFolder, name, who)
  const clocks = { database: clockOf('database', 'postgres'), agents: clockOf('agents') }
  const url = await template.start(folder, clocks.database, undo)
  const database = openDatabase({ url, poolSize: 3 })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  // Limits that an operator has set by hand: a proof cannot wait for a plan's intervals.
  Object.assign(PLANS.team, { min_interval_sec: 1, max_checks: 0 })
  const stock = await layInStock(deps)
  const env = { DATABASE_URL: url, EGRESS_ALLOW: '127.0.0.1', DATABASE_POOL_SIZE: '4' }
  const serve = (name: string, role: 'web' | 'worker') => startServer(name, role, clockOf(name), env, undo)
  const [web1, web2, worker] = await Promise.all([
    serve('web1', 'web'),
    serve('web2', 'web'),
    serve('worker', 'worker'),
  ])
  const webs = [web1, web2]
  const receiver = await openReceiver('receiver', { isMoody: false, dice: dice(1), senders: () => [] }, undo)
  const targets = await openTargets(undo)
  const orgs = [
    await openOrg(deps, 'fleet', { receiver, targets, isSecure: true }),
    await openOrg(deps, 'solo', { receiver, targets, isSecure: false }),
  ] as const
  const jobs = await startJobs({ deps, org_id: orgs[0].org_id, webs }, undo)
  const { token } = await createPersonalToken(deps, orgs[0].org_id)
  const readings = startReader(urlsOf(webs), token, undo)
  const agentOf = async (name: string, { org_id }: Org, clock: WrongClock | undefined, web: ServerProcess) => {
    const { token: enrollment_token } = await createEnrollmentToken(deps, org_id)
    return startAgentInLab({ name, folder, enrollment_token, clock, web, targets }, undo)
  }
  const agents = await Promise.all([
    agentOf('wrong', orgs[0], clocks.agents, web1),
    agentOf('alone', orgs[1], clocks.agents, web2),
    agentOf('right', orgs[0], undefined, web2),
  ])
  const sdk = await startSdk({ deps, web: web1, receiver }, undo)
  const lab: Lab = {
    deps,
    orgs,
    stock,
    clocks,
    webs,
    worker,
    wrongAgents: agents.slice(0, 2),
    agents,
    targets,
    receiver,
    jobs,
    readings,
    sdk,
  }
  await untilAtWork(lab)
  return lab
}

export function nameOf(org: Pick<Org, 'name'>, target: string): string {
  return `${org.name}-${target}`
}

function urlsOf(webs: readonly ServerProcess[]): string[] {
  return webs.map(({ url }) => url)
}

/** Two orgs of other plans with results of the last month, of checks that nobody runs any more. */
async function layInStock(deps: Deps): Promise<Lab['stock']> {
  await ensurePartitions(deps)
  const org_ids: number[] = []
  for (const plan of ['free', 'team']) {
    const owner_email = `${plan}@example.com`
    const { org_id } = await createOrganisation(deps, { name: `stock ${plan}`, plan, owner_email })
    const entry = { name: 'of old', url: 'https://old.example.com/', interval_sec: 600, enabled: false }
    await importChecks(deps, org_id, [entry], 'none')
    org_ids.push(org_id)
  }
  const { rowCount } = await deps.database.pools.machines.query(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, now() - n * interval '10 minutes', 40 + n % 9, case when n % 50 = 0 then 503 else 200 end,
       n % 50 <> 0, 'stock'
     from checks, generate_series(1, $2::integer * 144) n where org_id = any($1::bigint[])`,
    [org_ids, STOCK_DAYS],
  )
  return { org_ids, count: rowCount ?? 0 }
}

interface Surroundings {
  receiver: Receiver
  targets: Targets
  /**
   * Whether it has a target over TLS: a monitor whose clock is far off cannot judge certificates, and where it is the only one
   * nobody watches.
   */
  isSecure: boolean
}

async function openOrg(deps: Deps, name: string, { receiver, targets, isSecure }: Surroundings): Promise<Org> {
  const org_id = await orgWithChannel(deps, name, receiver)
  const names = [...FATES, ...Array.from({ length: STEADY }, (_, n) => `steady${n}`)]
  const urls = new Map([...names.map((target) => [target, targets.urlOf(nameOf({ name }, target))] as const)])
  if (isSecure) urls.set('secure', targets.secure_url)
  const entries = [...urls].map(([target, url]) => ({
    name: target,
    url,
    interval_sec: INTERVAL_SEC,
    down_interval_sec: THRESHOLD,
    result_detail_max_chars: 500,
  }))
  const { guids } = await importChecks(deps, org_id, entries, 'all')
  return { name, org_id, guids: new Map([...urls.keys()].map((target, n) => [target, guids[n] ?? ''])) }
}

async function orgWithChannel(deps: Deps, name: string, { url, secret }: Receiver): Promise<number> {
  const { org_id } = await createOrganisation(deps, { name, plan: 'team', owner_email: `${name}@example.com` })
  await createChannel(deps, org_id, { kind: 'webhook', name: 'receiver', webhook_url: url, webhook_secret: secret })
  return org_id
}

async function startJobs(
  { deps, org_id, webs }: { deps: Deps; org_id: number; webs: readonly ServerProcess[] },
  undo: World['undo'],
): Promise<Lab['jobs']> {
  const start = async (name: string) => {
    const { guid, token } = await createHeartbeat(deps, org_id, { ...HEARTBEAT, ...UNBOUND, name })
    const urls = urlsOf(webs).map((url) => `${url}/ping/${token}`)
    return Object.assign(startJob(urls, PING_MS, undo), { guid })
  }
  return { steady: await start('steady'), stops: await start('stops'), stopsLate: await start('stops late') }
}

interface AgentGiven {
  name: string
  folder: string
  enrollment_token: string
  /** Left out: the machine's. */
  clock: WrongClock | undefined
  web: ServerProcess
  targets: Targets
}

async function startAgentInLab(given: AgentGiven, undo: World['undo']): Promise<AgentInLab> {
  const { name, folder, enrollment_token, clock, web, targets } = given
  const door = await openDoor({ undo })
  door.leadTo(Number(new URL(web.url).port))
  let metrics_port = 0
  const authority = join(folder, `${name}.authority`)
  await writeFile(authority, targets.authority)
  const start = async (event: 'enrolled' | 'started', tries = 5): Promise<RunningAgent> => {
    metrics_port = await freePort(0)
    const running = await startAgent(
      { folder, enrollment_token, undo },
      {
        name,
        server: door.url,
        flags: ['--references', `127.0.0.1:${targets.port}`, '--metrics-port', String(metrics_port)],
        env: { ...clock?.env, NODE_EXTRA_CA_CERTS: authority },
      },
    )
    try {
      await running.logged(event)
      return running
    } catch (error) {
      // Another process may have taken the port meanwhile. The agent has not enrolled then.
      if (tries > 1 && String(error).includes('EADDRINUSE')) return start(event, tries - 1)
      throw error
    }
  }
  const running = await start('enrolled')
  const agent: AgentInLab = {
    name,
    door,
    running,
    restart: async () => {
      await agent.running.stop()
      agent.running = await start('started')
    },
    readServerAhead: async () => {
      const answer = await fetch(`http://127.0.0.1:${metrics_port}/metrics`).catch(() => undefined)
      const [, ahead] = AHEAD_METRIC.exec((await answer?.text()) ?? '') ?? []
      return ahead === undefined ? undefined : Number(ahead)
    },
  }
  return agent
}

/** A monitor that uses the SDK, on a correct clock. */
async function startSdk(
  { deps, web, receiver }: { deps: Deps; web: ServerProcess; receiver: Receiver },
  undo: World['undo'],
): Promise<Lab['sdk']> {
  const org_id = await orgWithChannel(deps, 'sdk', receiver)
  const { token: enrollment_token } = await createEnrollmentToken(deps, org_id)
  const entries = Array.from({ length: WELL_CHECKS }, (_, n) => ({
    name: `well ${n}`,
    url: `https://well-${n}.example.com/`,
    interval_sec: 60,
  }))
  const { guids } = await importChecks(deps, org_id, entries, 'all')
  const book = new Book()
  const plan = { baseUrl: web.url, enrollment_token, name: 'sdk', address: '127.1.0.1', book }
  const work = { wellGuids: () => guids, upload_ms: UPLOAD_MS, sync_ms: SYNC_MS }
  return { org_id, book, agent: await startSdkAgent({ ...plan, ...work }, undo) }
}

async function untilAtWork({ deps, orgs, webs, worker, jobs }: Lab): Promise<void> {
  const isAtWork = async () => {
    const { rows } = await deps.database.pools.machines.query<{ count: number }>(
      `select count(*)::integer as count from checks c where org_id = any($1::bigint[]) and (
         select count(*) from results r where r.org_id = c.org_id and r.check_id = c.check_id) < 2`,
      [orgs.map(({ org_id }) => org_id)],
    )
    const areReady = [...webs, worker].every(({ looks }) => looks.at(-1)?.obstacle === undefined && looks.length > 0)
    return areReady && rows[0]?.count === 0 && Object.values(jobs).every(({ taken }) => taken.length > 2)
  }
  if (!(await until(isAtWork, READY_MS))) throw new Error('the lab does not get to work')
}
