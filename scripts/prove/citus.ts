// Proves that nothing is lost on a given Citus cluster with a coordinator and at least two nodes, while a database with a million results is
// sharded under load, servers are rolled, a node is killed with -9, a shard moves, a node comes and goes, and sharding is undone and repeated
// by commands that are killed in between. Every acknowledged result is stored once, and every change is alerted.
// npm run prove -- citus --coordinator URL [--spare HOST:PORT] [--rows N] [--agents N] [--seed N]
// Exit code 2 if there is no cluster. --spare: a server with Citus that may join.
import { setTimeout as pause } from 'node:timers/promises'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { excuseKilled } from '../lab/alerts/judge.ts'
import { createClusterDatabase, findCluster, mortalNode, NoCluster } from '../lab/citus.ts'
import { POLITE, Timeline, tallyFailures } from '../lab/clients/book.ts'
import { type Outcome, readFlags, runProof, SEED, type Undo } from '../lab/proof.ts'
import { type Server, startServer } from '../lab/server.ts'
import { addNode, figuresOf, locateShard, moveAway, removeNode, runShard, runShardAndKill } from '../lab/sharding.ts'
import { numberOf, openDeps, UNLIMITED } from '../lab/world.ts'
import { type Ballast, loadBallast } from './citus/ballast.ts'

const text = { type: 'string' } as const
const flags = readFlags({
  ...{ coordinator: text, spare: text, rows: { ...text, default: '1000000' } },
  ...{ agents: { ...text, default: '10' }, seed: SEED },
})
const SHARDS = ['--shards', '32']
const CALM_MS = 5000
const [AWAY_MS, SETTLE_MS] = [8000, 8000]
/**
 * Grace period of a heartbeat that pings only one server, in seconds. On a busy machine, that server is unavailable for most of a
 * minute while it is restarted.
 */
const STEADY_GRACE_SEC = 120
const NOTE_MS = 2000
/** Time after which every server knows a new layout of the database, in milliseconds (store/results/nodes/nodes.ts). */
const KNOWN_MS = 5000

