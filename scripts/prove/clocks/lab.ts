// Opens a small service for each scenario: Postgres, two web servers and a worker, agents and their targets, clients on the SDK,
// heartbeats, a receiver of webhooks, and a month of earlier results. Each clock can be set wrong.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { ensurePartitions } from '../../../packages/domain/dist/results/partitions.js'
import { THROWAWAY } from '../../../packages/embedded-postgres/dist/server.js'
import { migrateToLatest } from '../../../packages/store/dist/migrate.js'
import { type Fleet, openFleet, openSide } from '../../lab/alerts/fleet.ts'
import { type Side, Story } from '../../lab/alerts/stories.ts'
import { type RunningAgent, startAgent } from '../../lab/clients/agents.ts'
import { Book } from '../../lab/clients/book.ts'
import { type Door, openDoor } from '../../lab/clients/door.ts'
import { openSite, type Site } from '../../lab/clients/site.ts'
import { openDebian } from '../../lab/postgres.ts'
import { freePort, need, openFolder, type Undo } from '../../lab/proof.ts'
import { newServer } from '../../lab/server.ts'
import { openDeps, openOrg, shops, UNLIMITED } from '../../lab/world.ts'
import { forgetShared, makeClock, type WrongClock } from './wrong-clock.ts'

export const INTERVAL_SEC = 2
/** Numbers of the targets that are always up, and of those that change state. */
const [STEADY, CHANGING] = [4, 3]
const STOCK_DAYS = 29
const READY_MS = 60_000
const LOOK_MS = 250
const POSTGRES = { ...THROWAWAY, shared_buffers: '64MB', jit: 'off' }

export interface Lab {
  readonly deps: Deps
  readonly clocks: { database: WrongClock; agents: WrongClock }
  /** Two web servers and a worker. */
  readonly servers: readonly ClockedServer[]
  /** Clients on the SDK, and heartbeats, on a correct clock. */
  readonly fleet: Fleet
  /** Organisations with agents. In the first one, one of two agents has a wrong clock. In the second one, the only agent has. */
  readonly targets: readonly Targets[]
  readonly site: Site
  /** Results from before the scenario, which must all stay. */
  readonly stock: { org_id: number; count: number }
}

export interface ClockedServer {
  readonly url: string
  readonly port: number
  readonly clock: WrongClock
  /** Responses of /readyz, oldest first. `obstacle` is the reason why the server is not ready, or absent if it is ready. */
  readonly looks: readonly { at: number; obstacle: string | undefined }[]
  /** Faults of the server: errors in its log that a wrong clock does not explain, and unexpected ends. */
  readonly errors: readonly string[]
  restart(): Promise<void>
}

export interface Targets {
  readonly side: Side
  /** Names of targets that are always up. */
  readonly steady: readonly string[]
  readonly agents: readonly { door: Door; isWrong: boolean; running: RunningAgent; restart(): Promise<void> }[]
  finish(): Promise<void>
}

export async function openLab(undo: Undo): Promise<Lab> {
  const folder = await openFolder(undo)
  const clocks = { database: makeClock(folder, 'database', 'postgres'), agents: makeClock(folder, 'agents') }
  undo(() => forgetShared(cluster.pid))
  const cluster = await openDebian(folder, undo, POSTGRES).create('cluster', '', clocks.database.env)
  await migrateToLatest(cluster.url)
  const deps = openDeps(cluster.url, undo)
  const stock = await layInStock(deps)
  const env = { DATABASE_URL: cluster.url, EGRESS_ALLOW: '127.0.0.1', DATABASE_POOL_SIZE: '4', ...UNLIMITED }
  const serve = (name: string, role: 'web' | 'worker') => startClocked(role, { name, folder, env }, undo)
  const [web1, web2, worker] = await Promise.all([
    serve('web1', 'web'),
    serve('web2', 'web'),
    serve('worker', 'worker'),
  ])
  const plan = { deps, baseUrls: [web1.url, web2.url], agents: 2, seed: 1 }
  const size = { checks: 4, heartbeats: 2, silent: 2, steady: 2, steady_grace_sec: 5 }
  const fleet = await openFleet({ ...plan, ...size }, undo)
  const site = await openSite(undo)
  /** Opens an organisation with an agent at each of the servers. The clock of the first agent can be wrong. */
  const openTargets = async (name: string, ...webs: readonly ClockedServer[]): Promise<Targets> => {
    const side = await openSide({ ...plan, name, agents: 0 }, new Book(), undo)
    const start = async (web: ClockedServer, n: number) => {
      const [door, isWrong] = [await openDoor(web.port, undo), n === 0]
      const who = { name: `${name}-${n}`, folder, enrollment_token: side.enrollment_token, server: door.url }
      const how = { flags: ['--references', `127.0.0.1:${site.port}`], ...(isWrong && { env: clocks.agents.env }) }
      const begin = () => startAgent({ ...who, ...how }, undo)
      const agent = {
        ...{ door, isWrong, running: await begin() },
        restart: async () => {
          await agent.running.stop()
          agent.running = await begin()
          await agent.running.logged('started')
        },
      }
      await agent.running.logged('enrolled')
      return agent
    }
    const agents = await Promise.all(webs.map(start))
    return { ...(await beginStories(side, site)), agents }
  }
  const pair = await openTargets('pair', web1, web2)
  const alone = await openTargets('alone', web2)
  const lab: Lab = { deps, clocks, servers: [web1, web2, worker], fleet, targets: [pair, alone], site, stock }
  const stories = [fleet, pair.side, alone.side].flatMap((side) => side.stories)
  const areTold = () => stories.every(({ changes, isSteady }) => isSteady || changes.length > 1)
  const areReady = () => lab.servers.every(({ looks }) => looks.length > 0 && looks.at(-1)?.obstacle === undefined)
  await need(() => areReady() && areTold(), READY_MS, 'the lab does not get to work')
  return lab
}

