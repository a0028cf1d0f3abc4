// Three agents whose clocks are wrong by up to half a minute take turns at checks of 60 s, through joins, leaves and
// restarts: every slot is run once, but for one of a check at most with each change. A run counts when we hear of it.
// npm run prove -- agent-rotation [--checks N] [--gap-sec N]
import { setTimeout as pause } from 'node:timers/promises'
import { phaseOf } from '../../packages/monitor-sdk/dist/agent.js'
import { switchMonitor } from '../../packages/server/dist/domain/monitors/switches.js'
import { readFlags } from '../lab/proof-flags.ts'
import { assignToAll, type Outcome, proveInWorld, until, type World } from '../lab/world.ts'
import { type LogLine, type RunningAgent, startAgent } from './support/agents.ts'
import { openSite, type Site } from './support/site.ts'
import { countBy, countStored, storedResults } from './support/stored.ts'

const flags = readFlags({ checks: { type: 'string', default: '60' }, 'gap-sec': { type: 'string', default: '75' } })
const CHECKS = Number(flags.checks)
/** Longer than it takes until the last one has heard of a change: a disabled monitor asks each minute. */
const GAP_MS = Number(flags['gap-sec']) * 1000
const INTERVAL_MS = 60_000
/** All have heard of all others. */
const SETTLE_MS = 40_000
const SKEWS_MS = { a: -30_000, b: 17_000, c: 30_000, d: -12_000 }
const SKEWED = new URL('./support/skew.ts', import.meta.url).href
/** What a run may come before or after its slot begins. */
const EARLY_MS = 3000
const CATCH_UP_MS = 30_000

type Name = keyof typeof SKEWS_MS

interface Fleet {
  start(name: Name, skew_ms?: number): Promise<void>
  stop(name: Name): Promise<void>
  kill(name: Name): Promise<void>
  enable(name: Name, on: boolean): Promise<void>
  stopAll(): Promise<void>
}

const CHANGES: readonly { what: string; make: (fleet: Fleet) => Promise<void> }[] = [
  { what: 'd joins', make: (fleet) => fleet.start('d') },
  { what: 'b leaves', make: (fleet) => fleet.enable('b', false) },
  {
    what: 'a restarts on a clock that was put right',
    make: async (fleet) => {
      await fleet.stop('a')
      await fleet.start('a', 0)
    },
  },
  { what: 'b joins again', make: (fleet) => fleet.enable('b', true) },
  {
    what: 'c is killed and restarts',
    make: async (fleet) => {
      await fleet.kill('c')
      await fleet.start('c', -SKEWS_MS.c)
    },
  },
  {
    what: 'd leaves for good',
    make: async (fleet) => {
      await fleet.stop('d')
      await fleet.enable('d', false)
    },
  },
]

interface Period {
  what: string
  from: number
  to: number
}

await proveInWorld('agent-rotation', 180_000 + SETTLE_MS + (CHANGES.length + 1) * (GAP_MS + 10_000), prove)

async function prove(world: World): Promise<Outcome> {
  const site = await openSite(world)
  const guids = await assignToAll(
    world,
    Array.from({ length: CHECKS }, (_, n) => ({ name: `check ${n}`, url: `${site.url}/${n}`, interval_sec: 60 })),
  )
  const server = await world.serve()
  const ran = new Map<string, number[]>(guids.map((guid) => [guid, []]))
  const onLog = ({ event, check }: LogLine) => {
    if (event === 'ran') ran.get(String(check))?.push(Date.now())
  }
  const fleet = fleetOf(world, `http://127.0.0.1:${server.port}`, onLog)
  for (const name of ['a', 'b', 'c'] as const) await fleet.start(name)
  await pause(SETTLE_MS)
  const periods = [await spend('three from the start', async () => {})]
  for (const { what, make } of CHANGES) periods.push(await spend(what, () => make(fleet)))
  await pause(EARLY_MS)
  await until(async () => (await countStored(world)) === totalOf(ran), CATCH_UP_MS)
  await fleet.stopAll()
  return judge(world, { site, guids, ran, periods })
}

async function spend(what: string, change: () => Promise<void>): Promise<Period> {
  const from = Date.now()
  await change()
  await pause(GAP_MS)
  return { what, from, to: Date.now() }
}

