// Proves that the server works on a Citus cluster that is given, with one coordinator and two nodes at least: suites of its
// tests pass there; the main job runs; and nothing is lost while a database with a million results is sharded under load, servers
// are rolled, a node is killed with -9, a shard is moved, a node comes and goes, and all is brought back and sharded again by commands that are
// killed in between. Every acknowledged result is stored once, and every change is told.
// npm run prove -- citus --coordinator URL [--part suites|job|fleet] [--whole] [--spare HOST:PORT] [--short] [--seed N] [PATTERN...]
// Exit code 2 where there is no cluster. --whole: all of the server's tests. --spare: a server with Citus that may join.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import {
  ask,
  type Cluster,
  type ClusterDatabase,
  type ClusterNode,
  createClusterDatabase,
  findCluster,
  mortalNode,
  NoCluster,
} from '../lab/citus.ts'
import { readFlagsAndPatterns } from '../lab/proof-flags.ts'
import { freePorts } from '../lab/children.ts'
import { type Outcome, runProof, until, type World } from '../lab/world.ts'
import { wasKilled } from './alerting/judge.ts'
import { type MortalServer, startMortal } from './alerting/mortals.ts'
import { type Ballast, loadBallast } from './citus/ballast.ts'
import { proveSuites } from './citus/suites.ts'
import {
  addNode,
  figuresOf,
  moveAway,
  placeOf,
  removeNode,
  runShard,
  runShardAndKill,
  runShardHeard,
} from '../lab/sharding.ts'
import { type Fleet, FLEET_LIMITS, openFleet } from './support/fleet.ts'
import { Timeline, tally } from './support/timeline.ts'

