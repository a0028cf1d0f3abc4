// Proves that every change of state is alerted, once, whatever is killed: the web process, two workers and Postgres are killed with -9 at
// random while checks and heartbeats go down and come up, and receivers respond with 500, hang up or never respond. Every acknowledged
// change arrives in order, signed, under one id; the workers share the work. The alerts of a third organisation take routes: none comes in
// quiet hours or before its delay or step. A fourth has maintenance windows: what is still down at their end is alerted then. The alerts of
// a fifth are grouped.
// npm run prove -- alerting [--changes N] [--kills N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { dice } from '../../packages/server/test/support/dice.ts'
import { thresholdOf } from '../lab/alerts/fleet.ts'
import {
  countPending,
  givenUpIn,
  judgeAlerts,
  judgeRepeats,
  readDeliveries,
  excuseKilled,
} from '../lab/alerts/judge.ts'
import { openReceiver } from '../lab/alerts/receiver.ts'
import { checkStory, heartbeatStory, type Hearer, type Side, silentStory, Story } from '../lab/alerts/stories.ts'
import { Book } from '../lab/clients/book.ts'
import { type SdkAgent, startSdkAgent } from '../lab/clients/sdk-agent.ts'
import { type Outcome, readFlags, runProof, SEED, sum, until } from '../lab/proof.ts'
import type { Mortal, Server } from '../lab/server.ts'
import { heartbeatOf, numberOf, openOrg, openWorld, shops, UNLIMITED, type World } from '../lab/world.ts'
import { beginGrouped, countGrouped, type GroupedSide, judgeGrouped } from './alerting/grouped.ts'
import { beginMaintained, judgeMaintained, type MaintainedSide, readSpans } from './alerting/maintained.ts'
import { beginRouted, countRouted, judgeRouted, ROLES, type RoutedSide } from './alerting/routed.ts'

const flags = readFlags({
  changes: { type: 'string', default: '300' },
  kills: { type: 'string', default: '36' },
  seed: SEED,
})
/** Minimum number of changes of checks. */
const CHANGES = Number(flags.changes)
const KILLS = Number(flags.kills)
const SEED_OF_ALL = Number(flags.seed)
const BETWEEN_MS = { least: 1500, most: 5000 }
const DOWN_MS = 2500
const UP_MS = 30_000
const CATCH_UP_MS = 90_000
const [CHECKS, WELL_CHECKS, HEARTBEATS, SILENT, UPLOADERS] = [24, 20, 3, 2, 2]
/** Minimum number of maintenance windows that end. Each begins with a full minute. */
const WINDOWS = 2
const LIMIT_MS = 360_000 + KILLS * 6000 + WINDOWS * 60_000
/** Minimum share of a worker. */
const LEAST_SHARE = 0.1

interface Stage {
  world: World
  deps: Deps
  web: Server
  workers: Server[]
  book: Book
  /** Monotonic time at which the last killed process was back. */
  killed_ms: number
  isOver: boolean
}

await runProof('alerting', LIMIT_MS, async (undo) => {
  const world = await openWorld(undo)
  const env = { ADDRESS_RATE_LIMIT: 'off', EGRESS_ALLOW: '127.0.0.1', ...UNLIMITED }
  const web = await world.serve(env, { name: 'web process', role: 'web' })
  const workers = [
    await world.serve(env, { name: 'first worker', role: 'worker' }),
    await world.serve(env, { name: 'second worker', role: 'worker' }),
  ]
  const stage: Stage = { world, deps: world.deps, web, workers, book: new Book(), killed_ms: 0, isOver: false }
  const course = { seed: SEED_OF_ALL, isOver: () => stage.isOver }
  const open = (name: string, moods: readonly boolean[]) => openSide(stage, name, moods)
  const sides = [await open('patient', [true]), await open('hasty', [false, false])]
  const stories: Story[] = []
  const telling = Promise.all((await Promise.all(sides.map((side) => beginStories(stage, side, stories)))).flat())
  telling.catch(() => {})
  const routed = await beginRouted(
    world.deps,
    await open(
      'routed',
      ROLES.map(() => false),
    ),
    course,
  )
  const maintained = await beginMaintained(world.deps, await open('maintained', [false]), course)
  const grouped = await beginGrouped(world, await open('grouped', []), temperOf(stage, 0, false), course)
  const isEnough = () =>
    [stories, routed.stories, grouped.stories].every((some) => countChecks(some) >= CHANGES) &&
    maintained.ended() >= WINDOWS
  const running = Promise.all([telling, routed.running, maintained.running, grouped.running])
  running.catch(() => {})
  const kills = await killOften(stage, isEnough, running)
  stage.isOver = true
  await running
  const began = performance.now()
  // The leases of killed workers have to run out.
  for (const story of [...stories, ...grouped.stories]) await story.untilTold()
  await until(async () => (await countPending(world.deps)) === 0, CATCH_UP_MS)
  const caught_up_sec = (performance.now() - began) / 1000
  const left = await numberOf(world.deps, 'select count(*) from planned_alerts')
  return judge(stage, { sides, stories, routed, maintained, grouped, kills, caught_up_sec, left })
})

