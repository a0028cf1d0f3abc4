// Proves that an operator may restart what there is, and that what dies takes nothing with it: Debian's HAProxy before three
// web processes, two workers, one Postgres, and agents on the SDK that upload without pause. Instances are killed with -9, some
// with requests in their hands, and rolled one by one. Every acknowledged result is stored once, no call fails to an agent, and
// every change is told; a roll by SIGTERM needs not even a second attempt. With --from, they begin as the build of that commit
// on its schema: ours migrates beside them, then each is rolled to ours, back, and to ours again. With --seal, hours are sealed by
// ours, and written back before that build comes back; --leave-sealed leaves that out, to see that the proof then falls short.
// npm run prove -- rolling [--short] [--agents N] [--seed N] [--from COMMIT [--build FOLDER] [--seal | --leave-sealed]]
//   --build: where the build of that commit is made already
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { dice } from '../../packages/server/test/support/dice.ts'
import { buildIn, makeBuildOf, migrateWith, type OtherBuild } from '../lab/other-build.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, runProof, SERVER, until, type World } from '../lab/world.ts'
import { wasKilled } from './alerting/judge.ts'
import { type MortalServer, openPostgres, startMortal } from './alerting/mortals.ts'
import { BACKEND, DRAIN_SEC, haproxySettings } from './rolling/haproxy.ts'
import { type Sealing, sealingOf } from './rolling/sealing.ts'
import { type Fleet, FLEET_LIMITS, openFleet } from './support/fleet.ts'
import type { Failure } from './support/book.ts'
import { fetchFrom } from './support/from-address.ts'
import { type Haproxy, startHaproxy } from './support/haproxy.ts'
import { Timeline, tally } from './support/timeline.ts'