/** Lets targets go down and recover. */
async function beginStories(side: Side, site: Site) {
  const names = (what: string, count: number) => Array.from({ length: count }, (_, n) => `${side.name}-${what}-${n}`)
  const [changing, steady] = [names('changing', CHANGING), names('steady', STEADY)]
  const common = { interval_sec: INTERVAL_SEC, down_interval_sec: 2, alert_every_change: true }
  const urls = [...changing, ...steady].map((name) => site.urlOf(name))
  const guids = await side.addChecks(urls.map((url) => ({ ...common, name: url, url })))
  let isOver = false
  const running = Promise.all(
    changing.map((name, n) => {
      const act = async (isUp: boolean) => {
        site.set(name, isUp)
        return { from: Date.now(), to: Date.now() }
      }
      return new Story(side, { name, guid: guids[n] ?? '', kind: 'check', act, seed: n }).alternate(() => isOver)
    }),
  )
  running.catch(() => {})
  const finish = async (): Promise<void> => {
    isOver = true
    await running
  }
  return { side, steady, finish }
}

/** Creates an organisation with results of the last month. They are of a check that no monitor runs now. */
async function layInStock(deps: Deps): Promise<Lab['stock']> {
  await ensurePartitions(deps)
  const { org_id, addChecks } = await openOrg(deps, 'stock', 'free')
  const old = shops('old', 1, () => ({ interval_sec: 600, enabled: false }))
  await addChecks(old, 'none')
  const { rowCount } = await deps.database.pools.machines.query(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, now() - n * interval '10 minutes', 40 + n % 9, case when n % 50 = 0 then 503 else 200 end,
       n % 50 <> 0, 'stock'
     from checks, generate_series(1, $2::integer * 144) n where org_id = $1`,
    [org_id, STOCK_DAYS],
  )
  return { org_id, count: rowCount ?? 0 }
}

async function startClocked(
  role: 'web' | 'worker',
  { name, folder, env }: { name: string; folder: string; env: Readonly<Record<string, string>> },
  undo: Undo,
): Promise<ClockedServer> {
  const clock = makeClock(folder, name)
  const [port, metrics_port] = [await freePort(), await freePort()]
  const looks: { at: number; obstacle: string | undefined }[] = []
  const errors: string[] = []
  const onLog = (line: string): void => {
    const isError = /"level":[56]0/.test(line) || !line.startsWith('{')
    if (isError && !/clock|skew/i.test(line)) errors.push(line.slice(0, 300))
  }
  const onEnd = (fault: string): void => void errors.push(fault)
  const all = { PORT: String(port), METRICS_PORT: String(metrics_port), ...env, ...clock.env }
  undo(() => forgetShared(server.pid))
  const server = newServer({ name, role, env: all, onLog, onEnd }, undo)
  await server.start()
  let isOver = false
  undo(() => void (isOver = true))
  const watch = async (): Promise<void> => {
    for (; !isOver; await pause(LOOK_MS)) {
      const at = Date.now()
      const obstacle = await fetch(`http://127.0.0.1:${metrics_port}/readyz`)
        .then(async (answer) => (answer.ok ? undefined : answer.text()))
        .catch((error: unknown) => `no response: ${String(error)}`)
      looks.push({ at, obstacle })
    }
  }
  void watch()
  const restart = async (): Promise<void> => {
    await server.stop()
    forgetShared(server.pid)
    await server.start()
  }
  return { url: `http://127.0.0.1:${port}`, port, clock, looks, errors, restart }
}