function temperOf({ workers }: Stage, n: number, isMoody: boolean) {
  return { isMoody, dice: dice(SEED_OF_ALL - n), senders: () => workers.flatMap(({ pids }) => pids) }
}

/** Opens an organisation with agents, and a receiver for each mood. */
async function openSide(stage: Stage, name: string, moods: readonly boolean[]): Promise<Side> {
  const { world, deps, web, book } = stage
  const org = await openOrg(deps, name)
  const hearers: Hearer[] = []
  for (const [n, isMoody] of moods.entries()) {
    const receiver = await openReceiver(`${name} receiver ${n + 1}`, temperOf(stage, n, isMoody), world.undo)
    hearers.push({ ...receiver, channel_id: await org.addWebhook(receiver) })
  }
  const wellGuids = await org.addChecks(shops('well', WELL_CHECKS))
  const uploaders: SdkAgent[] = []
  for (let n = 0; n < UPLOADERS; n += 1) {
    const who = { name: `${name} monitor ${n}`, address: '127.0.0.1', enrollment_token: org.enrollment_token }
    uploaders.push(await startSdkAgent({ ...who, baseUrl: web.url, wellGuids, upload_ms: 100, book }, world.undo))
  }
  const killed_ms = () => stage.killed_ms
  return { ...org, uploaders, hearers, isPatient: moods.includes(true), killed_ms }
}

/** Begins the stories of an organisation's checks and heartbeats. */
async function beginStories(stage: Stage, side: Side, stories: Story[]): Promise<Promise<void>[]> {
  const { deps, web } = stage
  const begin = (guid: string, isSilent = false) => {
    const story = new Story(guid, side, isSilent)
    stories.push(story)
    return { story, course: { seed: SEED_OF_ALL + stories.length, isOver: () => stage.isOver } }
  }
  const more = (n: number) => ({ down_interval_sec: thresholdOf(n), alert_every_change: true })
  const guids = await side.addChecks(shops('shop', CHECKS, more))
  const running = guids.map((guid, n) => {
    const { story, course } = begin(guid)
    return checkStory(story, thresholdOf(n), course)
  })
  for (let n = 0; n < HEARTBEATS + (side.isPatient ? SILENT : 0); n += 1) {
    const isSilent = n >= HEARTBEATS
    const wanted = isSilent ? heartbeatOf(`job ${n}`, 3, 7) : heartbeatOf(`job ${n}`, 3600, 60)
    const { guid, token } = await createHeartbeat(deps, side.org_id, wanted)
    const { story, course } = begin(guid, isSilent)
    running.push((isSilent ? silentStory : heartbeatStory)(story, `${web.url}/ping/${token}`, course))
  }
  return running
}

