// Takes the server away from four agents behind one address, for ten minutes, and brings it back with its limit on
// addresses as it is by default. Before it is back, a proxy answers in its place with 400, 401, 403, 413, 302 and 200, each with
// a page, and then a server that is being restored: it knows no key. No agent may end or stop its checks, and every run that was
// made must arrive: once, oldest first, and without a storm of 429s.
// npm run prove -- agent-away [--short] [--minutes N] [--agents N] [--checks N]
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from '../lab/proof-flags.ts'
import { assignToAll, type Outcome, proveInWorld, until, type World } from '../lab/world.ts'
import { type LogLine, type RunningAgent, startAgent } from './support/agents.ts'
import { type Door, openDoor, type Passage, pagesUnder, type StandIn } from './support/door.ts'
import { openSite, type Site } from './support/site.ts'
import { countBy, storedResults } from './support/stored.ts'
import { areUpToDate, isStored, resultsIn } from './support/uploads.ts'

const flags = readFlags({
  short: { type: 'boolean', default: false },
  minutes: { type: 'string' },
  agents: { type: 'string', default: '4' },
  checks: { type: 'string', default: '200' },
})
const AWAY_MS = Number(flags.minutes ?? (flags.short ? '0.2' : '10')) * 60_000
const PROXY_MS = flags.short ? 20_000 : 120_000
const RESTORING_MS = flags.short ? 15_000 : 150_000
const AGENTS = Number(flags.agents)
const CHECKS = Number(flags.checks)
/** All have heard of all others, and take turns. */
const BEFORE_MS = flags.short ? 35_000 : 40_000
/** An agent waits up to a minute before it tries again, and then sends at most 1,000 results a second. */
/** One whose key is refused waits up to twice as long as it has been. */
const CATCH_UP_MS = 70_000 + AWAY_MS + PROXY_MS + 3 * RESTORING_MS
/** Results are kept in the order in which runs end, and told by when they began. A run has ten seconds. */
const RUN_MS = 12_000
const MOST_429 = 10

const PROXY = pagesUnder(400, 401, 403, 413, 302, 200)
const RESTORING: StandIn = {
  status: 401,
  headers: { 'content-type': 'text/plain', 'x-request-id': 'r-0123456789abcdef', 'www-authenticate': 'Bearer' },
  body: 'missing, malformed or unknown monitor api key',
}

await proveInWorld('agent-away', 120_000 + AWAY_MS + PROXY_MS + RESTORING_MS + CATCH_UP_MS, prove)

async function prove(world: World): Promise<Outcome> {
  const site = await openSite(world)
  const guids = await assignToAll(
    world,
    Array.from({ length: CHECKS }, (_, n) => ({ name: `check ${n}`, url: `${site.url}/${n}`, interval_sec: 1 })),
  )
  const door = await openDoor(world)
  const server = await world.serve()
  door.leadTo(server.port)
  const agents: RunningAgent[] = []
  const ran = new Map<string, number>()
  const onLog = ({ event, check }: LogLine) => {
    if (event === 'ran') ran.set(String(check), (ran.get(String(check)) ?? 0) + 1)
  }
  for (let n = 0; n < AGENTS; n += 1) {
    const plan = { name: `agent ${n}`, server: door.url, flags: ['--log-level', 'debug'], onLog }
    const agent = await startAgent(world, plan)
    await agent.logged('enrolled')
    agents.push(agent)
  }
  await pause(BEFORE_MS)
  await door.shut()
  await server.stop()
  await pause(AWAY_MS)
  const back = await world.serve()
  door.leadTo(back.port)
  door.answer(...PROXY)
  await door.open()
  await pause(PROXY_MS)
  const ofProxy = door.stoodIn
  door.answer(RESTORING)
  await pause(RESTORING_MS)
  const ofRestoring = door.stoodIn - ofProxy
  const ranUntil = [...ran.values()].reduce((sum, count) => sum + count, 0)
  door.answer()
  const backAt = Date.now()
  await until(() => areUpToDate(door, AGENTS, backAt), CATCH_UP_MS)
  const took_sec = (Date.now() - backAt) / 1000
  const ends = await Promise.all(agents.map(async (agent) => endOf(agent, await agent.stop())))
  return judge(world, { door, site, guids, ran, backAt, took_sec, ends, ofProxy, ofRestoring, ranUntil })
}

