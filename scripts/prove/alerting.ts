// Proves that every change of state is told, once, whatever dies: the web process, two workers and Postgres are killed with
// -9 at random points while checks and heartbeats go down and come up, and receivers answer 500, hang up or never answer.
// Every change that was acknowledged arrives in order, signed, under one id; nothing else does; the workers share the work. Of a third
// organisation the alerts take routes: nothing is lost, out of order, told in quiet hours or before its delay or step. A fourth has
// maintenance windows: nothing is told in them, and what is still down at their end is told then. A fifth has its alerts
// grouped: each change is told once and in order, by a message or by a line of one, and an id always stands for the same message.
// npm run prove -- alerting [--changes N] [--kills N] [--seed N]
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { createEnrollmentToken } from '../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { dice } from '../../packages/server/test/support/dice.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, runProof, until, type World } from '../lab/world.ts'
import {
  givenUpIn,
  judgeAlerts,
  judgeRepeats,
  PENDING,
  STORED_DELIVERIES,
  type StoredDelivery,
  wasKilled,
} from './alerting/judge.ts'
import {
  countRouted,
  judgeRouted,
  openRoutes,
  PLANNED,
  ROLES,
  type Routed,
  routedStory,
  WRITTEN_DELIVERIES,
  type WrittenDelivery,
} from './alerting/routed.ts'
import {
  beginMaintained,
  judgeMaintained,
  MAINTAINED_EVENTS,
  type Maintained,
  type MaintainedEvent,
  type MaintainedRows,
  type Span,
  SPANS,
} from './alerting/maintained.ts'
import {
  beginGrouped,
  type BegunGroups,
  countGrouped,
  GROUPED_DELIVERIES,
  type Grouped,
  type GroupedDelivery,
  judgeGrouped,
} from './alerting/grouped.ts'
import { type Mortal, type MortalServer, openPostgres, startMortal } from './alerting/mortals.ts'
import { openReceiver, type Receiver } from './alerting/receiver.ts'
import { describeRemains, Untold } from './alerting/remains.ts'
import {
  type Course,
  checkStory,
  heartbeatStory,
  isTold,
  type Side,
  type Story,
  silentStory,
} from './alerting/stories.ts'
import { startUploader } from './alerting/uploader.ts'
import { FLEET_LIMITS } from './support/fleet.ts'

