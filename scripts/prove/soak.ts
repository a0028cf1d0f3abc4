// Proves that nothing grows: half of what one server handles, for half an hour, with agents that come and go, failing checks, alerts,
// heartbeats, exports, pages and sign-ins. Memory, handles, connections and tables that stay small are followed.
// npm run prove -- soak [--minutes N] [--checks N]
//   --minutes: in less than 20, connections that are still warming up may look like a leak
//   --checks: the capacity, as `bench -- capacity` finds it. Otherwise the proof measures it for some seconds, without a checkpoint of Postgres
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { depsOf } from '../lab/archive.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { beginSealing, readSealing, type SealingState } from '../lab/capacity/sealing-ground.ts'
import { grow, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { NO_FLAGS } from '../lab/flags.ts'
import { openInspector, watchHeap } from '../lab/inspector.ts'
import { freePort, type Outcome, quantile, readFlags, runProof, sum, type Undo } from '../lab/proof.ts'
import { onPart, setStageFor } from '../lab/stage.ts'
import { CALM, KINDS, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { flatterHalf, type Line, lineThrough, type Point } from './soak/flatness.ts'
import { HOT_TABLES, type Patient, sizeName, takeVitals, type Vitals } from './soak/vitals.ts'
import { startVisitors, type Visitors } from './soak/visitors.ts'

const flags = readFlags({ minutes: { type: 'string', default: '30' }, checks: { type: 'string' } })
const MINUTES = Number(flags.minutes)
/** Minutes with results of the hour that is sealed during the proof. */
const MINUTES_OF_HOUR = 10
const LOOK_MS = 10_000
const SAY_EVERY = 6
/** Half of the leak of 100 bytes per request that a long run must detect. */
const LEAK_BYTES = 50
const LONG_MIN = 20
/** Maximum rise of memory, of a count, and of the size of a row. */
const MEMORY_RISE = 0.25
const COUNT_RISE = { in_all: 4, share: 0.05 }
const TABLE_RISE = 0.5
/** Share of requests that other programs on the machine may spoil. */
const REFUSED_SHARE = 0.001

await runProof('soak', MINUTES * 60_000 + 600_000, async (undo) => {
  const capacity = flags.checks === undefined ? await measureCapacity(undo) : Number(flags.checks) / UNIT.checks
  const half = Math.max(1, Math.round(capacity / 2))
  const stage = await setStageFor(undo, RECOMMENDED)
  await beginSealing(stage)
  const bare = { stage, traffic: await startTraffic(stage), units: [], minutes: MINUTES_OF_HOUR }
  await grow(bare, half)
  const inspect_port = await freePort()
  // Not before there is an hour to seal, because loaded results go where nothing is sealed yet.
  const server = await stage.serveAll({ ...SERVED, SEAL_HOURS: 'on' }, [`--inspect-port=${inspect_port}`])
  await sendFrom({ ...bare, server }, half, CALM)
  const visitors = await startVisitors(depsOf(stage), server.port, undo)
  const client = new pg.Client({ connectionString: stage.url, application_name: 'proof' })
  await client.connect()
  undo(() => client.end())
  const inspector = await openInspector(server.pid, inspect_port)
  undo(() => inspector.close())
  await watchHeap(inspector)
  const patient = { pid: server.pid, inspector, postmaster: stage.postmaster, client, most: new Map<string, number>() }
  const seen = await follow(patient, bare.traffic.tell)
  await visitors.stop()
  return judge(half, seen, visitors, await readSealing(stage))
})

/** Measures in a database of its own, where nothing is sealed. */
function measureCapacity(undo: Undo): Promise<number> {
  return onPart({ flags: NO_FLAGS, undo }, RECOMMENDED, async (stage) => {
    const traffic = await startTraffic(stage)
    return calibrate({ stage, traffic, server: await stage.serveAll(SERVED), units: [], minutes: 0 })
  })
}

interface Observations {
  looks: { at: number; vitals: Vitals }[]
  windows: Window[]
}

async function follow(patient: Patient, tell: () => Promise<Window>): Promise<Observations> {
  const seen: Observations = { looks: [], windows: [] }
  await tell()
  const begun = performance.now()
  for (let turn = 1; turn * LOOK_MS <= MINUTES * 60_000; turn++) {
    await pause(Math.max(0, begun + turn * LOOK_MS - performance.now()))
    const vitals = await takeVitals(patient)
    seen.looks.push({ at: (performance.now() - begun) / 1000, vitals })
    seen.windows.push(await tell())
    if (turn % SAY_EVERY > 0) continue
    process.stderr.write(`soak: ${Math.round((turn * LOOK_MS) / 60_000)} min: ${JSON.stringify(vitals)}\n`)
  }
  return seen
}

function judge(units: number, { looks, windows }: Observations, visitors: Visitors, sealing: SealingState): Outcome {
  const pointsOf = (name: string): Point[] =>
    looks.flatMap(({ at, vitals: { [name]: value } }) => (value === undefined ? [] : [{ at, value }]))
  const seconds = sum(windows.map((window) => window.seconds))
  const visits = sum([...visitors.done.values()])
  const requests = sum(windows.flatMap(({ tallies }) => KINDS.map((kind) => tallies[kind].statuses[200] ?? 0))) + visits
  const rate = requests / seconds
  const of = (name: string): Line => lineThrough(pointsOf(name))
  const memory = ['server heap', 'server RSS', 'postgres memory'].map((name) => {
    const line = of(name)
    const kept = name === 'server heap' ? line : flatterHalf(pointsOf(name))
    // Half of the points show less than all of them do.
    const isVisible = kept.slope > kept.visible || line.slope > line.visible
    return { name, line, leak: kept.slope / rate, visible: kept.visible / rate, isVisible }
  })
  const counts = ['server file descriptors', 'server sockets', 'server threads', 'postgres connections']
  const tables = HOT_TABLES.map(sizeName).filter((name) => pointsOf(name).length > 0)
  const [heap] = memory
  const p99s = windows.map(({ tallies }) => tallies.upload.p99)
  const latencies = [0.5, 0.9, 1].map((share) => Math.round(quantile(p99s, share)))
  return {
    faults: [
      ...memory.flatMap(({ name, line, leak, isVisible }) => [
        leak > LEAK_BYTES && isVisible && `${name} grows by ${leak.toFixed(0)} bytes a request`,
        risen(name, line, MEMORY_RISE * line.mean),
      ]),
      MINUTES >= LONG_MIN &&
        (heap?.visible ?? 0) > LEAK_BYTES &&
        `the heap moves so much that a leak of ${heap?.visible.toFixed(0)} bytes a request is not visible`,
      ...counts.map((name) => risen(name, of(name), Math.max(COUNT_RISE.in_all, COUNT_RISE.share * of(name).mean))),
      ...tables.map((name) => risen(name, of(name), TABLE_RISE * of(name).first)),
      ...KINDS.map((kind) => {
        const due = sum(windows.map(({ tallies }) => tallies[kind].due))
        const failed = countFailures(windows, [kind])
        return failed > due * REFUSED_SHARE && `${failed} of ${due} of kind ${kind} had no response of 200`
      }),
      ...(visitors.faults.length > visits * REFUSED_SHARE ? visitors.faults : []),
      sealing.sealed_rows === 0 && 'nothing was sealed: that is no trial',
    ],
    figures: [
      `${units * UNIT.checks} checks for ${(seconds / 60).toFixed(1)} min, ${requests} requests (${rate.toFixed(0)}/s)`,
      ...memory.map(
        ({ name, line, leak, visible }) =>
          `${name} ${(line.first / 1e6).toFixed(1)} to ${(line.last / 1e6).toFixed(1)} MB: ${leak.toFixed(1)} bytes a request, ${visible.toFixed(0)} would be visible`,
      ),
      ...counts.map((name) => `${name} ${of(name).first.toFixed(1)} to ${of(name).last.toFixed(1)}`),
      ...tables.map((name) => `${name} ${of(name).first.toFixed(0)} to ${of(name).last.toFixed(0)}`),
      ...[...visitors.done].map(([what, count]) => `${what} ${count}`),
      `${visitors.faults.length} visits failed, ${countFailures(windows, KINDS)} requests without a response of 200`,
      `uploads, p99 of ten seconds: ${latencies.join(', ')} ms at half, nine of ten, and all`,
      `${sealing.sealed_rows} hours of checks sealed, until ${sealing.sealed_until}`,
      `webhooks ${sum(windows.map(({ messages }) => messages))}`,
    ],
  }
}

function risen(name: string, { first, last, visible }: Line, most: number): string | false {
  return last - first > most && last - first > visible && `${name} rose from ${first.toFixed(1)} to ${last.toFixed(1)}`
}

function countFailures(windows: readonly Window[], kinds: typeof KINDS): number {
  const tallies = windows.flatMap((window) => kinds.map((kind) => window.tallies[kind]))
  return sum(
    tallies.map(({ statuses, broken, given_up, dropped }) => {
      return sum(Object.values(statuses)) - (statuses[200] ?? 0) + broken + given_up + dropped
    }),
  )
}
