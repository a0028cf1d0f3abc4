// Proves that nothing grows: half of what one server holds, for half an hour, with agents that come and go, failing checks,
// alerts, heartbeats, exports, pages and sign-ins, while memory, handles, connections and hot tables are followed.
// npm run prove -- soak [--minutes N] [--checks N] [--leak BYTES]
//   --minutes: in less than 20, connections that are still warming up may look like a leak
//   --checks: the capacity, as `bench -- capacity` finds it; left out, what is held for ten seconds is found first, which no
//   checkpoint of Postgres comes into    --leak: with each request, to see that the proof then falls short
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { readFlags } from '../lab/proof-flags.ts'
import { depsOf } from '../lab/archive.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { beginSealing, readSealing, type SealingState } from '../lab/capacity/sealing-ground.ts'
import { grow, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { freePorts } from '../lab/children.ts'
import { openInspector, watchHeap } from '../lab/inspector.ts'
import { NO_FLAGS, onPart, say, setStageFor } from '../lab/stage.ts'
import { CALM, KINDS, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { type Outcome, runProof, type World } from '../lab/world.ts'
import { flatterHalf, type Line, lineThrough, type Point } from './soak/flatness.ts'
import { startVisitors, type Visitors } from './soak/visitors.ts'
import { type Waits, watchWaits } from './soak/waits.ts'
import { HOT_TABLES, type Patient, sizeName, takeVitals, type Vitals } from './soak/vitals.ts'

const flags = readFlags({
  minutes: { type: 'string', default: '30' },
  checks: { type: 'string' },
  leak: { type: 'string' },
})
const MINUTES = Number(flags.minutes)
/** Of the hour that is sealed meanwhile, so many minutes have results. */
const MINUTES_OF_HOUR = 10
const LEAK = new URL('./soak/leak.ts', import.meta.url).href
const LOOK_MS = 10_000
const SAY_EVERY = 6
const LIMIT_MS = MINUTES * 60_000 + 600_000
/** Half of the leak that is to be found for sure: 100 bytes with each request. A run of that length is to be able to. */
const LEAK_BYTES = 50
const LONG_MIN = 20
/** Memory may be higher by so much at the end of what is judged than at its beginning. */
const MEMORY_RISE = 0.25
/** By how much a count may rise between the first and the last of what is judged: in all, and of its mean. */
const COUNT_RISE = { in_all: 4, share: 0.05 }
/** Other programs on the machine may take the processors for a moment. */
const REFUSED_SHARE = 0.001
/** What a row takes may rise by so much. */
const TABLE_RISE = 0.5

await runProof('soak', LIMIT_MS, prove)

async function prove(undo: World['undo']): Promise<Outcome> {
  const capacity = flags.checks === undefined ? await findCapacity(undo) : Number(flags.checks) / UNIT.checks
  const half = Math.max(1, Math.round(capacity / 2))
  const stage = await setStageFor(undo, RECOMMENDED)
  await beginSealing(stage)
  const bare = { stage, traffic: await startTraffic(stage), units: [], minutes: MINUTES_OF_HOUR }
  await grow(bare, half)
  const [inspect_port = 0] = await freePorts(1)
  const leaking = flags.leak === undefined ? [] : ['--import', LEAK]
  const env = { ...SERVED, SEAL_HOURS: 'on', PROOF_LEAK_BYTES: flags.leak ?? '0' }
  // Not before there is an hour to fold and to seal: results that are loaded by hand go where nothing is sealed yet.
  const server = await stage.serveAll(env, [`--inspect-port=${inspect_port}`, ...leaking])
  await sendFrom({ ...bare, server }, half, CALM)
  const visitors = await startVisitors(depsOf(stage), server.port, undo)
  const client = new pg.Client({ connectionString: stage.url, application_name: 'proof' })
  await client.connect()
  undo(() => client.end())
  const inspector = await openInspector(server.pid, inspect_port)
  undo(async () => inspector.close())
  await watchHeap(inspector)
  const waits = await watchWaits(stage.url, undo)
  say(`soak: ${half * UNIT.checks} checks for ${MINUTES} minutes`)
  const patient = { pid: server.pid, inspector, postmaster: stage.postmaster, client, most: new Map<string, number>() }
  const seen = await follow(patient, bare.traffic.tell)
  await visitors.stop()
  return judge(half, seen, { visitors, waits, sealing: await readSealing(stage) })
}

/** In a database of its own, where nothing is to be sealed. */
function findCapacity(undo: World['undo']): Promise<number> {
  return onPart({ flags: NO_FLAGS, undo }, RECOMMENDED, async (stage) => {
    const traffic = await startTraffic(stage)
    return calibrate({ stage, traffic, server: await stage.serveAll(SERVED), units: [], minutes: 0 })
  })
}

interface Seen {
  looks: { at: number; vitals: Vitals }[]
  windows: Window[]
}

async function follow(patient: Patient, tell: () => Promise<Window>): Promise<Seen> {
  const seen: Seen = { looks: [], windows: [] }
  await tell()
  const begun = performance.now()
  for (let turn = 1; turn * LOOK_MS <= MINUTES * 60_000; turn++) {
    await pause(Math.max(0, begun + turn * LOOK_MS - performance.now()))
    const vitals = await takeVitals(patient)
    seen.looks.push({ at: (performance.now() - begun) / 1000, vitals })
    seen.windows.push(await tell())
    if (turn % SAY_EVERY === 0) say(`soak: ${Math.round((turn * LOOK_MS) / 60_000)} min: ${JSON.stringify(vitals)}`)
  }
  return seen
}

interface Beside {
  visitors: Visitors
  waits: Waits
  sealing: SealingState
}

function judge(units: number, { looks, windows }: Seen, { visitors, waits, sealing }: Beside): Outcome {
  const names = [...new Set(looks.flatMap(({ vitals }) => Object.keys(vitals)))]
  const lines = new Map(names.map((name) => [name, lineThrough(pointsOf(looks, name))]))
  const seconds = windows.reduce((sum, window) => sum + window.seconds, 0)
  const visits = [...visitors.done.values()].reduce((sum, count) => sum + count, 0)
  const requests = answered(windows) + visits
  const rate = requests / seconds
  const of = (name: string): Line => lines.get(name) ?? lineThrough([])
  const memory = ['server heap', 'server RSS', 'postgres memory'].map((name) => {
    const line = of(name)
    const kept = name === 'server heap' ? line : flatterHalf(pointsOf(looks, name))
    // Half of the points show less than all of them do.
    const isSeen = kept.slope > kept.visible || line.slope > line.visible
    return { name, line, leak: kept.slope / rate, visible: kept.visible / rate, isSeen }
  })
  const counts = ['server file descriptors', 'server sockets', 'server threads', 'postgres connections']
  const tables = HOT_TABLES.map(sizeName).filter((name) => lines.has(name))
  const faults = [
    ...memory.flatMap(({ name, leak, isSeen }) =>
      leak > LEAK_BYTES && isSeen ? [`${name} grows by ${leak.toFixed(0)} bytes a request`] : [],
    ),
    ...memory.flatMap(({ name, line }) => risen(name, line, MEMORY_RISE * line.mean)),
    ...memory
      .slice(0, 1)
      .flatMap(({ name, visible }) =>
        MINUTES >= LONG_MIN && visible > LEAK_BYTES
          ? [`${name} moves so much that a leak of less than ${visible.toFixed(0)} bytes a request is not seen`]
          : [],
      ),
    ...counts.flatMap((name) => risen(name, of(name), Math.max(COUNT_RISE.in_all, COUNT_RISE.share * of(name).mean))),
    ...tables.flatMap((name) => risen(name, of(name), TABLE_RISE * of(name).first)),
    ...refusals(windows),
    ...(visitors.faults.length > visits * REFUSED_SHARE ? visitors.faults : []),
    ...(sealing.sealed_rows > 0 ? [] : ['nothing was sealed: that is no trial']),
  ]
  const figures = [
    `${units * UNIT.checks} checks for ${(seconds / 60).toFixed(1)} min, ${requests} requests (${rate.toFixed(0)}/s)`,
    ...memory.map(
      ({ name, line, leak, visible }) =>
        `${name} ${mb(line.first)} to ${mb(line.last)} MB: ${leak.toFixed(1)} bytes a request, ${visible.toFixed(0)} could be told from none`,
    ),
    ...counts.map((name) => `${name} ${of(name).first.toFixed(1)} to ${of(name).last.toFixed(1)}`),
    ...tables.map((name) => `${name} ${of(name).first.toFixed(0)} to ${of(name).last.toFixed(0)}`),
    ...[...visitors.done].map(([what, count]) => `${what} ${count}`),
    `visits that failed ${visitors.faults.length}`,
    `refused or unanswered ${failures(windows)}`,
    `uploads p99 of ten seconds: ${latencies(windows)}`,
    waits.tell(),
    `${sealing.sealed_rows} hours of checks sealed, until ${sealing.sealed_until}`,
    `under way at the end ${windows.at(-1)?.waiting ?? 0}`,
    `webhooks ${windows.reduce((sum, { messages }) => sum + messages, 0)}`,
  ]
  return { figures: figures.join('; '), faults }
}

function pointsOf(looks: Seen['looks'], name: string): Point[] {
  return looks.flatMap(({ at, vitals }) => {
    const value = vitals[name]
    return value === undefined ? [] : [{ at, value }]
  })
}

function risen(name: string, { first, last, visible }: Line, most: number): string[] {
  return last - first > most && last - first > visible
    ? [`${name} rose from ${first.toFixed(1)} to ${last.toFixed(1)}`]
    : []
}

function answered(windows: readonly Window[]): number {
  const all = windows.flatMap(({ tallies }) => KINDS.map((kind) => tallies[kind].statuses[200] ?? 0))
  return all.reduce((sum, count) => sum + count, 0)
}

/** At half of its capacity, hardly anybody is refused. */
function refusals(windows: readonly Window[]): string[] {
  return KINDS.flatMap((kind) => {
    const due = windows.reduce((sum, { tallies }) => sum + tallies[kind].due, 0)
    const failed = failures(windows, [kind])
    return failed > due * REFUSED_SHARE ? [`${failed} of ${due} of kind ${kind} were not answered with 200`] : []
  })
}

/** What is due and not answered yet when a window ends is none: it is of a later one, or of nobody's. */
function failures(windows: readonly Window[], kinds = KINDS): number {
  const all = windows.flatMap(({ tallies }) => kinds.map((kind) => tallies[kind]))
  return all.reduce((sum, { statuses, broken, given_up, dropped }) => {
    const answers = Object.values(statuses).reduce((count, one) => count + one, 0)
    return sum + answers - (statuses[200] ?? 0) + broken + given_up + dropped
  }, 0)
}

/** Of uploads in ms, over windows of ten seconds each: the middle one, nine of ten, and the worst. */
function latencies(windows: readonly Window[]): string {
  const p99s = windows.map(({ tallies }) => tallies.upload.p99).sort((a, b) => a - b)
  const at = (share: number) => Math.round(p99s[Math.floor(share * (p99s.length - 1))] ?? 0)
  return `${at(0.5)} ms in the middle, ${at(0.9)} in nine of ten, ${at(1)} at most`
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
