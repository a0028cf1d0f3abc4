// Proves that the server works on a given Citus cluster with a coordinator and at least two nodes: suites of its tests pass; `npm start` runs;
// and nothing is lost while a database with a million results is sharded under load, servers are rolled, a node is killed with -9, a shard
// moves, a node comes and goes, and sharding is undone and repeated by commands that are killed in between. Every acknowledged result is
// stored once, and every change is alerted.
// npm run prove -- citus --coordinator URL [--part suites|job|fleet] [--whole] [--spare HOST:PORT] [--short] [--agents N] [--seed N] [PATTERN...]
// Exit code 2 if there is no cluster. --whole: all of the server's tests. --spare: a server with Citus that may join.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { excuseKilled } from '../lab/alerts/judge.ts'
import {
  type Cluster,
  type ClusterDatabase,
  type ClusterNode,
  createClusterDatabase,
  findCluster,
  mortalNode,
  NoCluster,
} from '../lab/citus.ts'
import { POLITE, tallyFailures, Timeline } from '../lab/clients/book.ts'
import { ask } from '../lab/postgres.ts'
import { freePort, need, openFolder, type Outcome, readFlags, runProof, SEED, SWITCH, type Undo } from '../lab/proof.ts'
import { type Server, startServer } from '../lab/server.ts'
import {
  addNode,
  figuresOf,
  locateShard,
  moveAway,
  removeNode,
  runShard,
  runShardAndKill,
  runShardHeard,
} from '../lab/sharding.ts'
import { numberOf, openDeps, UNLIMITED } from '../lab/world.ts'
import { type Ballast, loadBallast } from './citus/ballast.ts'
import { proveSuites } from './citus/suites.ts'

const flags = readFlags(
  {
    ...{ coordinator: { type: 'string' }, part: { type: 'string' }, spare: { type: 'string' } },
    ...{ whole: SWITCH, short: SWITCH, agents: { type: 'string', default: '10' }, seed: SEED },
  },
  true,
)
const ROWS = flags.short ? 100_000 : 1_000_000
const SHARDS = ['--shards', flags.short ? '8' : '32']
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CALM_MS = flags.short ? 3000 : 10_000
const [AWAY_MS, SETTLE_MS, BACK_MS] = [8000, 8000, 90_000]
/** Tolerance of a heartbeat that pings one server, which is away for most of a minute while it is rolled on a busy machine. */
const STEADY_GRACE_SEC = 120
const READY_MS = 240_000
const LIMIT_MS = flags.whole ? 21_600_000 : 5_400_000
const NOTE_MS = 2000
/** Maximum age of the layout that a server knows (store/results/nodes/nodes.ts). */
const KNOWN_MS = 5000

const PARTS: Readonly<Record<string, (given: Cluster, undo: Undo) => Promise<Outcome>>> = {
  suites: (given, undo) => proveSuites(given, undo, { patterns: flags.patterns, isWhole: flags.whole }),
  job: proveJob,
  fleet: proveFleet,
}