const flags = readFlags({
  short: { type: 'boolean', default: false },
  agents: { type: 'string', default: '50' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
  from: { type: 'string' },
  build: { type: 'string' },
  seal: { type: 'boolean', default: false },
  'leave-sealed': { type: 'boolean', default: false },
})
const AGENTS = Number(flags.agents)
const SEED = Number(flags.seed)
const SEALS = flags.seal || flags['leave-sealed']
/** Of kills and rolls. */
const ROUNDS = flags.short ? 1 : 3
const WEBS = 3
const WORKERS = 2
const SETTLE_MS = 3000
const AWAY_MS = 1500
const STANDSTILL_MS = 400
const UP_MS = 60_000
/** More than the burst that one address has. */
const BURST = 60
/** What a roll of all of them takes at most, thrice for an upgrade, making the build, and sealing twice. */
const UPGRADE_MS = flags.from === undefined ? 0 : SEALS ? 1_800_000 : 900_000
const LIMIT_MS = 300_000 + ROUNDS * 180_000 + UPGRADE_MS

type PhaseKind = 'calm' | 'graceful' | 'kill'

await runProof('rolling', LIMIT_MS, prove)

interface Stage {
  deps: Deps
  /** Of the database. */
  url: string
  /** The build that they begin as, where that is another one. */
  before: OtherBuild | undefined
  webs: readonly (MortalServer & { port: number })[]
  workers: readonly MortalServer[]
  haproxy: Haproxy
  timeline: Timeline<PhaseKind>
  /** Processes that ended by themselves. */
  ends: string[]
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const stage = await setStage(undo)
  const senders = () => stage.workers.flatMap(({ pids }) => pids)
  const { deps, before, haproxy } = stage
  const plan = { deps, dist: before?.dist, baseUrls: [haproxy.url], agents: AGENTS, seed: SEED, senders }
  const fleet = await openFleet(plan, undo)
  const sealing = SEALS ? sealingOf(fleet, stage) : undefined
  await Promise.race([operate(stage, sealing), untilStuck(fleet)])
  const limited = await burst(haproxy.url, undo)
  await fleet.finish()
  return judge(stage, fleet, { ...limited, sealing })
}

async function setStage(undo: World['undo']): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-rolling-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const postgres = await openPostgres(folder, undo)
  const before = flags.from === undefined ? undefined : buildOf(flags.from, folder)
  if (before) await migrateWith(before.program, postgres.url)
  else await migrateToLatest(postgres.url)
  const database = openDatabase({ url: postgres.url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  const ends: string[] = []
  // The limit by address keeps its default: behind a proxy it counts by the address that the proxy reports.
  const env = {
    DATABASE_URL: postgres.url,
    TRUST_PROXY: '127.0.0.1',
    EGRESS_ALLOW: '127.0.0.1',
    ...FLEET_LIMITS,
    DRAIN_SEC,
    ...(SEALS && { SEAL_HOURS: 'on' }),
  }
  const start = (name: string, role: 'web' | 'worker') =>
    startMortal(name, role, env, { undo, onEnd: (fault) => void ends.push(fault), ...before })
  const webs = await startAll(WEBS, (n) => start(`web${n}`, 'web'))
  const workers = await startAll(WORKERS, (n) => start(`worker${n}`, 'worker'))
  const settings = (port: number, socket: string) => haproxySettings({ port, socket, servers: webs })
  const haproxy = await startHaproxy({ folder, settings, backend: BACKEND }, undo)
  for (const web of webs) await untilUp(haproxy, web)
  return { deps, url: postgres.url, before, webs, workers, haproxy, timeline: new Timeline('rolling'), ends }
}

function buildOf(commit: string, folder: string): OtherBuild {
  return flags.build === undefined ? makeBuildOf(commit, folder) : buildIn(flags.build)
}

async function startAll<Thing>(count: number, start: (n: number) => Promise<Thing>): Promise<Thing[]> {
  const all: Thing[] = []
  for (let n = 1; n <= count; n += 1) all.push(await start(n))
  return all
}

async function untilUp(haproxy: Haproxy, { name }: MortalServer): Promise<void> {
  if (!(await until(() => haproxy.isUp(name), UP_MS))) throw new Error(`HAProxy does not see ${name} come up`)
}

async function untilStuck(fleet: Fleet): Promise<never> {
  await fleet.running
  throw new Error('the stories ended before they were told to')
}

/** What an operator does, and what happens to the machines, in turn. */
async function operate(stage: Stage, sealing: Sealing | undefined): Promise<void> {
  const { url, before, webs, workers, haproxy, timeline } = stage
  const d = dice(SEED)
  const isWeb = (server: MortalServer) => webs.some((web) => web === server)
  const isBack = async (server: MortalServer): Promise<void> => {
    if (isWeb(server)) await untilUp(haproxy, server)
    await pause(SETTLE_MS)
  }
  const kill = (victims: readonly MortalServer[], standsStill: boolean) => async (): Promise<void> => {
    if (standsStill) {
      for (const { pids } of victims) process.kill(pids.at(-1) ?? 0, 'SIGSTOP')
      await pause(STANDSTILL_MS)
    }
    await Promise.all(victims.map((victim) => victim.kill()))
    await pause(d.below(AWAY_MS))
    await Promise.all(victims.map((victim) => victim.start()))
    await Promise.all(victims.map(isBack))
  }
  const roll = (server: MortalServer) => async (): Promise<void> => {
    await server.stop()
    await server.start()
    await isBack(server)
  }
  const rollAll = async (how: string): Promise<void> => {
    for (const server of [...webs, ...workers]) await timeline.during('graceful', `${server.name} ${how}`, roll(server))
  }
  const become = async (program: string, how: string): Promise<void> => {
    for (const server of [...webs, ...workers]) server.become(program)
    await rollAll(how)
  }
  await timeline.during('calm', 'nothing happens', () => pause(SETTLE_MS))
  if (before) {
    if (sealing) await timeline.during('calm', 'history is brought', sealing.bringHistory)
    await timeline.during('graceful', 'migrated beside them', () => migrateWith(SERVER, url))
    await become(SERVER, 'upgraded')
    if (sealing) await seal(sealing, timeline)
    if (sealing && !flags['leave-sealed']) await timeline.during('calm', 'hours are written back', sealing.unseal)
    await become(before.program, 'taken back')
    if (sealing) {
      await timeline.during('calm', 'late results are brought', sealing.bringLate)
      await timeline.during('calm', 'rows are looked at', sealing.areRows)
    }
    await become(SERVER, 'upgraded again')
    if (sealing) {
      await timeline.during('calm', 'sealing is allowed', sealing.allow)
      await seal(sealing, timeline)
    }
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    await rollAll('rolled')
    const [web, worker] = [d.one(webs), d.one(workers)]
    await timeline.during('kill', `${web.name} and ${worker.name} killed`, kill([web, worker], false))
    const stuck = d.one(webs)
    await timeline.during('kill', `${stuck.name} killed with requests in its hands`, kill([stuck], true))
    const others = webs.filter((other) => other !== stuck)
    await timeline.during('kill', 'the other two killed with requests in their hands', kill(others, true))
  }
  await timeline.during('calm', 'nothing happens', () => pause(SETTLE_MS))
}

/** Also what comes for hours that are sealed. */
async function seal({ isSealed, bringLate }: Sealing, timeline: Stage['timeline']): Promise<void> {
  await timeline.during('calm', 'hours are sealed', isSealed)
  await timeline.during('calm', 'late results are brought', bringLate)
}

/**
 * Whether an address that asks too often is told so, by the address that the proxy saw and counted by all servers
 * together.
 */
async function burst(url: string, undo: World['undo']): Promise<{ limited: number; passed: number }> {
  const { fetch, close } = await fetchFrom('127.2.0.1')
  undo(close)
  const statuses = await Promise.all(
    Array.from({ length: BURST }, async () => {
      const response = await fetch(`${url}/monitor-api/v1/ping`, {})
      await response.text()
      return response.status
    }),
  )
  const limited = statuses.filter((status) => status === 429).length
  return { limited, passed: statuses.length - limited }
}

async function judge(
  stage: Stage,
  fleet: Fleet,
  { limited, passed, sealing }: { limited: number; passed: number; sealing: Sealing | undefined },
): Promise<Outcome> {
  const { timeline, ends, workers, haproxy } = stage
  const { book } = fleet
  const { figures, faults } = await fleet.judge(wasKilled(workers))
  const counts = [...(await haproxy.counts()).values()]
  const graceful = timeline.of('graceful', book.failures)
  const killed = timeline.of('kill', book.failures)
  const calm = book.failures.filter((failure) => !['graceful', 'kill'].includes(timeline.phaseOf(failure)?.kind ?? ''))
  const rolls = timeline.phases.filter(({ kind }) => kind === 'graceful').length
  const kills = timeline.phases.filter(({ kind }) => kind === 'kill').length
  return {
    faults: [
      ...ends,
      ...faults,
      ...(sealing?.faults ?? []),
      ...book.failedCalls.map(({ operation, kind }) => `a call failed to the agent: ${operation}: ${kind}`),
      ...told('in rolls without a kill', timeline, graceful),
      ...told('without a roll or a kill', timeline, calm),
      ...(killed.length > 0 ? [] : ['no kill came between a request and its answer: that is no trial']),
      ...(counts.every(({ requests }) => requests > 0) ? [] : ['a server got no requests: that is no trial']),
      ...(limited > 0 && passed > 0 ? [] : [`of a burst from one address ${limited} were limited and ${passed} not`]),
    ],
    figures: [
      `HAProxy ${haproxy.version}, seed ${SEED}`,
      ...figures,
      ...(sealing?.figures ?? []),
      `${rolls} rolls: second attempts ${tally(graceful)}`,
      `${kills} times killed: second attempts ${tally(killed)}`,
      `${book.failedCalls.length} calls failed to an agent`,
      `requests by server ${counts.map(({ requests }) => requests).join(', ')}`,
      `longest between two syncs of an agent ${longestGap(book.syncs)} s`,
      `of ${limited + passed} requests at once from one address ${limited} limited`,
    ].join('; '),
  }
}

/** Attempts that failed, by what went on. */
function told(how: string, timeline: Stage['timeline'], failures: readonly Failure[]): string[] {
  const phases = Map.groupBy(failures, (failure) => timeline.phaseOf(failure)?.what ?? 'between two of these')
  return [...phases].map(([what, own]) => `${how}: ${what}: ${tally(own)}`)
}

function longestGap(syncs: ReadonlyMap<string, readonly number[]>): string {
  const gaps = [...syncs.values()].flatMap((times) => times.slice(1).map((at, n) => at - (times[n] ?? at)))
  return (Math.max(0, ...gaps) / 1000).toFixed(1)
}
