// Proves that agents lose no result and invent none. Some agents share one address and run checks every second. First one is killed with -9
// again and again, at times while the server stands still with its requests. Then the server is away, and no agent ends or stops its checks.
// Every result that its store had put on disk is stored once, and without a storm of 429.
// npm run prove -- agent [--short] [--checks N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { dice } from '../../packages/runtime/test/support/dice.ts'
import { type AgentPlan, startAgent } from '../lab/clients/agents.ts'
import { type Door, openDoor, uploadsThrough } from '../lab/clients/door.ts'
import { openSite } from '../lab/clients/site.ts'
import { countBy, readFlags, runProof, SEED, SWITCH, sum, until } from '../lab/proof.ts'
import { openOrg, openWorld, query, type World } from '../lab/world.ts'

const flags = readFlags({ short: SWITCH, checks: { type: 'string', default: '200' }, seed: SEED })
const [AGENTS, CHECKS] = [4, Number(flags.checks)]
const KILLS = flags.short ? 6 : 30
const AWAY_MS = flags.short ? 12_000 : 600_000
const LIFE_MS = { least: 200, most: 5000 }
const STANDSTILL_EVERY = 3
/** Time until all agents know of each other and take turns, in milliseconds. */
const BEFORE_MS = 35_000
/** Time that agents get to upload everything, in milliseconds. */
const CATCH_UP_MS = 70_000 + AWAY_MS
const UP_TO_DATE_MS = 6000
const MOST_429 = 10
const WITNESS = new URL('../lab/clients/store-witness.ts', import.meta.url).href

await runProof('agent', 240_000 + KILLS * 15_000 + AWAY_MS + CATCH_UP_MS, async (undo) => {
  const world = await openWorld(undo)
  const [site, org, server] = [await openSite(undo), await openOrg(world.deps, 'o'), await world.serve()]
  const door = await openDoor(server.port, undo)
  /** Keys of the results that agents had put on disk. */
  const witnessed = new Set<string>()
  let ran = 0
  const planOf = (n: number): AgentPlan => ({
    ...{ name: `agent ${n}`, server: door.url, folder: world.folder, enrollment_token: org.enrollment_token },
    ...{ flags: ['--log-level', 'debug'], imports: [WITNESS] },
    onLog: ({ event }) => void (ran += event === 'ran' ? 1 : 0),
    onWitness: (line) => void witnessed.add(line),
  })
  const first = await startAgent(planOf(0), undo)
  await first.logged('enrolled')
  const names = Array.from({ length: CHECKS }, (_, n) => `${n}`)
  const guids = await org.addChecks(names.map((name) => ({ name, url: site.urlOf(name), interval_sec: 1 })))
  await first.stop()
  const d = dice(Number(flags.seed))
  for (let kill = 0; kill < KILLS; kill += 1) {
    const standsStill = kill % STANDSTILL_EVERY === STANDSTILL_EVERY - 1
    const agent = await startAgent(planOf(0), undo)
    const life_ms = LIFE_MS.least + d.below(LIFE_MS.most - LIFE_MS.least)
    await pause(life_ms / 2)
    if (standsStill) server.child.kill('SIGSTOP')
    await pause(life_ms / 2)
    if (agent.child.exitCode !== null) throw new Error(`an agent ended: ${JSON.stringify(agent.log.slice(-3))}`)
    await agent.kill()
    if (standsStill) server.child.kill('SIGCONT')
  }
  const kept = witnessed.size
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, n) => startAgent(planOf(n), undo)))
  await pause(BEFORE_MS)
  const before = ran
  await server.stop()
  await pause(AWAY_MS)
  await server.start()
  const runs = ran - before
  const back_at = Date.now()
  await until(() => areUpToDate(door, back_at), CATCH_UP_MS)
  const took_sec = (Date.now() - back_at) / 1000
  const ends = await Promise.all(
    agents.map(async (agent) => {
      const code = await agent.stop()
      return `${code} with ${String(agent.log.find(({ event }) => event === 'stopped')?.unsent_results)} unsent`
    }),
  )
  const stored = await judgeStored(
    world,
    witnessed,
    new Map(guids.map((guid, n) => [guid, site.visitsOf(`${n}`).length])),
  )
  const after = door.passages.filter(({ at }) => at > back_at)
  const refused = after.filter(({ status }) => status === 429).length
  const due = (CHECKS * AWAY_MS) / 1000
  return {
    faults: [
      ...world.ends,
      kept < KILLS * CHECKS * 0.1 && `only ${kept} results were kept between kills: that is no load`,
      ...stored.faults,
      runs < 0.9 * due && `only ${runs} runs of ${due} while the server was not there`,
      refused > MOST_429 && `${refused} requests were refused with 429`,
      ...ends.map((end) => end !== '0 with 0 unsent' && `an agent ended with ${end}`),
    ],
    figures: [
      `${AGENTS} agents, ${KILLS} kills (seed ${flags.seed}), ${kept} results kept by then`,
      `server away ${AWAY_MS / 1000} s: ${runs} runs`,
      stored.figure,
      `caught up in ${took_sec.toFixed(0)} s, ${refused} of ${after.length} requests refused with 429`,
    ],
  }
})

/** Whether each agent has uploaded a result from after the given time. */
function areUpToDate(door: Door, since: number): boolean {
  const newest = new Map<string, number>()
  for (const { at, key, results } of uploadsThrough(door)) {
    if (at > since) newest.set(key, Math.max(...results.map(({ ran_at }) => Date.parse(ran_at))))
  }
  return newest.size === AGENTS && [...newest.values()].every((ran_at) => ran_at > Date.now() - UP_TO_DATE_MS)
}

/**
 * Compares the stored results with those that agents had put on disk, and with the requests that each check's target received.
 */
async function judgeStored(
  { deps }: World,
  witnessed: ReadonlySet<string>,
  visits: ReadonlyMap<string, number>,
): Promise<{ figure: string; faults: (string | false)[] }> {
  const rows = await query<{ guid: string; key: string; success: boolean; monitor_id: string }>(
    deps,
    `select guid, success, monitor_id, guid || ' ' || (extract(epoch from ran_at) * 1000)::bigint as key
     from results join check_guids using (org_id, check_id)`,
  )
  const keys = new Set(rows.map(({ key, monitor_id }) => `${key} ${monitor_id}`))
  const stored = new Set(rows.map(({ key }) => key))
  const lost = [...witnessed].filter((key) => !stored.has(key))
  const well = countBy(
    rows.filter(({ success }) => success),
    ({ guid }) => guid,
  )
  // Whatever the agents report, a check cannot have succeeded more often than the site received requests for it.
  const excess = [...well].filter(([guid, count]) => count > (visits.get(guid) ?? 0))
  const falsely = rows.length - sum([...well.values()])
  const monitors = new Set(rows.map(({ monitor_id }) => monitor_id)).size
  return {
    figure: `${witnessed.size} results kept, ${lost.length} lost, ${rows.length} stored, ${falsely} false`,
    faults: [
      ...lost.slice(0, 5).map((key) => `lost, although kept: ${key}`),
      keys.size < rows.length && `${rows.length - keys.size} results are stored twice`,
      ...excess.slice(0, 5).map(([guid]) => `${guid} has more results than the site had visits`),
      falsely > 0 && `${falsely} results say that the site was down, which it never was`,
      monitors !== AGENTS && `${AGENTS} agents became ${monitors} monitors`,
    ],
  }
}
