// Proves that the loss of a database server loses nothing: Debian's Postgres as a primary and a standby that every commit waits
// for, servers and a worker that find it at an address, and agents on the SDK that upload without pause. The primary is killed
// with -9 and started again; killed and replaced by its standby, at which the servers meet a database that is read-only; and
// replaced while it lives on, read-only, with the servers' connections still open. Every acknowledged result is in the database
// that leads in the end, once; the servers recover by themselves; what they cannot do meanwhile is a 503 that says when to come
// again; every change is told, and none that is the failover's own.
// npm run prove -- failover [--short] [--agents N] [--seed N]
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
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, runProof, until, type World } from '../lab/world.ts'
import type { Excuse } from './alerting/judge.ts'
import { type MortalServer, startMortal } from './alerting/mortals.ts'
import { type Address, openAddress } from './failover/address.ts'
import {
  type Cluster,
  freeze,
  openPostgres,
  type Postgres,
  promote,
  untilInSync,
  waitForEach,
} from './failover/postgres.ts'
import { type Fleet, FLEET_LIMITS, openFleet } from './support/fleet.ts'
import { Timeline, tally } from './support/timeline.ts'

const flags = readFlags({
  short: { type: 'boolean', default: false },
  agents: { type: 'string', default: '20' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const AGENTS = Number(flags.agents)
const SEED = Number(flags.seed)
const CALM_MS = flags.short ? 4000 : 15_000
/** How long there is no database, and how long one that only reads: together longer than a heartbeat of the fleet may be late. */
const AWAY_MS = 8000
const READING_MS = 4000
const STEADY_GRACE_SEC = 7
/** Longer than calls last that began before. */
const SETTLE_MS = 8000
const BACK_MS = 90_000
const LIMIT_MS = 600_000
/** The time that a sender needs to record that a message was accepted. */
const NOTE_MS = 2000

type PhaseKind = 'calm' | 'outage'

await runProof('failover', LIMIT_MS, prove)

interface Stage {
  deps: Deps
  postgres: Postgres
  address: Address
  leader: Cluster
  follower: Cluster
  webs: readonly (MortalServer & { port: number })[]
  worker: MortalServer
  timeline: Timeline<PhaseKind>
  /** What ended by itself. */
  ends: string[]
}

/** How the servers came back after an outage. */
interface Recovery {
  what: string
  /** From the moment when the database accepts writes again. */
  first_answer_ms: number
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const stage = await setStage(undo)
  const { deps, webs, worker, timeline } = stage
  const baseUrls = webs.map(({ port }) => `http://127.0.0.1:${port}`)
  const plan = { deps, baseUrls, agents: AGENTS, seed: SEED, senders: () => worker.pids }
  const fleet = await openFleet({ ...plan, steady_grace_sec: STEADY_GRACE_SEC }, undo)
  const working = lose(stage, fleet)
  const recoveries = await Promise.race([working, fleet.running.then(() => working)])
  await timeline.during('calm', 'the last are told', () => fleet.finish())
  return judge(stage, fleet, recoveries)
}

async function setStage(undo: World['undo']): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-failover-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const password = Buffer.from(systemRandom(16)).toString('hex')
  const postgres = await openPostgres(folder, password, undo)
  const leader = await postgres.create('first')
  await leader.start()
  const follower = await postgres.follow('second', leader)
  await follower.start()
  await waitForEach(leader, follower)
  const address = await openAddress(leader.port, undo)
  const url = leader.url.replace(`:${leader.port}/`, `:${address.port}/`)
  await migrateToLatest(url)
  const database = openDatabase({ url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  const ends: string[] = []
  const env = {
    DATABASE_URL: url,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
    ...FLEET_LIMITS,
  }
  const start = (name: string, role: 'web' | 'worker') =>
    startMortal(name, role, env, { undo, onEnd: (fault) => void ends.push(fault) })
  const webs = [await start('web1', 'web'), await start('web2', 'web')]
  const worker = await start('worker', 'worker')
  const timeline = new Timeline<PhaseKind>('failover')
  return { deps, postgres, address, leader, follower, webs, worker, timeline, ends }
}

/** Loses one database after the other. */
async function lose(stage: Stage, { book }: Fleet): Promise<Recovery[]> {
  const { timeline, address, postgres } = stage
  const recoveries: Recovery[] = []
  /** `work` resolves when there is a writable database again. */
  const outage = (what: string, work: () => Promise<unknown>): Promise<void> =>
    timeline.during('outage', what, async () => {
      await work()
      const back_at = Date.now()
      const first = () => book.acknowledgedAt.find((at) => at > back_at)
      if (!(await until(() => first() !== undefined, BACK_MS))) throw new Error(`${what}: nothing is taken any more`)
      recoveries.push({ what, first_answer_ms: (first() ?? 0) - back_at })
      await pause(SETTLE_MS)
    })
  const calm = (what: string, work = () => pause(CALM_MS)) => timeline.during('calm', what, work)
  const { leader: first, follower: second } = stage

  await calm('nothing happens')
  await outage('the primary is killed and started again', async () => {
    await first.kill()
    await pause(AWAY_MS)
    await first.start()
  })
  await calm('nothing happens', async () => {
    await untilInSync(first)
    await pause(CALM_MS)
  })
  await outage('the primary is killed and the standby promoted', async () => {
    await first.kill()
    await pause(AWAY_MS)
    address.moveTo(second.port)
    await pause(READING_MS)
    await promote(second)
  })
  let third = second
  await calm('a new standby follows', async () => {
    third = await postgres.follow('third', second)
    await third.start()
    await waitForEach(second, third)
    await pause(CALM_MS)
  })
  await outage('the standby is promoted while the primary lives on, read-only', async () => {
    await freeze(second)
    await pause(READING_MS)
    await promote(third)
    address.moveTo(third.port)
  })
  await calm('nothing happens')
  return [...recoveries]
}

/** A delivery that was accepted while nobody could record that. */
function isExcused(timeline: Timeline<PhaseKind>): Excuse {
  return (before) =>
    timeline.phases.some(({ kind, from, to }) => kind === 'outage' && before.at + NOTE_MS >= from && before.at <= to)
}

async function judge(stage: Stage, fleet: Fleet, recoveries: readonly Recovery[]): Promise<Outcome> {
  const { timeline, ends, webs, worker, follower } = stage
  const { book } = fleet
  const { figures, faults } = await fleet.judge(isExcused(timeline))
  const lives = [...webs, worker].map(({ pids }) => pids.length)
  const outage = timeline.of('outage', book.failures)
  const others = book.failures.filter((failure) => !outage.includes(failure))
  const otherCalls = book.failedCalls.filter((call) => timeline.phaseOf(call)?.kind !== 'outage')
  const rude = outage.filter(({ kind }) => kind !== '503 with Retry-After')
  const left = await follower.ask<{ application_name: string }>(
    "select application_name from pg_stat_activity where application_name like 'dogwatch%'",
  )
  return {
    faults: [
      ...ends,
      ...faults,
      ...(lives.every((count) => count === 1) ? [] : ['a server was started again']),
      ...(outage.length > 0 ? [] : ['nobody noticed that the database was away: that is no trial']),
      ...(rude.length > 0 ? [`without a database: ${tally(rude)}`] : []),
      ...(others.length > 0 ? [`while nothing happened: ${tally(others)}`] : []),
      ...(otherCalls.length > 0 ? [`calls failed while nothing happened: ${tally(otherCalls)}`] : []),
      ...left.map(({ application_name }) => `a connection of ${application_name} stays with the old primary`),
    ],
    figures: [
      `Postgres ${stage.postgres.version}, seed ${SEED}`,
      ...figures,
      ...recoveries.map(({ what, first_answer_ms }) => `${what}: first answer after ${first_answer_ms} ms`),
      `attempts that failed: ${tally(outage)}`,
      `calls that failed: ${tally(book.failedCalls)}`,
      `longest attempt ${(book.longest_ms / 1000).toFixed(1)} s`,
    ].join('; '),
  }
}
