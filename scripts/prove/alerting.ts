// Proves that every change of state is alerted, once, whatever is killed: the web process, two workers and Postgres are killed with -9 at
// random while checks and heartbeats go down and come up, and receivers respond with 500, hang up or never respond. Every acknowledged
// change arrives in order, signed, under one id; the workers share the work. The alerts of one organisation wait for the delay and the steps
// of a route.
// npm run prove -- alerting [--changes N] [--kills N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { createRoute } from '../../packages/domain/dist/routing/edit.js'
import { dice } from '../../packages/runtime/test/support/dice.ts'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { excuseKilled, type StoredDelivery } from '../lab/alerts/judge.ts'
import { type Outcome, readFlags, runProof, SEED, sum, until } from '../lab/proof.ts'
import type { Mortal, Server } from '../lab/server.ts'
import { numberOf, openWorld, UNLIMITED, type World } from '../lab/world.ts'

const flags = readFlags({
  changes: { type: 'string', default: '300' },
  kills: { type: 'string', default: '36' },
  seed: SEED,
})
/** Minimum number of changes of state of the checks of each organisation. */
const CHANGES = Number(flags.changes)
const KILLS = Number(flags.kills)
const SEED_OF_ALL = Number(flags.seed)
const BETWEEN_MS = { least: 1500, most: 5000 }
const DOWN_MS = 2500
const UP_MS = 30_000
const LIMIT_MS = 600_000 + KILLS * 6000
/** Delay of a route, and the time from its first step to its second. */
const [DELAY_SEC, STEP_SEC] = [2, 2]
/** Minimum share of all alerts that each worker must send. */
const LEAST_SHARE = 0.1

interface Stage {
  world: World
  web: Server
  workers: Server[]
  /** Time at which the last killed process was available again, on the monotonic clock. */
  killed_ms: number
}

await runProof('alerting', LIMIT_MS, async (undo) => {
  const world = await openWorld(undo)
  const { deps } = world
  const env = { ADDRESS_RATE_LIMIT: 'off', EGRESS_ALLOW: '127.0.0.1', ...UNLIMITED }
  const web = await world.serve(env, { name: 'web process', role: 'web' })
  const workers = [
    await world.serve(env, { name: 'first worker', role: 'worker' }),
    await world.serve(env, { name: 'second worker', role: 'worker' }),
  ]
  const stage: Stage = { world, web, workers, killed_ms: 0 }
  const size = { agents: 2, upload_ms: 100, checks: 24, heartbeats: 3, steady: 0 }
  const plan = { deps, baseUrls: [web.url], seed: SEED_OF_ALL, killed_ms: () => stage.killed_ms, ...size }
  const steps = [{ name: 'moody', isMoody: true }, { name: 'second' }]
  const patient = await openFleet({ ...plan, name: 'patient', receivers: steps }, undo)
  const routed_at = await addRoute(world, patient)
  const hasty = await openFleet({ ...plan, name: 'hasty', isPatient: false, silent: 2 }, undo)
  const fleets = [patient, hasty]
  const running = Promise.all(fleets.map((fleet) => fleet.running))
  running.catch(() => {})
  const isEnough = () => fleets.every((fleet) => fleet.changes('check') >= CHANGES)
  const kills = await killOften(stage, isEnough, running)
  await Promise.all(fleets.map((fleet) => fleet.finish()))
  return judge(stage, { fleets, routed_at, kills })
})

/** Makes the alerts of a fleet wait, and go to one receiver after the other. Returns the time from which on they do. */
async function addRoute({ deps }: World, { org_id, hearers }: Fleet): Promise<number> {
  await createRoute(deps, org_id, {
    ...{ name: 'escalates', scope: { all: true }, events: [], severity: null, quiet: null, enabled: true },
    delay_sec: DELAY_SEC,
    steps: hearers.map(({ channel_id }, n) => ({ after_sec: n * STEP_SEC, channel_ids: [channel_id] })),
  })
  return Date.now()
}

