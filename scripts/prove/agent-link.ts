// What lies between an agent and everything else fails, while it runs 60 checks of addresses on the Internet (in a network of
// our own), half of them by name: its resolver falls silent, a proxy answers in the server's place with 400, 413, 302 and 200,
// each with a page, and its link is cut three times in three ways. The server lies beyond the same link and has a name, too.
// One check is down for good, and one has a name that does not exist: both must be down whenever that can be known. No other
// check may be recorded as failed, every run must arrive once, and the agent must tell each trouble of its own.
// npm run prove -- agent-link [--short]
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from '../lab/proof-flags.ts'
import { assignToAll, type CheckEntry, type Outcome, proveInWorld, until, type World } from '../lab/world.ts'
import { type LogLine, type RunningAgent, startAgent } from './support/agents.ts'
import { type Door, openDoor, pagesUnder } from './support/door.ts'
import { type Cut, enterNamespace, FAR_NET, held, join, NOBODY } from './support/link.ts'
import { type NameServer, openNameServer } from './support/name-server.ts'
import { openSite } from './support/site.ts'
import { countBy, reported, type StoredResult, storedResults } from './support/stored.ts'
import { areUpToDate } from './support/uploads.ts'

const flags = readFlags({ short: { type: 'boolean', default: false }, inside: { type: 'boolean', default: false } })
const CHECKS = 60
const INTERVAL_SEC = 2
const SETTLE_MS = 10_000
const WHOLE_MS = flags.short ? 8000 : 16_000
const SILENT_MS = flags.short ? 15_000 : 60_000
const PROXY_MS = flags.short ? 15_000 : 120_000
/** An agent waits up to a minute before it tries again. */
const CATCH_UP_MS = 75_000
/** The last one is the one that is reported. */
const CUTS: readonly { how: Cut; ms: number }[] = [
  { how: 'near end down', ms: 3000 },
  { how: 'packets lost', ms: 4000 },
  { how: 'far end down', ms: 5000 },
]
/** An agent looks each second whether somebody can be reached again, and waits as long for an answer. */
const LATE_MS = 3000
/** A question for a name that got no answer is sent again after so long, and looked at are names for a second more. */
const RESEND_MS = 5000
const NAMES_LATE_MS = 2 * (RESEND_MS + 1000)
const REFERENCE_PORT = 1
const SERVER_NAME = 'dogwatch.example'
const SERVER_HOST = `${FAR_NET}.250`
const NAME_SERVER = `${FAR_NET}.253`
/** The checks that are down for good. */
const [AWAY, NO_NAME] = [0, 1]
const PROXY = pagesUnder(400, 413, 302, 200)

interface Period {
  from: number
  to: number
}

const LIMIT_MS = 120_000 + 6 * WHOLE_MS + SILENT_MS + PROXY_MS + CATCH_UP_MS
if (await enterNamespace('agent-link', import.meta.url)) await proveInWorld('agent-link', LIMIT_MS, prove)

async function prove(world: World): Promise<Outcome> {
  const server = await world.serve()
  const door = await openDoor(world, SERVER_HOST)
  door.leadTo(server.port)
  const names = await openNameServer(world, NAME_SERVER, addresses())
  const site = await openSite(world, '0.0.0.0')
  const guids = await assignToAll(world, entriesOf(site.port))
  const ran = new Map<string, number>()
  const agent = await startAgent(world, {
    name: 'linked',
    server: door.url.replace(SERVER_HOST, SERVER_NAME),
    launcher: held(names.resolv_conf),
    // A refusal is an answer, too.
    flags: [
      ...['--log-level', 'debug'],
      ...['--references', [201, 202, 203].map((last) => `${FAR_NET}.${last}:${REFERENCE_PORT}`).join()],
    ],
    onLog: ({ event, check }: LogLine) => {
      if (event === 'ran') ran.set(String(check), (ran.get(String(check)) ?? 0) + 1)
    },
  })
  const link = await join(agent.child)
  await agent.logged('enrolled')
  await pause(SETTLE_MS)
  const whole = [await stayWhole()]
  const silent = await beSilent(names)
  whole.push(await stayWhole())
  const took_ms = await standIn(door)
  for (const { how, ms } of CUTS) {
    whole.push(await stayWhole())
    link.cut(how)
    await pause(ms)
    link.mend(how)
    await pause(LATE_MS + RESEND_MS)
  }
  whole.push(await stayWhole())
  await until(() => areUpToDate(door, 1, whole.at(-1)?.to ?? 0), CATCH_UP_MS)
  const code = await agent.stop()
  return judge({ world, agent, door, names, whole, silent, took_ms, guids, ran, code })
}

/** Those of the check at NO_NAME are not there. */
function addresses(): Map<string, string> {
  const sites = Array.from({ length: CHECKS }, (_, n): [string, string] => [nameOf(n), `${FAR_NET}.${n}`])
  return new Map([[SERVER_NAME, SERVER_HOST], ...sites.filter((_, n) => n !== NO_NAME)])
}

function nameOf(n: number): string {
  return `www.site-${n}.example`
}

function isNamed(n: number): boolean {
  return n % 2 === 1
}

function entriesOf(port: number): CheckEntry[] {
  return Array.from({ length: CHECKS }, (_, n) => ({
    name: `check ${n}`,
    url: `http://${n === AWAY ? NOBODY : isNamed(n) ? nameOf(n) : `${FAR_NET}.${n}`}:${port}/${n}`,
    interval_sec: INTERVAL_SEC,
    timeout_sec: 1 + (n % 5),
  }))
}

/** Nothing is wrong for a while, and has not been. */
async function stayWhole(): Promise<Period> {
  const from = Date.now()
  await pause(WHOLE_MS)
  return { from, to: Date.now() }
}