const cluster = await findCluster(flags.coordinator).catch((error: unknown): never => {
  process.stderr.write(`prove citus: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof NoCluster ? 2 : 1)
})
const timeline = new Timeline<'calm' | 'change' | 'roll' | 'outage'>()
const [notes, faults]: [string[], string[]] = [[], []]

await runProof('citus', 5_400_000, async (undo) => {
  const database = await createClusterDatabase(cluster)
  undo(() => database.drop())
  await migrateToLatest(database.url)
  const deps = openDeps(database.url, undo)
  const ballast = await loadBallast(deps, Number(flags.rows))
  const [web1, web2, worker] = await startServers(database.url, undo)
  const size = { agents: Number(flags.agents), seed: Number(flags.seed), steady_grace_sec: STEADY_GRACE_SEC }
  const plan = { deps, baseUrls: [web1.url, web2.url] }
  const fleet = await openFleet({ ...plan, ...size }, undo)
  const working = operate({ database, servers: [web1, web2, worker], ballast, fleet })
  await Promise.race([working, fleet.running.then(() => working)])
  await timeline.during('calm', 'the last are alerted', () => fleet.finish())
  faults.push(...(await ballast.faults('in the end')))
  const ready = await readReady(web1)
  if (!/results on \d+ nodes/.test(ready)) faults.push(`/readyz says ${ready}`)
  const results = await numberOf(deps, 'select count(*) from results where org_id = $1', fleet.org_id)
  notes.unshift(`seed ${flags.seed}, ${ballast.rows} results of others unchanged, ${results} of the fleet`)
  return judge(fleet, [web1, web2, worker])
})

async function startServers(url: string, undo: Undo): Promise<[Server, Server, Server]> {
  const env = { DATABASE_URL: url, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'error', ...UNLIMITED }
  // Prints log lines about failed requests, because a response of 500 is a fault, and the log says why.
  const onLog = (line: string) => void (line.includes('request failed') && process.stdout.write(`${line}\n`))
  const start = (name: string, role: 'web' | 'worker') =>
    startServer({ name, role, env, onLog, onEnd: (fault) => void faults.push(fault) }, undo)
  return [await start('web1', 'web'), await start('web2', 'web'), await start('worker', 'worker')]
}

interface Stage {
  database: Awaited<ReturnType<typeof createClusterDatabase>>
  servers: readonly Server[]
  ballast: Ballast
  fleet: Fleet
}

/** Changes the layout as an operator does, and kills processes as happens to machines. */
async function operate({ database, servers, ballast, fleet }: Stage): Promise<void> {
  const { url } = database
  const calm = () => timeline.during('calm', 'nothing happens', () => pause(CALM_MS))
  const change = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await calm()
    await timeline.during('change', what, async () => {
      const said = await work()
      if (typeof said === 'string') notes.push(`${what}: ${said}`)
      await fleet.untilAccepted(what)
    })
    faults.push(...(await ballast.faults(what)))
  }
  await change('sharded', () => shardWatched(url, fleet))
  await change('sharded again, which changes nothing', async () => {
    const { tables } = await runShard(url, SHARDS)
    if (tables.some(({ writes_waited_ms }) => writes_waited_ms !== null)) faults.push('a second shard converted tables')
  })
  for (const server of servers) {
    await timeline.during('roll', `${server.name} rolled`, async () => {
      await server.stop()
      await server.start()
      await pause(SETTLE_MS)
    })
  }
  await loseNode({ database, servers, ballast, fleet })
  await change('the shards of the fleet moved', () => moveAway(database, fleet.org_id, cluster.nodes))
  if (flags.spare !== undefined) {
    const { hostname: host, port } = new URL(`postgres://${flags.spare}`)
    const spare = { host, port: Number(port) }
    const leave = await database.join(spare)
    try {
      await change(`a node added to ${cluster.nodes.length}, and rebalanced`, () => addNode(database, spare))
      await change('the node emptied and removed', () => removeNode(database, spare))
    } finally {
      await leave()
    }
  }
  const cut = async (after_ms: number, ...words: readonly string[]) => {
    const wasCut = await runShardAndKill(url, after_ms, ...words)
    const figures = figuresOf(await runShard(url, words))
    return `${wasCut ? 'killed, then ' : 'over before the kill; '}${figures}`
  }
  await change('undone, killed in between', () => cut(1500, '--undo'))
  await change('sharded, killed in between', () => cut(3000, ...SHARDS))
  await calm()
}

/** Shards the database. Copying results takes most of the time, and during that time checks go down and must cause alerts. */
async function shardWatched(url: string, fleet: Fleet): Promise<string> {
  const begun = fleet.downs().length
  let [from, to] = [Number.NaN, Number.NaN]
  const watch = (line: string): void => {
    if (line.includes(' results: distributing ')) from = Date.now()
    if (line.includes(' results: sharded')) to = Date.now()
  }
  const figures = figuresOf(await runShard(url, SHARDS, watch))
  const downs = fleet.downs().slice(begun)
  const within = downs.filter(({ since, at }) => since > from && at < to).length
  const said = `${within} checks went down and were alerted in the ${((to - from) / 1000).toFixed(0)} s of copying`
  if (within === 0) faults.push(said)
  return `${figures}; ${said}`
}

async function readReady(server: Server | undefined): Promise<string> {
  return (await fetch(`${server?.url}/readyz`)).text()
}

/** Kills the node that stores the results of the fleet. */
async function loseNode({ database, servers, fleet }: Stage): Promise<void> {
  const location = await locateShard(database, fleet.org_id)
  const node = await mortalNode(database.urlOf(location))
  await timeline.during('outage', 'the node with the results of the fleet is killed', async () => {
    await node.kill()
    await pause(AWAY_MS)
    const said = await readReady(servers[0])
    if (!/ 1 of \d+ nodes does not answer/.test(said)) faults.push(`/readyz said: ${said}`)
    if (said.includes(`${location.host}:${location.port}`)) faults.push(`/readyz names a node: ${said}`)
    await node.start()
    notes.push(`first upload accepted ${await fleet.untilAccepted('the node is back')} ms after the node was back`)
    await pause(SETTLE_MS)
  })
}

async function judge(fleet: Fleet, servers: readonly Server[]): Promise<Outcome> {
  const { book } = fleet
  const isDisturbed = (at: number) =>
    timeline.phases.some(({ kind, from, to }) => kind !== 'calm' && at + NOTE_MS >= from && at <= to)
  const killed = excuseKilled(servers)
  const verdict = await fleet.judge((before, next) => killed(before, next) || isDisturbed(before.at))
  const undisturbed = book.failures.filter(({ at }) => !isDisturbed(at))
  // Shortly after a change, an upload may meet a server that still uses the previous layout.
  const isSoon = (at: number) =>
    timeline.phases.some(({ kind, to }) => kind === 'change' && at > to && at <= to + KNOWN_MS)
  const soon = undisturbed.filter(({ at, kind }) => kind === POLITE && isSoon(at))
  const calm = undisturbed.filter((failure) => !soon.includes(failure))
  const [changes, outage] = [timeline.of('change', book.failures), timeline.of('outage', book.failures)]
  const rude = [...changes, ...outage].filter(({ kind }) => kind !== POLITE)
  return {
    faults: [
      ...faults,
      ...verdict.faults,
      outage.length === 0 && 'no client noticed that a node was away: that is no trial',
      rude.length > 0 && `refused other than by 503 with Retry-After: ${tallyFailures(rude)}`,
      calm.length > 0 && `while nothing happened: ${tallyFailures(calm)}`,
    ],
    figures: [
      `${cluster.version}, ${cluster.nodes.length} nodes`,
      ...notes,
      ...verdict.figures,
      `attempts that failed: in changes ${tallyFailures(changes)}; without the node ${tallyFailures(outage)}; soon after changes ${tallyFailures(soon)}`,
      `longest attempt ${(book.longest_ms / 1000).toFixed(1)} s`,
    ],
  }
}