/** Returns the alerts that were written before the delay of their step was over. */
function earlyOf({ hearers }: Fleet, routed: readonly StoredDelivery[]): StoredDelivery[] {
  return routed.filter(({ channel_id, raised_ms, written_ms }) => {
    if (written_ms === null) return false
    const step = hearers.findIndex((hearer) => hearer.channel_id === channel_id)
    return written_ms - raised_ms < (DELAY_SEC + step * STEP_SEC) * 1000
  })
}

/** Kills one or two processes at a time. Starts Postgres first, because a server does not start without it. */
async function killOften(stage: Stage, isEnough: () => boolean, running: Promise<unknown>) {
  const { world, web, workers } = stage
  const d = dice(SEED_OF_ALL)
  const all: readonly Mortal[] = [world.postgres, web, ...workers]
  const kills = new Map(all.map((mortal) => [mortal, 0]))
  while (sum([...kills.values()]) < KILLS || !isEnough()) {
    // If a story cannot go on, `running` rejects, which ends the proof.
    await Promise.race([pause(BETWEEN_MS.least + d.below(BETWEEN_MS.most - BETWEEN_MS.least)), running])
    if (sum([...kills.values()]) >= KILLS) continue
    const victims = d.some(all, 2)
    await Promise.all(victims.map((victim) => victim.kill()))
    for (const victim of victims) kills.set(victim, (kills.get(victim) ?? 0) + 1)
    await pause(d.below(DOWN_MS))
    for (const mortal of all) if (victims.includes(mortal)) await mortal.start()
    for (const worker of workers) if (victims.includes(worker)) await untilWorking(world, worker)
    stage.killed_ms = performance.now()
  }
  return kills
}

/** Waits until a worker works. A worker that finds no Postgres at its start ends, and no service manager starts it again here. */
async function untilWorking({ deps }: World, { pid }: Server): Promise<void> {
  const text = 'select count(*) from processes where pid = $1'
  await until(async () => (await numberOf(deps, text, pid).catch(() => 0)) > 0, UP_MS)
}

interface Observations {
  fleets: readonly Fleet[]
  /** Time from which on the alerts of the first fleet wait, in milliseconds since the Unix epoch. */
  routed_at: number
  kills: ReadonlyMap<Mortal, number>
}

async function judge({ world, workers }: Stage, { fleets, routed_at, kills }: Observations): Promise<Outcome> {
  const excuse = excuseKilled(workers)
  const judged = await Promise.all(fleets.map((fleet) => fleet.judge(excuse)))
  const routed = (judged[0]?.rows ?? []).filter(
    ({ type, raised_ms }) => type.endsWith('.down') && raised_ms >= routed_at,
  )
  const early = earlyOf(fleets[0] as Fleet, routed)
  const arrivals = fleets.flatMap(({ hearers }) => hearers.flatMap((hearer) => hearer.arrivals))
  const again = arrivals.length - new Set(arrivals.map(({ webhook_id }) => webhook_id)).size
  const refused = arrivals.filter(({ answer }) => answer !== 'accepted').length
  const shares = workers.map(({ pids }) => arrivals.filter(({ sender }) => pids.includes(sender)).length)
  return {
    faults: [
      ...world.ends,
      ...judged.flatMap(({ faults }) => faults),
      ...early.map(({ type, event_id }) => `${type} ${event_id} was sent before its step was due`),
      routed.length === 0 && 'no alert waited for a step: that is no trial',
      again <= refused && 'no kill came between the sending of a message and its record: that is no trial',
      ...shares.map((share, n) => share < arrivals.length * LEAST_SHARE && `${workers[n]?.name} sent only ${share}`),
    ],
    figures: [
      `${sum(fleets.map((fleet) => fleet.changes('check')))} changes of checks (seed ${SEED_OF_ALL})`,
      `${sum(fleets.map((fleet) => fleet.changes('heartbeat')))} changes of heartbeats`,
      ...judged.flatMap(({ figures }) => figures),
      `killed: ${[...kills].map(([{ name }, count]) => `${name} ${count}`).join(', ')}`,
      `${refused} messages refused, ${again - refused} repeated after a kill`,
      `sent by the workers ${shares.join(' and ')}`,
    ],
  }
}