async function beSilent(names: NameServer): Promise<Period> {
  const from = Date.now()
  names.fallSilent()
  await pause(SILENT_MS)
  const to = Date.now()
  names.speak()
  await pause(NAMES_LATE_MS)
  return { from, to }
}

/** How long it took until all was uploaded once the server itself was back. */
async function standIn(door: Door): Promise<number> {
  door.answer(...PROXY)
  await pause(PROXY_MS)
  door.answer()
  const backAt = Date.now()
  await until(() => areUpToDate(door, 1, backAt), CATCH_UP_MS)
  return Date.now() - backAt
}

interface Seen {
  world: World
  agent: RunningAgent
  door: Door
  names: NameServer
  whole: readonly Period[]
  silent: Period
  took_ms: number
  guids: readonly string[]
  /** How many runs of each check the agent said had ended, on a pipe, before anything was kept. */
  ran: ReadonlyMap<string, number>
  code: number | null
}

async function judge(seen: Seen): Promise<Outcome> {
  const { world, agent, door, names, whole, silent, took_ms, guids, ran, code } = seen
  const rows = await storedResults(world)
  const down = new Set([guids[AWAY], guids[NO_NAME]])
  const isDown = ({ guid }: StoredResult) => down.has(guid)
  const wrong = rows.filter((row) => row.success === isDown(row))
  const stored = countBy(rows, ({ guid }) => guid)
  const differing = guids.filter((guid) => (stored.get(guid) ?? 0) !== (ran.get(guid) ?? 0))
  const byAddress = new Set(guids.filter((_, n) => !isNamed(n) && n !== AWAY))
  const slots = WHOLE_MS / 1000 / INTERVAL_SEC
  const counts = (which: (row: StoredResult) => boolean) => whole.map((at) => within(rows, at).filter(which).length)
  const [ofDown, ofOthers] = [counts(isDown), counts((row) => !isDown(row))]
  const inSilence = within(rows, silent).filter(({ guid }) => byAddress.has(guid)).length
  const silentSlots = SILENT_MS / 1000 / INTERVAL_SEC
  const logged = (event: string) => agent.log.filter((line) => line.event === event)
  const secondsOf = (event: string) => logged(event).map(({ seconds }) => Number(seconds))
  const outages = secondsOf('outage_ended')
  const unresolved = secondsOf('names_resolve_again')
  const told = (await reported(world)).map(({ last_outage_sec }) => last_outage_sec)
  const notCounted = agent.counts.get('not_counted') ?? 0
  const [unsent, aside] = [logged('stopped')[0]?.unsent_results, logged('result_set_aside').length]
  const faults = [
    ...(rows.length === 0 ? ['nothing was stored'] : []),
    ...wrong.slice(0, 10).map(({ guid, ran_at, error }) => `false: ${guid} ${new Date(ran_at).toISOString()} ${error}`),
    ...differing.slice(0, 5).map((guid) => `${guid}: ${ran.get(guid)} runs, ${stored.get(guid)} stored`),
    // A run may be left out where a period begins or ends.
    ...(Math.min(...ofDown) < (slots - 2) * down.size
      ? [`those that are down were recorded ${ofDown.join()} times`]
      : []),
    ...(Math.min(...ofOthers) < (slots - 2) * (CHECKS - down.size)
      ? [`the others were recorded ${ofOthers.join()} times`]
      : []),
    ...(inSilence < (silentSlots - 2) * byAddress.size
      ? [`without names, those with an address were recorded ${inSilence} times`]
      : []),
    ...(notCounted === 0 ? ['no failure had to be left out: the link was not really cut'] : []),
    ...(names.unanswered === 0 ? ['the name server was not asked while it was silent'] : []),
    ...(door.stoodIn < PROXY.length ? [`the proxy answered ${door.stoodIn} times`] : []),
    ...(aside > 0 ? [`${aside} results were set aside for what a proxy said`] : []),
    ...(outages.length === CUTS.length && outages.every(isAbout) ? [] : [`outages of ${outages.join()} s`]),
    ...(unresolved.length === logged('cannot_resolve_names').length && isSilence(unresolved[0])
      ? []
      : [`no names for ${unresolved.join()} s`]),
    ...(told.length === 1 && told[0] === outages.at(-1)
      ? []
      : [`the server was told of an outage of ${told.join()} s`]),
    ...(code === 0 && unsent === 0 ? [] : [`the agent ended with ${code} and ${String(unsent)} unsent`]),
  ]
  const figures = [
    `resolver silent ${SILENT_MS / 1000} s (${names.unanswered} questions), no names for ${unresolved.join(', ')} s`,
    `a proxy ${PROXY_MS / 1000} s (${door.stoodIn} answers), caught up in ${(took_ms / 1000).toFixed(0)} s`,
    `cuts of ${CUTS.map(({ how, ms }) => `${ms / 1000} s (${how})`).join(', ')}`,
    `outages of ${outages.join(', ')} s, ${told.join()} s reported`,
    `${CHECKS} checks`,
    `${differing.length} with more or fewer results than runs`,
    `${wrong.length} false results of ${rows.length}`,
    `${notCounted} failures not counted`,
    `those that are down recorded ${ofDown.join('+')} times in ${whole.length} x ${WHOLE_MS / 1000} s`,
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

/** The first outage of names is that of the silence. A look at them that finds nobody, and one that this process spoilt by a
 * standstill, take six seconds each. */
function isSilence(seconds: number | undefined): boolean {
  if (seconds === undefined) return false
  return seconds >= (SILENT_MS - NAMES_LATE_MS) / 1000 && seconds <= (SILENT_MS + NAMES_LATE_MS) / 1000
}