const flags = readFlags({
  changes: { type: 'string', default: '300' },
  kills: { type: 'string', default: '36' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
/** Of checks, at the least. */
const CHANGES = Number(flags.changes)
const KILLS = Number(flags.kills)
const SEED = Number(flags.seed)
const BETWEEN_MS = { least: 1500, most: 5000 }
const DOWN_MS = 2500
const UP_MS = 30_000
const CATCH_UP_MS = 90_000
const CHECKS = 24
const ROUTED_CHECKS = 24
const MAINTAINED_CHECKS = 12
/** At least so many come and go: each is on from a full minute. */
const WINDOWS = 2
const LIMIT_MS = 360_000 + KILLS * 6000 + WINDOWS * 60_000
const WELL_CHECKS = 20
const HEARTBEATS = 3
const SILENT = 2
const UPLOADERS = 2
const HEARTBEAT = { interval_sec: 3600, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
const SILENT_HEARTBEAT = { ...HEARTBEAT, interval_sec: 3, grace_sec: 7 }
/** Less of it than that is no sharing. */
const LEAST_SHARE = 0.1

await runProof('alerting', LIMIT_MS, prove)

interface Stage {
  deps: Deps
  postgres: Mortal
  web: MortalServer & { port: number }
  workers: readonly MortalServer[]
  /** What ended by itself. */
  ends: string[]
  /** When one of them was killed last and was back, by the monotonic clock. */
  killed_ms: number
  undo: World['undo']
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const stage = await setStage(undo)
  const sides = [await openSide(stage, 'patient', [true]), await openSide(stage, 'hasty', [false, false])]
  const stories: Story[] = []
  let isOver = false
  const begin: Begin = ({ side, guid, isSilent = false }, run) => {
    const story: Story = { guid, side, changes: [], isSilent }
    stories.push(story)
    return run(story, { seed: SEED + stories.length, isOver: () => isOver })
  }
  const running = Promise.all((await Promise.all(sides.map((side) => openStories(stage, side, begin)))).flat())
  running.catch(() => {})
  const routed = await openRouted(stage, () => isOver)
  const count = (some: readonly Story[]) =>
    some.flatMap(({ changes }) => changes).filter(({ type }) => type.startsWith('check')).length
  const maintained = await openMaintained(stage, () => isOver)
  const grouped = await openGrouped(stage, () => isOver)
  const isEnough = () =>
    [stories, routed.stories, grouped.stories].every((some) => count(some) >= CHANGES) && maintained.over >= WINDOWS
  // What is stored is asked at once, before anything goes on.
  const all = Promise.all([running, routed.running, maintained.running, grouped.running]).catch(
    async (error: unknown) => {
      throw error instanceof Untold ? await withRemains(stage, error) : error
    },
  )
  all.catch(() => {})
  const kills = await killOften(stage, isEnough, all)
  isOver = true
  await all
  const began = performance.now()
  // The leases of those that were killed have to run out.
  for (const story of [...stories, ...grouped.stories]) await isTold(story, story.changes.length)
  const { machines } = stage.deps.database.pools
  const areDone = async () => (await machines.query<{ count: number }>(PENDING)).rows[0]?.count === 0
  await until(areDone, CATCH_UP_MS)
  const left = (await machines.query<{ count: number }>(PLANNED)).rows[0]?.count ?? 0
  const written = await machines.query<WrittenDelivery>(WRITTEN_DELIVERIES, [routed.side.org_id])
  const { side, stories: under } = maintained
  const { rows: events } = await machines.query<MaintainedEvent>(MAINTAINED_EVENTS, [side.org_id])
  const { rows: spans } = await machines.query<Span>(SPANS, [side.org_id])
  const { rows } = await machines.query<StoredDelivery>(STORED_DELIVERIES)
  const inGroups = await machines.query<GroupedDelivery>(GROUPED_DELIVERIES, [grouped.side.org_id])
  const caught_up_sec = (performance.now() - began) / 1000
  const ofRoutes = { ...routed, rows: written.rows }
  const ofWindows = { side, stories: under, events, spans }
  return judge(stage, {
    ...{ sides, stories, rows, kills, caught_up_sec, left, routed: ofRoutes, maintained: ofWindows },
    grouped: { ...grouped, rows: inGroups.rows },
  })
}

async function withRemains({ deps }: Stage, { guid, message }: Untold): Promise<Error> {
  return new Error([message, ...(await describeRemains(deps, guid))].join('\n  '))
}

async function setStage(undo: World['undo']): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-alerting-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres runs as another user, who walks through here.
  await chmod(folder, 0o711)
  const postgres = await openPostgres(folder, undo)
  await migrateToLatest(postgres.url)
  const database = openDatabase({ url: postgres.url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  // Every change is told by itself, however many there are.
  const env = { DATABASE_URL: postgres.url, ADDRESS_RATE_LIMIT: 'off', EGRESS_ALLOW: '127.0.0.1', ...FLEET_LIMITS }
  const ends: string[] = []
  const start = (name: string, role: 'web' | 'worker') =>
    startMortal(name, role, env, { undo, onEnd: (fault) => void ends.push(fault) })
  const web = await start('web process', 'web')
  const workers = [await start('first worker', 'worker'), await start('second worker', 'worker')]
  return { deps, postgres, web, workers, ends, killed_ms: 0, undo }
}

/** An org with its channels; `moods`: whether the receiver behind each has bad ones. */
async function openSide(stage: Stage, name: string, moods: readonly boolean[]): Promise<Side> {
  const { deps, undo, web, workers } = stage
  const { org_id } = await createOrganisation(deps, { name, plan: 'team', owner_email: `${name}@example.com` })
  const senders = () => workers.flatMap(({ pids }) => pids)
  const hearers: Side['hearers'][number][] = []
  for (const [n, isMoody] of moods.entries()) {
    const title = `${name} receiver ${n + 1}`
    const receiver = await openReceiver(title, { isMoody, dice: dice(SEED - n), senders }, undo)
    const { url: webhook_url, secret: webhook_secret } = receiver
    const { id } = await createChannel(deps, org_id, { kind: 'webhook', name: title, webhook_url, webhook_secret })
    hearers.push({ ...receiver, channel_id: id })
  }
  const { token: enrollment_token } = await createEnrollmentToken(deps, org_id)
  const { guids } = await importChecks(
    deps,
    org_id,
    entries('well', WELL_CHECKS, () => 2),
    'all',
  )
  const baseUrl = `http://127.0.0.1:${web.port}`
  const uploaders = []
  for (let n = 0; n < UPLOADERS; n += 1) {
    const options = { baseUrl, enrollment_token, name: `monitor ${n}`, wellGuids: () => guids }
    uploaders.push(await startUploader(options, undo))
  }
  const killed_ms = () => stage.killed_ms
  return { name, org_id, uploaders, hearers, isPatient: moods.includes(true), killed_ms }
}

/** The organisation whose alerts take routes; its stories begin. */
async function openRouted(
  stage: Stage,
  isOver: () => boolean,
): Promise<Omit<Routed, 'rows'> & { running: Promise<unknown> }> {
  const { deps } = stage
  const side = await openSide(
    stage,
    'routed',
    ROLES.map(() => false),
  )
  const { guids } = await importChecks(
    deps,
    side.org_id,
    entries('routed', ROUTED_CHECKS, () => 1),
    'all',
  )
  const stories = guids.map((guid): Story => ({ guid, side, changes: [] }))
  const { windows, ended } = await openRoutes(deps, side, { seed: SEED, isOver })
  const running = Promise.all([ended, ...stories.map((story, n) => routedStory(story, { seed: SEED - n, isOver }))])
  return { side, stories, windows, running }
}

/** The organisation with maintenance windows; its stories begin. */
async function openMaintained(stage: Stage, isOver: () => boolean): Promise<Maintained> {
  const side = await openSide(stage, 'maintained', [false])
  const checks = entries('maintained', MAINTAINED_CHECKS, () => 1)
  const { guids } = await importChecks(stage.deps, side.org_id, checks, 'all')
  return beginMaintained(stage.deps, side, guids, { seed: SEED, isOver })
}

/** The organisation whose alerts are grouped; its checks go down and come up together. */
async function openGrouped(stage: Stage, isOver: () => boolean): Promise<BegunGroups> {
  const side = await openSide(stage, 'grouped', [])
  const temper = { isMoody: false, dice: dice(SEED), senders: () => stage.workers.flatMap(({ pids }) => pids) }
  return beginGrouped(stage.deps, { side, temper, undo: stage.undo }, { seed: SEED, isOver })
}

type Begin = (
  of: Pick<Story, 'side' | 'guid' | 'isSilent'>,
  run: (story: Story, course: Course) => Promise<void>,
) => Promise<void>

async function openStories({ deps, web }: Stage, side: Side, begin: Begin): Promise<Promise<void>[]> {
  const { org_id } = side
  const { guids } = await importChecks(deps, org_id, entries('shop', CHECKS, thresholdOf), 'all')
  const stories = guids.map((guid, n) =>
    begin({ side, guid }, (story, course) => checkStory(story, thresholdOf(n), course)),
  )
  for (let n = 0; n < HEARTBEATS + (side.isPatient ? SILENT : 0); n += 1) {
    const isSilent = n >= HEARTBEATS
    const wanted = { ...(isSilent ? SILENT_HEARTBEAT : HEARTBEAT), name: `job ${n}` }
    const { guid, token } = await createHeartbeat(deps, org_id, wanted)
    const url = `http://127.0.0.1:${web.port}/ping/${token}`
    const tell = isSilent ? silentStory : heartbeatStory
    stories.push(begin({ side, guid, isSilent }, (story, course) => tell(story, url, course)))
  }
  return stories
}

function thresholdOf(n: number): number {
  return 1 + (n % 3)
}

function entries(name: string, count: number, threshold: (n: number) => number) {
  return Array.from({ length: count }, (_, n) => ({
    name: `${name} ${n}`,
    url: `https://${name}-${n}.example.com/`,
    interval_sec: 60,
    down_interval_sec: threshold(n),
    // They change more often than a check that would not count as flapping.
    alert_every_change: true,
  }))
}

/** Kills one or two at a time. Postgres comes back first: nobody starts without it, and nobody else is started again for it. */
async function killOften(
  stage: Stage,
  isEnough: () => boolean,
  running: Promise<unknown>,
): Promise<Map<Mortal, number>> {
  const { deps, postgres, web, workers } = stage
  const d = dice(SEED)
  const all: readonly Mortal[] = [postgres, web, ...workers]
  const kills = new Map(all.map((mortal) => [mortal, 0]))
  const total = () => [...kills.values()].reduce((sum, count) => sum + count, 0)
  while (total() < KILLS || !isEnough()) {
    // A story that cannot go on ends it all.
    await Promise.race([pause(BETWEEN_MS.least + d.below(BETWEEN_MS.most - BETWEEN_MS.least)), running])
    if (total() >= KILLS) continue
    const victims = d.some(all, 2)
    await Promise.all(victims.map((victim) => victim.kill()))
    for (const victim of victims) kills.set(victim, (kills.get(victim) ?? 0) + 1)
    await pause(d.below(DOWN_MS))
    for (const mortal of all) if (victims.includes(mortal)) await mortal.start()
    for (const worker of workers) if (victims.includes(worker)) await isUp(deps, worker)
    stage.killed_ms = performance.now()
  }
  return kills
}

/** A worker that finds no Postgres while it starts would end, and nobody here starts it again as a service manager does. */
async function isUp({ database }: Deps, { pids }: MortalServer): Promise<void> {
  const isThere = async () => {
    // The first connections after Postgres came back may be broken ones.
    const found = await database.pools.machines
      .query('select from processes where pid = $1', [pids.at(-1)])
      .catch(() => undefined)
    return (found?.rows.length ?? 0) > 0
  }
  await until(isThere, UP_MS)
}

interface Seen {
  sides: readonly Side[]
  stories: readonly Story[]
  rows: readonly StoredDelivery[]
  kills: ReadonlyMap<Mortal, number>
  caught_up_sec: number
  /** Alerts that still wait in the end. */
  left: number
  routed: Routed
  maintained: MaintainedRows
  grouped: Grouped
}

function judge(stage: Stage, seen: Seen): Outcome {
  const { sides, stories, rows, kills, caught_up_sec, left, routed, maintained, grouped } = seen
  const others = [routed.side, maintained.side, grouped.side]
  const ofWindows = judgeMaintained(maintained)
  const hearers: readonly Receiver[] = [...sides, ...others].flatMap((side) => side.hearers)
  const arrivals = hearers.flatMap((hearer) => hearer.arrivals)
  const messages = new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
  const again = arrivals.length - messages
  const refused = arrivals.filter(({ answer }) => answer !== 'taken').length
  const shares = stage.workers.map(({ pids }) => arrivals.filter(({ sender }) => pids.includes(sender ?? 0)).length)
  const changes = stories.flatMap((story) => story.changes)
  const ofChecks = changes.filter(({ type }) => type.startsWith('check')).length
  const faults = [
    ...stage.ends,
    ...judgeAlerts({ sides, stories, rows: rows.filter((row) => others.every(({ org_id }) => org_id !== row.org_id)) }),
    ...judgeRouted(routed),
    ...ofWindows.faults,
    ...judgeGrouped(grouped),
    ...others.flatMap(({ hearers: own }) => own.flatMap((hearer) => hearer.faults)),
    ...(left === 0 ? [] : [`${left} alerts still wait`]),
    ...hearers.flatMap((hearer) => judgeRepeats(hearer, wasKilled(stage.workers))),
    ...(again > refused ? [] : ['no kill came between the sending of a message and its record: that is no trial']),
    ...shares.flatMap((share, n) =>
      share >= arrivals.length * LEAST_SHARE
        ? []
        : [`the ${stage.workers[n]?.name} sent ${share} of ${arrivals.length}`],
    ),
  ]
  const figures = [
    `${ofChecks} changes of checks and ${changes.length - ofChecks} of heartbeats (seed ${SEED})`,
    countRouted(routed),
    ofWindows.figures,
    countGrouped(grouped),
    `killed: ${[...kills].map(([{ name }, count]) => `${name} ${count}`).join(', ')}`,
    `${givenUpIn(stories, rows).size} recoveries of silent jobs refused and given up for the next alert`,
    `${messages} messages, ${refused} times refused, ${again - refused} told again after a kill`,
    `sent by the workers ${shares.join(' and ')}`,
    `${sides.flatMap((side) => side.uploaders).reduce((sum, { failures }) => sum + failures, 0)} uploads repeated`,
    `caught up ${caught_up_sec.toFixed(0)} s after the last change`,
  ]
  return { figures: figures.join('; '), faults }
}