const { values: flags, positionals: patterns } = readFlagsAndPatterns({
  coordinator: { type: 'string' },
  part: { type: 'string' },
  whole: { type: 'boolean', default: false },
  spare: { type: 'string' },
  short: { type: 'boolean', default: false },
  agents: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const SEED = Number(flags.seed)
const ROWS = flags.short ? 100_000 : 1_000_000
/** Every one takes its time to be made. */
const SHARDS = ['--shards', flags.short ? '8' : '32']
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const [WEBS, WORKERS] = [2, 1]
const CALM_MS = flags.short ? 3000 : 10_000
const [AWAY_MS, SETTLE_MS] = [8000, 8000]
const BACK_MS = 90_000
/** Each heartbeat pings one server, and on a busy machine one that is rolled is away for most of a minute. */
const STEADY_GRACE_SEC = 120
const READY_MS = 240_000
const LIMIT_MS = flags.whole ? 21_600_000 : 5_400_000
const NOTE_MS = 2000
/** What a server knows of the layout is this old at most (store/results/nodes/nodes.ts): the first upload after a change may meet the other one. */
const KNOWN_MS = 5000
const POLITE = '503 with Retry-After'

type PhaseKind = 'calm' | 'change' | 'roll' | 'outage'
const PARTS = {
  suites: (given: Cluster, undo: World['undo']) => proveSuites(given, undo, { patterns, isWhole: flags.whole }),
  job: proveJob,
  fleet: proveFleet,
}

const cluster = await findCluster(flags.coordinator).catch((error: unknown): never => {
  process.stderr.write(`prove citus: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof NoCluster ? 2 : 1)
})
const wanted = Object.entries(PARTS).filter(([name]) => flags.part === undefined || flags.part === name)
if (wanted.length === 0) {
  process.stderr.write(`prove citus: --part is one of ${Object.keys(PARTS).join(', ')}\n`)
  process.exit(2)
}

await runProof('citus', LIMIT_MS, async (undo) => {
  const outcomes: Outcome[] = []
  for (const [, prove] of wanted) outcomes.push(await prove(cluster, undo))
  return {
    faults: outcomes.flatMap(({ faults }) => faults),
    figures: [`${cluster.version}, ${cluster.nodes.length} nodes`, ...outcomes.map(({ figures }) => figures)].join(
      '; ',
    ),
  }
})

/** `npm start` on a sharded database: ready when the first result of the demo's agent can be read. */
async function proveJob(given: Cluster, undo: World['undo']): Promise<Outcome> {
  const database = await shardedDatabase(given, undo)
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-citus-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const [port] = await freePorts(1)
  const begun = performance.now()
  const child = spawn(process.execPath, ['scripts/start.js'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PORT: String(port),
      DOGWATCH_DATA_DIR: folder,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  undo(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const isReady = await Promise.race([saysReady(child), pause(READY_MS, false), ended.then(() => false)])
  const ready_s = ((performance.now() - begun) / 1000).toFixed(0)
  child.kill('SIGINT')
  const [code] = (await ended) as [number | null]
  const [{ results } = { results: 0 }] = await ask<{ results: number }>(
    database.url,
    'select count(*)::integer as results from results',
  )
  return {
    faults: [
      ...(isReady ? [] : ['the demo was not ready']),
      ...(code === 0 ? [] : [`npm start ended with ${code}`]),
      ...(results > 0 ? [] : ['the demo has no results']),
    ],
    figures: `demo ready after ${ready_s} s with ${results} results on the nodes`,
  }
}

async function saysReady({ stdout }: ChildProcess): Promise<boolean> {
  if (!stdout) return false
  for await (const line of createInterface({ input: stdout })) if (line.includes('dogwatch: ready')) return true
  return false
}

async function shardedDatabase(given: Cluster, undo: World['undo']): Promise<ClusterDatabase> {
  const database = await createClusterDatabase(given)
  undo(() => database.drop())
  await migrateToLatest(database.url)
  await runShard(database.url, ...SHARDS)
  return database
}

interface Stage {
  given: Cluster
  cluster_database: ClusterDatabase
  deps: Deps
  webs: readonly (MortalServer & { port: number })[]
  workers: readonly MortalServer[]
  ballast: Ballast
  timeline: Timeline<PhaseKind>
  /** What ended by itself. */
  ends: string[]
  /** Why servers refused requests, as they log it. */
  reasons: readonly Reason[]
  notes: string[]
  faults: string[]
}

async function proveFleet(given: Cluster, undo: World['undo']): Promise<Outcome> {
  const stage = await setStage(given, undo)
  const { deps, webs, workers, timeline } = stage
  const senders = () => workers.flatMap(({ pids }) => pids)
  const plan = { deps, agents: Number(flags.agents), seed: SEED, senders, steady_grace_sec: STEADY_GRACE_SEC }
  const fleet = await openFleet({ ...plan, baseUrls: webs.map(({ port }) => `http://127.0.0.1:${port}`) }, undo)
  const working = operate(stage, fleet)
  await Promise.race([working, fleet.running.then(() => working)])
  await timeline.during('calm', 'the last are told', () => fleet.finish())
  return judge(stage, fleet)
}

interface Reason {
  at: number
  why: string
}

function hear(reasons: Reason[], line: string): void {
  // An answer of 500 is a fault. The server's log says why.
  if (line.includes('request failed')) process.stdout.write(`${line}\n`)
  if (!line.includes('requests cannot be served')) return
  const { time, err } = JSON.parse(line) as { time: number; err: { message: string; code?: string } }
  reasons.push({ at: time, why: [err.code, err.message].filter(Boolean).join(' ') })
}

async function setStage(given: Cluster, undo: World['undo']): Promise<Stage> {
  const cluster_database = await createClusterDatabase(given)
  undo(() => cluster_database.drop())
  const { url } = cluster_database
  await migrateToLatest(url)
  const database = openDatabase({ url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  const ballast = await loadBallast(deps, ROWS)
  const ends: string[] = []
  const reasons: Reason[] = []
  const env = {
    DATABASE_URL: url,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'error',
    ...FLEET_LIMITS,
  }
  const start = (name: string, role: 'web' | 'worker') =>
    startMortal(name, role, env, { undo, onEnd: (fault) => void ends.push(fault), hear: (line) => hear(reasons, line) })
  const webs: (MortalServer & { port: number })[] = []
  for (let n = 1; n <= WEBS; n++) webs.push(await start(`web${n}`, 'web'))
  const workers: MortalServer[] = []
  for (let n = 1; n <= WORKERS; n++) workers.push(await start(`worker${n}`, 'worker'))
  const timeline = new Timeline<PhaseKind>('citus')
  return { given, cluster_database, deps, webs, workers, ballast, timeline, ends, reasons, notes: [], faults: [] }
}

/** What an operator does to the layout, and what happens to the machines, in turn. */
async function operate(stage: Stage, fleet: Fleet): Promise<void> {
  const { cluster_database, timeline, ballast, faults } = stage
  const { url } = cluster_database
  const calm = (what = 'nothing happens') => timeline.during('calm', what, () => pause(CALM_MS))
  const change = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await timeline.during('change', what, async () => {
      const said = await work()
      if (typeof said === 'string') stage.notes.push(`${what}: ${said}`)
      await untilTaken(fleet, what)
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
  for (const server of [...stage.webs, ...stage.workers]) {
    await timeline.during('roll', `${server.name} rolled`, async () => {
      await server.stop()
      await server.start()
      await pause(SETTLE_MS)
    })
  }
  await loseNode(stage, fleet)
  await calm()
  const { nodes } = stage.given
  const org_id = await fleetOrg(stage)
  await change('the shards of the fleet moved', () => moveAway(cluster_database, org_id, nodes))
  if (flags.spare !== undefined) await comeAndGo(stage, change, nodeOf(flags.spare))
  await calm()
  await change('brought back, killed in between', async () => {
    const wasCut = await runShardAndKill(url, 1500, '--undo')
    const figures = figuresOf(await runShard(url, '--undo'))
    return `${wasCut ? 'killed, then ' : 'over before it could be killed; '}${figures}`
  })
  await calm()
  await change('sharded, killed in between', async () => {
    const wasCut = await runShardAndKill(url, 3000, ...SHARDS)
    const figures = figuresOf(await runShard(url, ...SHARDS))
    return `${wasCut ? 'killed, then ' : 'over before it could be killed; '}${figures}`
  })
  await calm()
}

/** While results are copied, which takes nearly all of the time, checks go down and are told as ever. */
async function shardWatched({ cluster_database, faults }: Stage, fleet: Fleet): Promise<string> {
  const begun = fleet.downs().length
  const copy = { from: 0, to: 0 }
  const watch = (line: string): void => {
    if (line.includes('results: ') && line.includes('are being distributed') && copy.from === 0) copy.from = Date.now()
    if (line.includes(' results: sharded')) copy.to = Date.now()
  }
  const figures = figuresOf(await runShardHeard(cluster_database.url, watch, ...SHARDS))
  const told = fleet.downs().slice(begun)
  const within = told.filter(({ since, at }) => since > copy.from && at < copy.to).length
  const seconds = ((copy.to - copy.from) / 1000).toFixed(0)
  if (within === 0) faults.push(`no check went down and was told in the ${seconds} s in which results were copied`)
  return `${figures}; ${within} checks went down and were told in the ${seconds} s in which results were copied`
}

function nodeOf(text: string): ClusterNode {
  const { hostname, port } = new URL(`postgres://${text}`)
  return { host: hostname, port: Number(port) }
}

async function comeAndGo(
  { cluster_database, given }: Stage,
  change: (what: string, work: () => Promise<unknown>) => Promise<void>,
  spare: ClusterNode,
): Promise<void> {
  const own = cluster_database.urlOf(spare)
  const admin = Object.assign(new URL(own), { pathname: '/postgres' }).href
  const name = new URL(own).pathname.slice(1)
  await ask(admin, `create database ${name}`)
  await ask(own, 'create extension citus')
  try {
    await change(`a node added to ${given.nodes.length}, and rebalanced`, () => addNode(cluster_database, spare))
    await change('the node emptied and removed', () => removeNode(cluster_database, spare))
  } finally {
    await ask(admin, `drop database if exists ${name} with (force)`)
  }
}

/** Uploads are taken again. */
async function untilTaken({ book }: Fleet, what: string): Promise<number> {
  const from = Date.now()
  const first = () => book.acknowledgedAt.find((at) => at > from)
  if (!(await until(() => first() !== undefined, BACK_MS))) throw new Error(`${what}: nothing is taken any more`)
  return (first() ?? from) - from
}

async function fleetOrg({ deps }: Stage): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ org_id: number }>(
    "select org_id from organisations where name = 'fleet'",
  )
  return rows[0]?.org_id ?? 0
}

/** Kills the node that has the fleet's results. */
async function loseNode(stage: Stage, fleet: Fleet): Promise<void> {
  const { timeline, cluster_database, notes, faults, webs } = stage
  const place = await placeOf(cluster_database, await fleetOrg(stage))
  const node = await mortalNode(cluster_database.urlOf(place))
  await timeline.during('outage', 'the node with the results of the fleet is killed', async () => {
    await node.kill()
    await pause(AWAY_MS)
    const [web] = webs
    const said = await fetch(`http://127.0.0.1:${web?.port ?? 0}/readyz`).then((answer) => answer.text())
    if (!/ 1 of \d+ nodes does not answer/.test(said)) faults.push(`/readyz said: ${said}`)
    if (said.includes(`${place.host}:${place.port}`)) faults.push(`/readyz names a node: ${said}`)
    await node.start()
    notes.push(`first upload taken ${await untilTaken(fleet, 'the node is back')} ms after the node was`)
    await pause(SETTLE_MS)
  })
}

/** `1.2 s after: worker1 rolled: 55P03 canceling statement due to lock timeout` */
function placeIn({ timeline: { phases }, reasons }: Stage, { at }: { at: number }): string {
  const before = phases.findLast(({ kind, to }) => kind !== 'calm' && to <= at)
  const why = reasons.findLast((one) => Math.abs(one.at - at) < NOTE_MS)?.why
  const place = before ? `${((at - before.to) / 1000).toFixed(1)} s after: ${before.what}` : 'in the beginning'
  return why === undefined ? place : `${place}: ${why}`
}

async function judge(stage: Stage, fleet: Fleet): Promise<Outcome> {
  const { timeline, ends, workers, webs, notes, ballast } = stage
  const { book } = fleet
  const isDisturbed = (at: number) =>
    timeline.phases.some(({ kind, from, to }) => kind !== 'calm' && at + NOTE_MS >= from && at <= to)
  const killed = wasKilled(workers)
  const { figures, faults } = await fleet.judge((before, next) => killed(before, next) || isDisturbed(before.at))
  const undisturbed = book.failures.filter(({ at }) => !isDisturbed(at))
  // Refused as it should be, and nothing else: alerts that are repeated then, and other answers, are faults.
  const soon = undisturbed.filter(
    ({ at, kind }) =>
      kind === POLITE && timeline.phases.some((one) => one.kind === 'change' && at > one.to && at <= one.to + KNOWN_MS),
  )
  const calm = undisturbed.filter((one) => !soon.includes(one))
  const changes = timeline.of('change', book.failures)
  const outage = timeline.of('outage', book.failures)
  const rude = [...changes, ...outage].filter(({ kind }) => kind !== POLITE)
  const ready = await fetch(`http://127.0.0.1:${webs[0]?.port ?? 0}/readyz`).then((answer) => answer.text())
  return {
    faults: [
      ...ends,
      ...stage.faults,
      ...faults,
      ...(await ballast.faults('in the end')),
      ...(outage.length > 0 ? [] : ['nobody noticed that a node was away: that is no trial']),
      ...(rude.length > 0 ? [`refused otherwise than by 503 with Retry-After: ${tally(rude)}`] : []),
      ...(calm.length > 0
        ? [`while nothing happened: ${tally(calm)} (${calm.map((one) => placeIn(stage, one)).join(', ')})`]
        : []),
      ...(/results on \d+ nodes/.test(ready) ? [] : [`/readyz says ${ready}`]),
    ],
    figures: [
      `seed ${SEED}, ${ballast.rows} results of others unchanged`,
      ...figures,
      ...notes,
      `attempts that failed: in changes ${tally(changes)}; without the node ${tally(outage)}; soon after changes ${tally(soon)}`,
      ...soon.map((one) => placeIn(stage, one)),
      `longest attempt ${(book.longest_ms / 1000).toFixed(1)} s`,
    ].join('; '),
  }
}
