// Kills an agent under load with SIGKILL, again and again, at random moments: nothing whose synced write had returned may
// be missing in the server's database afterwards, and nothing may be there twice. While some of the kills come, the
// server stands still with the agent's requests in its hands.
// npm run prove -- agent-kill [--kills N] [--checks N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { dice } from '../../packages/server/test/support/dice.ts'
import { readFlags } from '../lab/proof-flags.ts'
import {
  assignToAll,
  type CheckEntry,
  type Outcome,
  proveInWorld,
  type Server,
  until,
  type World,
} from '../lab/world.ts'
import { type AgentPlan, type RunningAgent, startAgent } from './support/agents.ts'
import { openSite, type Site } from './support/site.ts'
import { countBy, storedResults } from './support/stored.ts'

const flags = readFlags({
  kills: { type: 'string', default: '30' },
  checks: { type: 'string', default: '400' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const KILLS = Number(flags.kills)
const CHECKS = Number(flags.checks)
const SEED = Number(flags.seed)
const LIFE_MIN_MS = 200
const LIFE_MAX_MS = 5000
const STANDSTILL_EVERY = 3
const CATCH_UP_MS = 60_000
const WITNESS = new URL('./support/witness.ts', import.meta.url).href

await proveInWorld('agent-kill', 60_000 + KILLS * 12_000, prove)

async function prove(world: World): Promise<Outcome> {
  const server = await world.serve()
  const site = await openSite(world)
  const entries = Array.from({ length: CHECKS }, (_, n) => entryOf(site, n))
  const witnessed = new Set<string>()
  const plan: AgentPlan = {
    name: 'killed',
    server: `http://127.0.0.1:${server.port}`,
    imports: [WITNESS],
    onWitness: (line) => void witnessed.add(line),
  }
  const first = await startAgent(world, plan)
  await first.logged('enrolled')
  const guids = await assignToAll(world, entries)
  await first.stop()
  const repairs = await killOften(world, plan, server)
  // No more runs: what there is has to arrive.
  await assignToAll(
    world,
    entries.map((entry, n) => ({ ...entry, guid: guids[n] ?? '', enabled: false })),
  )
  const last = await startAgent(world, plan)
  await last.logged('started')
  await until(async () => (await missing(world, witnessed)) === 0, CATCH_UP_MS)
  const code = await last.stop()
  const unsent = last.log.find(({ event }) => event === 'stopped')?.unsent_results
  return judge(world, { witnessed, site, guids, repairs, end: `exit code ${code}, ${String(unsent)} unsent` })
}

function entryOf(site: Site, n: number): CheckEntry {
  return { name: `check ${n}`, url: `${site.url}/${n}`, interval_sec: 1 + (n % 2) }
}

/** Returns how often a damaged buffer was put right or away. */
async function killOften(world: World, plan: AgentPlan, server: Server): Promise<number> {
  const d = dice(SEED)
  let repairs = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const standsStill = kill % STANDSTILL_EVERY === STANDSTILL_EVERY - 1
    const agent = await startAgent(world, plan)
    const life_ms = LIFE_MIN_MS + d.below(LIFE_MAX_MS - LIFE_MIN_MS)
    await pause(life_ms / 2)
    if (standsStill) server.child.kill('SIGSTOP')
    await pause(life_ms / 2)
    await requireAlive(agent)
    await agent.kill()
    if (standsStill) server.child.kill('SIGCONT')
    repairs += (agent.counts.get('repaired') ?? 0) + (agent.counts.get('set_aside') ?? 0)
  }
  return repairs
}

async function requireAlive({ child, log }: RunningAgent): Promise<void> {
  if (child.exitCode === null) return
  throw new Error(`an agent ended by itself with ${child.exitCode}: ${JSON.stringify(log.slice(-3))}`)
}

async function missing(world: World, witnessed: ReadonlySet<string>): Promise<number> {
  const stored = new Set((await storedResults(world)).map(keyOf))
  return [...witnessed].filter((key) => !stored.has(key)).length
}

function keyOf({ guid, ran_at }: { guid: string; ran_at: number }): string {
  return `${guid} ${ran_at}`
}

interface Seen {
  witnessed: ReadonlySet<string>
  site: Site
  guids: readonly string[]
  repairs: number
  end: string
}

async function judge(world: World, { witnessed, site, guids, repairs, end }: Seen): Promise<Outcome> {
  const rows = await storedResults(world)
  const stored = countBy(rows, keyOf)
  const lost = [...witnessed].filter((key) => !stored.has(key))
  const twice = [...stored.values()].filter((count) => count > 1).length
  // Under whatever time: a check cannot have been found well more often than the site has had visits.
  const well = countBy(
    rows.filter(({ success }) => success),
    ({ guid }) => guid,
  )
  const visits = guids.map((_, n) => site.visits.get(`/${n}`)?.length ?? 0)
  const excess = guids.filter((guid, n) => (well.get(guid) ?? 0) > (visits[n] ?? 0)).length
  const monitors = new Set(rows.map(({ monitor_id }) => monitor_id)).size
  const runs = visits.reduce((sum, count) => sum + count, 0)
  const faults = [
    ...(witnessed.size < KILLS * CHECKS * 0.2 ? [`only ${witnessed.size} results were kept: that is no load`] : []),
    ...(lost.length > 0 ? [`lost, although kept: ${lost.slice(0, 5).join(', ')}`] : []),
    ...(twice > 0 || excess > 0 ? [`stored twice: ${twice}; checks with more results than runs: ${excess}`] : []),
    ...(monitors === 1 ? [] : [`the agent became ${monitors} monitors`]),
    ...(end === 'exit code 0, 0 unsent' ? [] : [`the last agent ended with ${end}`]),
  ]
  const figures = [
    `${KILLS} kills (seed ${SEED})`,
    `${runs} runs`,
    `${witnessed.size} results kept before a witness`,
    `${lost.length} lost`,
    `${rows.length} stored`,
    `${twice + excess} twice`,
    `${repairs} buffers repaired`,
  ]
  return { figures: figures.join(', '), faults }
}
