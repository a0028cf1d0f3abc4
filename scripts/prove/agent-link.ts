// Cuts the link of an agent, three times and in three ways, while it runs 60 checks of addresses on the Internet (in a
// network of our own), one of them down for good. The server lies beyond the same link. No other check may be recorded as
// failed, the one that is down must be all the while that the link is whole, and the outage must be reported.
// npm run prove -- agent-link
import { setTimeout as pause } from 'node:timers/promises'
import { type RunningAgent, startAgent } from './support/agents.ts'
import { type Cut, enterNamespace, FAR_NET, HELD, join, NOBODY } from './support/link.ts'
import { openSite } from './support/site.ts'
import { reported, type StoredResult, storedResults } from './support/stored.ts'
import { assignToAll, type CheckEntry, type Outcome, proveInWorld, type World } from './support/world.ts'

const CHECKS = 60
const INTERVAL_SEC = 2
const SETTLE_MS = 10_000
const WHOLE_MS = 16_000
/** The last one is the one that is reported. */
const CUTS: readonly { how: Cut; ms: number }[] = [
  { how: 'near end down', ms: 3000 },
  { how: 'packets lost', ms: 4000 },
  { how: 'far end down', ms: 5000 },
]
/** An agent looks each second whether somebody can be reached again, and waits as long for an answer. */
const LATE_MS = 3000
const REFERENCE_PORT = 1

interface Period {
  from: number
  to: number
}

if (await enterNamespace('agent-link', import.meta.url)) await proveInWorld('agent-link', 240_000, prove)

async function prove(world: World): Promise<Outcome> {
  const host = `${FAR_NET}.250`
  const server = await world.serve({ HOST: host })
  const site = await openSite(world, '0.0.0.0')
  const guids = await assignToAll(world, entriesOf(site.port))
  const agent = await startAgent(world, {
    name: 'linked',
    server: `http://${host}:${server.port}`,
    launcher: HELD,
    // A refusal is an answer, too.
    flags: [
      ...['--public-targets-only', '--log-level', 'debug'],
      ...['--references', [201, 202, 203].map((last) => `${FAR_NET}.${last}:${REFERENCE_PORT}`).join()],
    ],
  })
  const link = await join(agent.child)
  await agent.logged('enrolled')
  const whole: Period[] = []
  await pause(SETTLE_MS)
  for (const { how, ms } of CUTS) {
    whole.push(await stayWhole())
    link.cut(how)
    await pause(ms)
    link.mend(how)
    await pause(LATE_MS)
  }
  whole.push(await stayWhole())
  const code = await agent.stop()
  return judge({ world, agent, whole, down: guids[0] ?? '', code })
}

function entriesOf(port: number): CheckEntry[] {
  return Array.from({ length: CHECKS }, (_, n) => ({
    name: `check ${n}`,
    url: n === 0 ? `http://${NOBODY}:${port}/` : `http://${FAR_NET}.${n}:${port}/${n}`,
    interval_sec: INTERVAL_SEC,
    timeout_sec: 1 + (n % 5),
  }))
}

/** The link is whole for a while, and has been. */
async function stayWhole(): Promise<Period> {
  const from = Date.now()
  await pause(WHOLE_MS)
  return { from, to: Date.now() }
}

interface Seen {
  world: World
  agent: RunningAgent
  whole: readonly Period[]
  /** The check that is down for good. */
  down: string
  code: number | null
}

async function judge({ world, agent, whole, down, code }: Seen): Promise<Outcome> {
  const rows = await storedResults(world)
  const wrong = rows.filter(({ guid, success }) => (guid === down ? success : !success))
  const ofDown = whole.map((period) => within(rows, period).filter(({ guid }) => guid === down).length)
  const ofOthers = whole.map((period) => within(rows, period).filter(({ guid }) => guid !== down).length)
  const slots = WHOLE_MS / 1000 / INTERVAL_SEC
  const outages = agent.log.filter(({ event }) => event === 'outage_ended').map(({ seconds }) => Number(seconds))
  const told = (await reported(world)).map(({ last_outage_sec }) => last_outage_sec)
  const notCounted = agent.counts.get('not_counted') ?? 0
  const faults = [
    ...(rows.length === 0 ? ['nothing was stored'] : []),
    ...wrong.slice(0, 10).map(({ guid, ran_at, error }) => `false: ${guid} ${new Date(ran_at).toISOString()} ${error}`),
    // A run may be left out where a period begins or ends.
    ...(Math.min(...ofDown) < slots - 2 ? [`the one that is down was recorded ${ofDown.join()} times`] : []),
    ...(Math.min(...ofOthers) < (slots - 2) * (CHECKS - 1)
      ? [`the others were recorded ${ofOthers.join()} times`]
      : []),
    ...(notCounted === 0 ? ['no failure had to be left out: the link was not really cut'] : []),
    ...(outages.length === CUTS.length && outages.every(isAbout) ? [] : [`outages of ${outages.join()} s`]),
    ...(told.length === 1 && told[0] === outages.at(-1)
      ? []
      : [`the server was told of an outage of ${told.join()} s`]),
    ...(code === 0 ? [] : [`the agent ended with ${code}`]),
  ]
  const figures = [
    `cuts of ${CUTS.map(({ how, ms }) => `${ms / 1000} s (${how})`).join(', ')}`,
    `${CHECKS} checks`,
    `${wrong.length} false results of ${rows.length}`,
    `${notCounted} failures not counted`,
    `the one that is down recorded ${ofDown.join('+')} times in ${whole.length} x ${WHOLE_MS / 1000} s`,
    `outages of ${outages.join(', ')} s, ${told.join()} s reported`,
  ]
  return { figures: figures.join('; '), faults }
}

function within(rows: readonly StoredResult[], { from, to }: Period): StoredResult[] {
  return rows.filter(({ ran_at }) => ran_at >= from && ran_at < to)
}

/** It begins with the first run that fails, and its end is seen with the next look. */
function isAbout(seconds: number, index: number): boolean {
  const cut_sec = (CUTS[index]?.ms ?? 0) / 1000
  return seconds >= cut_sec - 1 && seconds <= cut_sec + LATE_MS / 1000
}
