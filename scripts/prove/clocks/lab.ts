// Opens a small service for each scenario: Postgres, two web servers and a worker, agents and their targets, jobs, a script that reads, a
// receiver of webhooks, and a month of earlier results. Each has a clock that can be set wrong.
import { chmodSync, mkdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { openReceiver, type Receiver } from '../../lab/alerts/receiver.ts'
import { type RunningAgent, startAgent } from '../../lab/clients/agents.ts'
import { Book } from '../../lab/clients/book.ts'
import { type Door, openDoor } from '../../lab/clients/door.ts'
import { type SdkAgent, startSdkAgent } from '../../lab/clients/sdk-agent.ts'
import { openSite, type Site } from '../../lab/clients/site.ts'
import { freePort, need, type Undo } from '../../lab/proof.ts'
import { heartbeatOf, numberOf, openDeps, openOrg, shops } from '../../lab/world.ts'
import type { Template } from './postgres.ts'
import { type Job, type CallOutcome, type ServerProcess, startJob, startProcess, startReader } from './processes.ts'
import { type Library, makeClock, type WrongClock } from './wrong-clock.ts'

export const INTERVAL_SEC = 2
const THRESHOLD = 2
/** Interval and grace of the jobs. In seconds. */
export const HEARTBEAT = { interval_sec: 6, grace_sec: 2 }
const STEADY = 4
const STOCK_DAYS = 29
const READY_MS = 60_000
const AHEAD_METRIC = /^dogwatch_agent_clock_ahead (\S+)$/m

/** Targets that change state. Each of the two organisations has all of them. */
const FATES = ['falls', 'rises', 'later'] as const
export type Fate = (typeof FATES)[number]

export interface Lab {
  readonly deps: Deps
  readonly orgs: readonly [ClockedOrg, ClockedOrg]
  /** Earlier results. All of them must stay. */
  readonly stock: { org_ids: readonly number[]; count: number }
  readonly clocks: { database: WrongClock; agents: WrongClock }
  readonly webs: readonly ServerProcess[]
  readonly worker: ServerProcess
  readonly agents: readonly AgentInLab[]
  /** One of the two agents of the first organisation, and the only one of the second: their clocks are wrong together. */
  readonly wrongAgents: readonly AgentInLab[]
  readonly site: Site
  readonly receiver: Receiver
  readonly jobs: Readonly<Record<'steady' | 'stops' | 'stopsLate', Job>>
  readonly readings: readonly CallOutcome[]
  readonly sdk: { org_id: number; book: Book; agent: SdkAgent }
}

export interface ClockedOrg {
  name: string
  org_id: number
  enrollment_token: string
  /** Guids by the names of targets. */
  guids: ReadonlyMap<string, string>
}

export interface AgentInLab {
  readonly door: Door
  running: RunningAgent
  restart(): Promise<void>
  /** Returns by how many seconds the server is ahead of the agent's clock, as its metrics say. */
  readServerAhead(): Promise<number | undefined>
}

export interface LabPlan {
  folder: string
  library: Library
  template: Template
}

export async function openLab({ folder: parent, library, template }: LabPlan, undo: Undo): Promise<Lab> {
  const folder = await mkdtemp(join(parent, 'lab-'))
  undo(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  const clockFolder = join(folder, 'clocks')
  chmodSync(folder, 0o711)
  mkdirSync(clockFolder, { mode: 0o711 })
  const clockOf = (name: string, who: 'node' | 'postgres' = 'node') => makeClock(library, clockFolder, name, who)
  const clocks = { database: clockOf('database', 'postgres'), agents: clockOf('agents') }
  const url = await template.start(folder, clocks.database, undo)
  const deps = openDeps(url, undo)
  const stock = await layInStock(deps)
  const env = { DATABASE_URL: url, EGRESS_ALLOW: '127.0.0.1', DATABASE_POOL_SIZE: '4' }
  const serve = (name: string, role: 'web' | 'worker') => startProcess(name, role, clockOf(name), env, undo)
  const [web1, web2, worker] = await Promise.all([
    serve('web1', 'web'),
    serve('web2', 'web'),
    serve('worker', 'worker'),
  ])
  const webs = [web1, web2]
  const urls = webs.map((web) => web.url)
  const receiver = await openReceiver('receiver', { isMoody: false, dice: dice(1), senders: () => [] }, undo)
  const site = await openSite(undo)
  // A monitor whose clock is far off cannot judge certificates, so only the organisation with a second one has a target over TLS.
  const fleet = await openClockedOrg(deps, 'fleet', receiver, site, { secure: site.secure_url })
  const solo = await openClockedOrg(deps, 'solo', receiver, site, {})
  const startOne = async (name: string) => {
    const { interval_sec, grace_sec } = HEARTBEAT
    const { guid, token } = await createHeartbeat(deps, fleet.org_id, heartbeatOf(name, interval_sec, grace_sec))
    return startJob(
      guid,
      urls.map((base) => `${base}/ping/${token}`),
      1000,
      undo,
    )
  }
  const jobs = {
    steady: await startOne('steady'),
    stops: await startOne('stops'),
    stopsLate: await startOne('stops late'),
  }
  const { token } = await createPersonalToken(deps, fleet.org_id)
  const readings = startReader(urls, token, undo)
  const agentOf = (name: string, org: ClockedOrg, web: ServerProcess, clock?: WrongClock) =>
    startAgentInLab({ name, folder, org, clock, web, site }, undo)
  const agents = await Promise.all([
    agentOf('wrong', fleet, web1, clocks.agents),
    agentOf('alone', solo, web2, clocks.agents),
    agentOf('right', fleet, web2),
  ])
  const sdk = await startSdk(deps, web1, receiver, undo)
  const lab: Lab = {
    ...{ deps, orgs: [fleet, solo], stock, clocks, webs, worker, agents, wrongAgents: agents.slice(0, 2) },
    ...{ site, receiver, jobs, readings, sdk },
  }
  await untilAtWork(lab)
  return lab
}

export function nameOf(org: Pick<ClockedOrg, 'name'>, target: string): string {
  return `${org.name}-${target}`
}

/** Returns the names of targets that are always up and that any agent can judge. */
export function steadyTargets({ orgs }: Lab): string[] {
  return orgs.flatMap((org) => Array.from({ length: STEADY }, (_, n) => nameOf(org, `steady${n}`)))
}

/** Creates two organisations with results of the last month, of checks that no monitor runs. */
async function layInStock(deps: Deps): Promise<Lab['stock']> {
  await ensurePartitions(deps)
  const org_ids: number[] = []
  for (const plan of ['free', 'team']) {
    const org = await openOrg(deps, `stock ${plan}`, plan)
    await org.addChecks(
      shops('old', 1, () => ({ interval_sec: 600, enabled: false })),
      'none',
    )
    org_ids.push(org.org_id)
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

async function openClockedOrg(
  deps: Deps,
  name: string,
  receiver: Receiver,
  site: Site,
  more: Readonly<Record<string, string>>,
): Promise<ClockedOrg> {
  const { org_id, enrollment_token, addChecks, addWebhook } = await openOrg(deps, name)
  await addWebhook(receiver)
  const targets = [...FATES, ...Array.from({ length: STEADY }, (_, n) => `steady${n}`)]
  const urls = [...targets.map((target) => [target, site.urlOf(nameOf({ name }, target))]), ...Object.entries(more)]
  const common = { interval_sec: INTERVAL_SEC, down_interval_sec: THRESHOLD, result_detail_max_chars: 500 }
  const guids = await addChecks(urls.map(([target = '', url = '']) => ({ ...common, name: target, url })))
  return { name, org_id, enrollment_token, guids: new Map(urls.map(([target = ''], n) => [target, guids[n] ?? ''])) }
}

interface AgentInLabPlan {
  name: string
  folder: string
  org: ClockedOrg
  /** Absent if the agent uses the clock of the machine. */
  clock: WrongClock | undefined
  web: ServerProcess
  site: Site
}

async function startAgentInLab(
  { name, folder, org, clock, web, site }: AgentInLabPlan,
  undo: Undo,
): Promise<AgentInLab> {
  const door = await openDoor(undo)
  door.leadTo(Number(new URL(web.url).port))
  let metrics_port = 0
  const authority = join(folder, `${name}.authority`)
  await writeFile(authority, site.authority)
  const start = async (event: 'enrolled' | 'started', tries = 5): Promise<RunningAgent> => {
    metrics_port = await freePort()
    const flags = ['--references', `127.0.0.1:${site.port}`, '--metrics-port', String(metrics_port)]
    const env = { ...clock?.env, NODE_EXTRA_CA_CERTS: authority }
    const { enrollment_token } = org
    const running = await startAgent({ name, folder, enrollment_token, server: door.url, flags, env }, undo)
    try {
      await running.logged(event)
      return running
    } catch (error) {
      // Another process may have taken the port. The agent has not enrolled then.
      if (tries > 1 && String(error).includes('EADDRINUSE')) return start(event, tries - 1)
      throw error
    }
  }
  const agent: AgentInLab = {
    door,
    running: await start('enrolled'),
    restart: async () => {
      await agent.running.stop()
      agent.running = await start('started')
    },
    readServerAhead: async () => {
      const response = await fetch(`http://127.0.0.1:${metrics_port}/metrics`).catch(() => undefined)
      const ahead = AHEAD_METRIC.exec((await response?.text()) ?? '')?.[1]
      return ahead === undefined ? undefined : Number(ahead)
    },
  }
  return agent
}

/** Starts a monitor that uses the SDK, on a correct clock. */
async function startSdk(deps: Deps, web: ServerProcess, receiver: Receiver, undo: Undo): Promise<Lab['sdk']> {
  const { org_id, enrollment_token, addChecks, addWebhook } = await openOrg(deps, 'sdk')
  await addWebhook(receiver)
  const wellGuids = await addChecks(shops('well', 20))
  const book = new Book()
  const who = { name: 'sdk', address: '127.1.0.1', enrollment_token, baseUrl: web.url }
  return { org_id, book, agent: await startSdkAgent({ ...who, wellGuids, upload_ms: 1000, book }, undo) }
}

async function untilAtWork({ deps, orgs, webs, worker, jobs }: Lab): Promise<void> {
  const idle = `select count(*) from checks c where org_id = any($1::bigint[]) and (
    select count(*) from results r where r.org_id = c.org_id and r.check_id = c.check_id) < 2`
  const org_ids = orgs.map(({ org_id }) => org_id)
  const isAtWork = async () => {
    const areReady = [...webs, worker].every(({ looks }) => looks.length > 0 && looks.at(-1)?.obstacle === undefined)
    const doPing = Object.values(jobs).every(({ taken }) => taken.length > 2)
    return areReady && doPing && (await numberOf(deps, idle, org_ids)) === 0
  }
  await need(isAtWork, READY_MS, 'the lab does not get to work')
}