function endOf({ log }: RunningAgent, code: number | null): string {
  return `${code} with ${String(log.find(({ event }) => event === 'stopped')?.unsent_results)} unsent`
}

interface Seen {
  door: Door
  site: Site
  guids: readonly string[]
  /** How many runs of each check the agents said had ended, on a pipe, before anything was kept. */
  ran: ReadonlyMap<string, number>
  backAt: number
  took_sec: number
  ends: readonly string[]
  /** How often the proxy, and the server that knew no key, answered. */
  ofProxy: number
  ofRestoring: number
  /** How many runs there were until the server itself was back. */
  ranUntil: number
}

async function judge(world: World, seen: Seen): Promise<Outcome> {
  const { door, site, guids, ran, backAt, took_sec, ends, ofProxy, ofRestoring, ranUntil } = seen
  // Together they run each check each second.
  const due = (CHECKS * (AWAY_MS + PROXY_MS + RESTORING_MS)) / 1000
  const rows = await storedResults(world)
  const stored = countBy(rows, ({ guid }) => guid)
  const differing = guids.filter((guid) => (stored.get(guid) ?? 0) !== (ran.get(guid) ?? 0))
  // Whatever the agents say: a check cannot have been found well more often than the site was looked at.
  const well = countBy(
    rows.filter(({ success }) => success),
    ({ guid }) => guid,
  )
  const excess = guids.filter((guid, n) => (well.get(guid) ?? 0) > (site.visits.get(`/${n}`)?.length ?? 0))
  const falsely = rows.length - [...well.values()].reduce((sum, count) => sum + count, 0)
  const after = door.passages.filter(({ at }) => at > backAt)
  const refused = after.filter(({ status }) => status === 429).length
  const uploads = after.filter(isStored)
  const disorder = disorderIn(door.passages.filter(isStored))
  const faults = [
    ...(rows.length === 0 ? ['nothing was stored'] : []),
    ...differing.slice(0, 5).map((guid) => `${guid}: ${ran.get(guid)} runs, ${stored.get(guid)} stored`),
    ...(ranUntil < 0.9 * due ? [`only ${ranUntil} runs of ${due} while the server was not there`] : []),
    ...(ofProxy < PROXY.length || ofRestoring < AGENTS
      ? [`the stand-ins answered ${ofProxy} + ${ofRestoring} times`]
      : []),
    ...(falsely > 0 ? [`${falsely} results say that the site was down, which it never was`] : []),
    ...excess.slice(0, 5).map((guid) => `${guid} has more results than the site was looked at`),
    ...disorder.slice(0, 5),
    ...(refused > MOST_429 ? [`${refused} requests were answered 429`] : []),
    ...ends.filter((end) => end !== '0 with 0 unsent').map((end) => `an agent ended with ${end}`),
  ]
  const runs = [...ran.values()].reduce((sum, count) => sum + count, 0)
  const figures = [
    `${AGENTS} agents`,
    `server away ${AWAY_MS / 60_000} min`,
    `then a proxy ${PROXY_MS / 1000} s (${ofProxy} answers) and no key known ${RESTORING_MS / 1000} s (${ofRestoring})`,
    `${runs} runs`,
    `${falsely} false`,
    `${rows.length} stored`,
    `${differing.length + excess.length} checks with more or fewer`,
    `${disorder.length} out of order`,
    `caught up in ${took_sec.toFixed(0)} s with ${uploads.length} uploads`,
    `${refused} of ${after.length} requests answered 429`,
  ]
  return { figures: figures.join(', '), faults }
}

/** What came later than something newer of the same monitor. The same upload sent twice in a row is one. */
function disorderIn(uploads: readonly Passage[]): string[] {
  const faults: string[] = []
  for (const key of new Set(uploads.map((upload) => upload.key))) {
    const own = uploads.filter((upload) => upload.key === key)
    const results = own.filter(({ body }, n) => body !== own[n - 1]?.body).flatMap(resultsIn)
    const latest = new Map<string, number>()
    let newest = 0
    for (const { check_guid, ran_at } of results) {
      const at = Date.parse(ran_at)
      if (at <= (latest.get(check_guid) ?? 0)) faults.push(`${check_guid} of ${ran_at} came after a newer one of it`)
      if (at < newest - RUN_MS)
        faults.push(`${check_guid} of ${ran_at} came after one of ${new Date(newest).toISOString()}`)
      latest.set(check_guid, at)
      newest = Math.max(newest, at)
    }
  }
  return faults
}