const cluster = await findCluster(flags.coordinator).catch((error: unknown): never => {
  process.stderr.write(`prove citus: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof NoCluster ? 2 : 1)
})
const parts = Object.entries(PARTS).filter(([name]) => flags.part === undefined || flags.part === name)
if (parts.length === 0) {
  process.stderr.write(`prove citus: --part is one of ${Object.keys(PARTS).join(', ')}\n`)
  process.exit(2)
}

await runProof('citus', LIMIT_MS, async (undo) => {
  const outcomes: Outcome[] = []
  for (const [, prove] of parts) outcomes.push(await prove(cluster, undo))
  return {
    faults: outcomes.flatMap(({ faults }) => faults),
    figures: [`${cluster.version}, ${cluster.nodes.length} nodes`, ...outcomes.flatMap(({ figures }) => figures)],
  }
})

/** Runs `npm start` on a sharded database, which is ready when the first result of the demo's agent can be read. */
async function proveJob(given: Cluster, undo: Undo): Promise<Outcome> {
  const database = await createClusterDatabase(given)
  undo(() => database.drop())
  await migrateToLatest(database.url)
  await runShard(database.url, ...SHARDS)
  const own = { DATABASE_URL: database.url, PORT: `${await freePort()}`, DOGWATCH_DATA_DIR: await openFolder(undo) }
  const begun = performance.now()
  const child = spawn(process.execPath, ['scripts/start.js'], {
    ...{ cwd: ROOT, env: { ...process.env, ...own, LOG_LEVEL: 'error' }, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  const ended = once(child, 'exit')
  undo(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const saysReady = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('dogwatch: ready') && resolve(true))
  })
  const isReady = await Promise.race([saysReady, pause(READY_MS, false), ended.then(() => false)])
  const ready_s = ((performance.now() - begun) / 1000).toFixed(0)
  child.kill('SIGINT')
  const [code] = (await ended) as [number | null]
  const [row] = await ask<{ results: number }>(database.url, 'select count(*)::integer as results from results')
  return {
    faults: [
      !isReady && 'the demo was not ready',
      code !== 0 && `npm start ended with ${code}`,
      row?.results === 0 && 'the demo has no results',
    ],
    figures: `demo ready after ${ready_s} s with ${row?.results} results on the nodes`,
  }
}

interface Stage {
  given: Cluster
  database: ClusterDatabase
  deps: Deps
  servers: Server[]
  ballast: Ballast
  timeline: Timeline<'calm' | 'change' | 'roll' | 'outage'>
  notes: string[]
  faults: string[]
}

async function proveFleet(given: Cluster, undo: Undo): Promise<Outcome> {
  const database = await createClusterDatabase(given)
  undo(() => database.drop())
  await migrateToLatest(database.url)
  const deps = openDeps(database.url, undo)
  const ballast = await loadBallast(deps, ROWS)
  const faults: string[] = []
  const env = { DATABASE_URL: database.url, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'error', ...UNLIMITED }
  // The log says why a response is 500, which is a fault.
  const onLog = (line: string) => void (line.includes('request failed') && process.stdout.write(`${line}\n`))
  const start = (name: string, role: 'web' | 'worker') =>
    startServer({ name, role, env, onLog, onEnd: (fault) => void faults.push(fault) }, undo)
  const servers = [await start('web1', 'web'), await start('web2', 'web'), await start('worker', 'worker')]
  const stage: Stage = { given, database, deps, servers, ballast, timeline: new Timeline(), notes: [], faults }
  const baseUrls = servers.slice(0, 2).map(({ url }) => url)
  const size = { agents: Number(flags.agents), seed: Number(flags.seed), steady_grace_sec: STEADY_GRACE_SEC }
  const fleet = await openFleet({ deps, baseUrls, senders: () => servers[2]?.pids ?? [], ...size }, undo)
  const working = operate(stage, fleet)
  await Promise.race([working, fleet.running.then(() => working)])
  await stage.timeline.during('calm', 'the last are alerted', () => fleet.finish())
  return judge(stage, fleet)
}

/** Does what an operator does to the layout, and what happens to machines. */
async function operate(stage: Stage, fleet: Fleet): Promise<void> {
  const { database, timeline, ballast, faults, servers } = stage
  const { url } = database
  const calm = () => timeline.during('calm', 'nothing happens', () => pause(CALM_MS))
  const change = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await timeline.during('change', what, async () => {
      const said = await work()
      if (typeof said === 'string') stage.notes.push(`${what}: ${said}`)
      await untilAccepted(fleet, what)
    })
    faults.push(...(await ballast.faults(what)))
  }
  await calm()
  await change('sharded', () => shardWatched(stage, fleet))
  await calm()
  await change('sharded again, which changes nothing', async () => {
    const { tables } = await runShard(url, ...SHARDS)
    if (tables.some(({ writes_waited_ms }) => writes_waited_ms !== null)) faults.push('a second shard converted tables')
  })
  for (const server of servers) {
    await timeline.during('roll', `${server.name} rolled`, async () => {
      await server.stop()
      await server.start()
      await pause(SETTLE_MS)
    })
  }
  await loseNode(stage, fleet)
  await calm()
  await change('the shards of the fleet moved', () => moveAway(database, fleet.org_id, stage.given.nodes))
  if (flags.spare !== undefined) await comeAndGo(stage, change, flags.spare)
  const cut = async (after_ms: number, ...words: readonly string[]) => {
    const wasCut = await runShardAndKill(url, after_ms, ...words)
    const figures = figuresOf(await runShard(url, ...words))
    return `${wasCut ? 'killed, then ' : 'over before the kill; '}${figures}`
  }
  await calm()
  await change('undone, killed in between', () => cut(1500, '--undo'))
  await calm()
  await change('sharded, killed in between', () => cut(3000, ...SHARDS))
  await calm()
}

/** Shards the database. While it copies results, which takes most of the time, checks go down and are alerted. */
async function shardWatched({ database, faults }: Stage, fleet: Fleet): Promise<string> {
  const begun = fleet.downs().length
  let [from, to] = [0, 0]
  const watch = (line: string): void => {
    if (line.includes('results: ') && line.includes('are being distributed') && from === 0) from = Date.now()
    if (line.includes(' results: sharded')) to = Date.now()
  }
  const figures = figuresOf(await runShardHeard(database.url, watch, ...SHARDS))
  const downs = fleet.downs().slice(begun)
  const within = downs.filter(({ since, at }) => since > from && at < to).length
  const said = `${within} checks went down and were alerted in the ${((to - from) / 1000).toFixed(0)} s of copying`
  if (within === 0) faults.push(said)
  return `${figures}; ${said}`
}

async function comeAndGo(
  { database, given }: Stage,
  change: (what: string, work: () => Promise<unknown>) => Promise<void>,
  address: string,
): Promise<void> {
  const { hostname, port } = new URL(`postgres://${address}`)
  const spare: ClusterNode = { host: hostname, port: Number(port) }
  const own = database.urlOf(spare)
  const admin = Object.assign(new URL(own), { pathname: '/postgres' }).href
  const name = new URL(own).pathname.slice(1)
  await ask(admin, `create database ${name}`)
  await ask(own, 'create extension citus')
  try {
    await change(`a node added to ${given.nodes.length}, and rebalanced`, () => addNode(database, spare))
    await change('the node emptied and removed', () => removeNode(database, spare))
  } finally {
    await ask(admin, `drop database if exists ${name} with (force)`)
  }
}

/** Waits until the servers accept uploads. Returns the time in milliseconds. */
async function untilAccepted({ book }: Fleet, what: string): Promise<number> {
  const from = Date.now()
  const first = () => book.acknowledgedAt.find((at) => at > from)
  await need(() => first() !== undefined, BACK_MS, `${what}: the servers accept nothing`)
  return (first() ?? from) - from
}

async function readReady({ servers }: Stage): Promise<string> {
  return (await fetch(`${servers[0]?.url}/readyz`)).text()
}

/** Kills the node that has the fleet's results. */
async function loseNode(stage: Stage, fleet: Fleet): Promise<void> {
  const { timeline, database, notes, faults } = stage
  const location = await locateShard(database, fleet.org_id)
  const node = await mortalNode(database.urlOf(location))
  await timeline.during('outage', 'the node with the results of the fleet is killed', async () => {
    await node.kill()
    await pause(AWAY_MS)
    const said = await readReady(stage)
    if (!/ 1 of \d+ nodes does not answer/.test(said)) faults.push(`/readyz said: ${said}`)
    if (said.includes(`${location.host}:${location.port}`)) faults.push(`/readyz names a node: ${said}`)
    await node.start()
    notes.push(`first upload accepted ${await untilAccepted(fleet, 'the node is back')} ms after the node was back`)
    await pause(SETTLE_MS)
  })
}

async function judge(stage: Stage, fleet: Fleet): Promise<Outcome> {
  const { timeline, servers, notes, ballast, deps } = stage
  const { book } = fleet
  const isDisturbed = (at: number) =>
    timeline.phases.some(({ kind, from, to }) => kind !== 'calm' && at + NOTE_MS >= from && at <= to)
  const killed = excuseKilled(servers)
  const { figures, faults } = await fleet.judge((before, next) => killed(before, next) || isDisturbed(before.at))
  const undisturbed = book.failures.filter(({ at }) => !isDisturbed(at))
  // The first upload after a change may meet a server that knows the former layout.
  const isSoon = (at: number) =>
    timeline.phases.some(({ kind, to }) => kind === 'change' && at > to && at <= to + KNOWN_MS)
  const soon = undisturbed.filter(({ at, kind }) => kind === POLITE && isSoon(at))
  const calm = undisturbed.filter((failure) => !soon.includes(failure))
  const [changes, outage] = [timeline.of('change', book.failures), timeline.of('outage', book.failures)]
  const rude = [...changes, ...outage].filter(({ kind }) => kind !== POLITE)
  const ready = await readReady(stage)
  const results = await numberOf(deps, 'select count(*) from results where org_id = $1', fleet.org_id)
  return {
    faults: [
      ...stage.faults,
      ...faults,
      ...(await ballast.faults('in the end')),
      outage.length === 0 && 'no client noticed that a node was away: that is no trial',
      rude.length > 0 && `refused other than by 503 with Retry-After: ${tallyFailures(rude)}`,
      calm.length > 0 && `while nothing happened: ${tallyFailures(calm)}`,
      !/results on \d+ nodes/.test(ready) && `/readyz says ${ready}`,
    ],
    figures: [
      `seed ${flags.seed}, ${ballast.rows} results of others unchanged, ${results} of the fleet`,
      ...figures,
      ...notes,
      `attempts that failed: in changes ${tallyFailures(changes)}; without the node ${tallyFailures(outage)}; soon after changes ${tallyFailures(soon)}`,
      `longest attempt ${(book.longest_ms / 1000).toFixed(1)} s`,
    ],
  }
}