/** Kills one or two at a time. Postgres starts first, because a server does not start without it. */
async function killOften(stage: Stage, isEnough: () => boolean, running: Promise<unknown>) {
  const { world, deps, web, workers } = stage
  const d = dice(SEED_OF_ALL)
  const all: readonly Mortal[] = [world.postgres, web, ...workers]
  const kills = new Map(all.map((mortal) => [mortal, 0]))
  while (sum([...kills.values()]) < KILLS || !isEnough()) {
    // A story that cannot go on ends the proof.
    await Promise.race([pause(BETWEEN_MS.least + d.below(BETWEEN_MS.most - BETWEEN_MS.least)), running])
    if (sum([...kills.values()]) >= KILLS) continue
    const victims = d.some(all, 2)
    await Promise.all(victims.map((victim) => victim.kill()))
    for (const victim of victims) kills.set(victim, (kills.get(victim) ?? 0) + 1)
    await pause(d.below(DOWN_MS))
    for (const mortal of all) if (victims.includes(mortal)) await mortal.start()
    for (const worker of workers) if (victims.includes(worker)) await untilWorking(deps, worker)
    stage.killed_ms = performance.now()
  }
  return kills
}

/** Waits for a worker, because one that finds no Postgres while it starts ends, and no service manager starts it again. */
async function untilWorking(deps: Deps, { pid }: Server): Promise<void> {
  const text = 'select count(*) from processes where pid = $1'
  await until(async () => (await numberOf(deps, text, pid).catch(() => 0)) > 0, UP_MS)
}

interface Observations {
  sides: readonly Side[]
  stories: readonly Story[]
  routed: RoutedSide
  maintained: MaintainedSide
  grouped: GroupedSide
  kills: ReadonlyMap<Mortal, number>
  caught_up_sec: number
  /** Number of alerts that still wait in the end. */
  left: number
}

async function judge({ world, deps, workers, book }: Stage, seen: Observations): Promise<Outcome> {
  const { sides, stories, routed, maintained, grouped, kills, caught_up_sec, left } = seen
  const rows = await readDeliveries(deps)
  const rowsOf = ({ side }: { side: Side }) => rows.filter(({ org_id }) => org_id === side.org_id)
  const windows = judgeMaintained(maintained, rowsOf(maintained), await readSpans(deps, maintained.side.org_id))
  const others = [routed, maintained, grouped]
  const hearers: readonly Hearer[] = [...sides, ...others.map(({ side }) => side)].flatMap((side) => side.hearers)
  const arrivals = hearers.flatMap((hearer) => hearer.arrivals)
  const messages = new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
  const again = arrivals.length - messages
  const refused = arrivals.filter(({ answer }) => answer !== 'accepted').length
  const shares = workers.map(({ pids }) => arrivals.filter(({ sender }) => pids.includes(sender ?? 0)).length)
  return {
    faults: [
      ...world.ends,
      ...judgeAlerts(sides, stories, rows),
      ...judgeRouted(routed, rowsOf(routed)),
      ...windows.faults,
      ...judgeGrouped(grouped, rowsOf(grouped)),
      ...others.flatMap(({ side }) => side.hearers.flatMap((hearer) => hearer.faults)),
      left > 0 && `${left} alerts still wait`,
      ...hearers.flatMap((hearer) => judgeRepeats(hearer, excuseKilled(workers))),
      again <= refused && 'no kill came between the sending of a message and its record: that is no trial',
      ...shares.map((share, n) => share < arrivals.length * LEAST_SHARE && `${workers[n]?.name} sent only ${share}`),
    ],
    figures: [
      `${countChecks(stories)} changes of checks (seed ${SEED_OF_ALL})`,
      `${sum(stories.map(({ changes }) => changes.length)) - countChecks(stories)} changes of heartbeats`,
      countRouted(routed, rowsOf(routed)),
      windows.figures,
      countGrouped(grouped, rowsOf(grouped)),
      `killed: ${[...kills].map(([{ name }, count]) => `${name} ${count}`).join(', ')}`,
      `${givenUpIn(stories, rows).size} recoveries of silent jobs refused and given up for the next alert`,
      `${messages} messages, ${refused} times refused, ${again - refused} repeated after a kill`,
      `sent by the workers ${shares.join(' and ')}`,
      `${book.failedCalls.length} calls of agents failed`,
      `caught up ${caught_up_sec.toFixed(0)} s after the last change`,
    ],
  }
}

function countChecks(stories: readonly Story[]): number {
  return stories.flatMap(({ changes }) => changes).filter(({ type }) => type.startsWith('check')).length
}