function fleetOf(world: World, server: string, onLog: (line: LogLine) => void): Fleet {
  const agents = new Map<Name, RunningAgent>()
  const ids = new Map<Name, string>()
  const of = (name: Name): RunningAgent => {
    const agent = agents.get(name)
    if (!agent) throw new Error(`${name} does not run`)
    return agent
  }
  const stop = async (name: Name) => {
    const code = await of(name).stop()
    if (code !== 0) throw new Error(`${name} ended with ${code}`)
    agents.delete(name)
  }
  return {
    start: async (name, skew_ms = SKEWS_MS[name]) => {
      const agent = await startAgent(world, {
        name,
        server,
        onLog,
        flags: ['--log-level', 'debug'],
        imports: [SKEWED],
        env: { PROOF_SKEW_MS: String(skew_ms) },
      })
      agents.set(name, agent)
      ids.set(name, String((await agent.logged('started')).monitor_id))
    },
    stop,
    kill: (name) => of(name).kill(),
    enable: (name, on) => switchMonitor(world.deps, ids.get(name) ?? '', 'enabled', on),
    stopAll: async () => {
      for (const name of [...agents.keys()]) await stop(name)
    },
  }
}

type Runs = ReadonlyMap<string, readonly number[]>

function totalOf(runs: Runs): number {
  return [...runs.values()].reduce((sum, times) => sum + times.length, 0)
}

interface Seen {
  site: Site
  guids: readonly string[]
  /** When the runs of each check had ended. */
  ran: Runs
  periods: readonly Period[]
}

async function judge(world: World, { site, guids, ran, periods }: Seen): Promise<Outcome> {
  const wrong = guids.flatMap((guid) => wrongSlots(guid, ran.get(guid) ?? [], periods))
  const slots = guids.reduce((sum, guid) => sum + slotsIn(guid, periods).length, 0)
  const each = countBy(wrong, ({ guid, what }) => `${guid} after "${what}"`)
  const undisturbed = wrong.filter(({ what }) => what === periods[0]?.what)
  const rows = await storedResults(world)
  const stored = countBy(rows, ({ guid }) => guid)
  const differing = guids.filter((guid) => stored.get(guid) !== ran.get(guid)?.length)
  const unseen = guids.filter((guid, n) => (ran.get(guid)?.length ?? 0) > (site.visits.get(`/${n}`)?.length ?? 0))
  const faults = [
    ...undisturbed.map(({ guid, at, times }) => `${guid}: slot of ${at} run ${times} times, and nothing had changed`),
    ...[...each].filter(([, count]) => count > 1).map(([where, count]) => `${where}: ${count} slots are wrong`),
    ...(differing.length > 0 ? [`${differing.length} checks have more or fewer results than runs`] : []),
    ...(unseen.length > 0 ? [`${unseen.length} checks have more runs than the site has seen`] : []),
  ]
  const missed = wrong.filter(({ times }) => times === 0).length
  const figures = [
    `${guids.length} checks at 60 s, clocks off by up to 30 s`,
    `${CHANGES.length} changes`,
    `${slots} slots`,
    `${missed} missed, ${wrong.length - missed} doubled`,
    `at most ${Math.max(0, ...each.values())} of a check per change`,
    `by change: ${periods.map(({ what }) => `${what} ${wrong.filter((one) => one.what === what).length}`).join(', ')}`,
  ]
  return { figures: figures.join('; '), faults }
}

interface Wrong {
  guid: string
  /** After which change. */
  what: string
  at: string
  times: number
}

function wrongSlots(guid: string, times: readonly number[], periods: readonly Period[]): Wrong[] {
  return slotsIn(guid, periods).flatMap(({ at }) => {
    const runs = times.filter((time) => time >= at - EARLY_MS && time < at - EARLY_MS + INTERVAL_MS)
    // One too many is blamed on what happened before it, one that is missing on what happened before it was due.
    const what = periods.findLast(({ from }) => from <= (runs.at(-1) ?? at + EARLY_MS))?.what ?? ''
    return runs.length === 1 ? [] : [{ guid, what, at: new Date(at).toISOString(), times: runs.length }]
  })
}

/** The slots of a check that began while we looked. */
function slotsIn(guid: string, periods: readonly Period[]): { at: number }[] {
  const phase_ms = phaseOf(guid) * INTERVAL_MS
  const [from = 0, to = 0] = [periods[0]?.from, periods.at(-1)?.to]
  const first = Math.ceil((from - phase_ms) / INTERVAL_MS)
  const last = Math.ceil((to - phase_ms) / INTERVAL_MS) - 1
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
    at: phase_ms + (first + index) * INTERVAL_MS,
  }))
}
