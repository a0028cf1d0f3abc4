// Proves that nothing grows: half of what one server handles, for half an hour, with agents that come and go, failing checks, alerts,
// heartbeats, exports, pages and sign-ins. Memory, handles, connections and tables that stay small are followed. Then a new server must
// withstand five times what it handles, for a minute.
// npm run prove -- soak [--minutes N] [--checks N]
//   --minutes: in less than 20, connections that are still warming up may look like a leak
//   --checks: the capacity, as `bench -- capacity` finds it. Otherwise the proof measures it for some seconds, without a checkpoint of Postgres
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { beginSealing, readSealing } from '../lab/capacity/sealing-ground.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { grow, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { INSIDE } from '../lab/inside.ts'
import { quantile, readFlags, runProof, sum, type Undo } from '../lab/proof.ts'
import { onPart, setStage } from '../lab/stage.ts'
import { KINDS, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { overload } from './soak/overload.ts'
import { startVisitors } from './soak/visitors.ts'
import { COUNTS, flatterHalf, type Line, lineThrough, MEMORY, SIZES, takeVitals, type Vitals } from './soak/vitals.ts'

const flags = readFlags({ minutes: { type: 'string', default: '30' }, checks: { type: 'string' } })
const MINUTES = Number(flags.minutes)
/** Number of minutes with results in the hour that is sealed during the proof. */
const MINUTES_OF_HOUR = 10
const LOOK_MS = 10_000
/** Maximum growth of memory per request, in bytes. It is half of the leak that a long run must detect. */
const LEAK_BYTES = 50
const LONG_MIN = 20
/** Maximum growth of memory, as a share. The next constants limit the growth of counts, and of the size of a row. */
const MEMORY_RISE = 0.25
const COUNT_RISE = { in_all: 4, share: 0.05 }
const TABLE_RISE = 0.5
/** Maximum share of requests that fail, because other programs on the machine may disturb some. */
const REFUSED_SHARE = 0.001

await runProof('soak', MINUTES * 60_000 + 900_000, async (undo) => {
  const capacity = flags.checks === undefined ? await measureCapacity(undo) : Number(flags.checks) / UNIT.checks
  const units = Math.max(1, Math.round(capacity / 2))
  const stage = await setStage({ flags: {}, undo }, RECOMMENDED)
  await beginSealing(stage)
  const bare = { stage, traffic: await startTraffic(stage), units: [], minutes: MINUTES_OF_HOUR }
  await grow(bare, units)
  // Starts the server only now, because results can be loaded only into hours that are not sealed yet.
  const server = await stage.serveAll(SERVED, INSIDE)
  await sendFrom({ ...bare, server }, units)
  const visitors = await startVisitors(stage, server.port, undo)
  const client = new pg.Client({ connectionString: stage.url, application_name: 'proof' })
  await client.connect()
  undo(() => client.end())
  const [looks, windows]: [Look[], Window[]] = [[], []]
  await bare.traffic.tell()
  const begun = performance.now()
  for (let turn = 1; turn * LOOK_MS <= MINUTES * 60_000; turn++) {
    await pause(Math.max(0, begun + turn * LOOK_MS - performance.now()))
    const vitals = await takeVitals(server, stage.postmaster, client)
    looks.push({ at: (performance.now() - begun) / 1000, vitals })
    windows.push(await bare.traffic.tell())
    if (turn % 6 === 0) process.stderr.write(`soak: ${turn / 6} min: ${JSON.stringify(vitals)}\n`)
  }
  await visitors.stop()
  const { sealed_rows, sealed_until } = await readSealing(stage)
  const calm = judge(looks, windows, visitors)
  await server.stop()
  const loud = await overload(bare)
  return {
    faults: [...calm.faults, sealed_rows === 0 && 'nothing was sealed: that is no trial', ...loud.faults],
    figures: [
      `${units * UNIT.checks} checks for ${MINUTES} min`,
      ...calm.figures,
      `${sealed_rows} hours of checks sealed, until ${sealed_until}`,
      ...loud.figures,
    ],
  }
})

/** Measures the capacity with a separate database without sealed hours. */
function measureCapacity(undo: Undo): Promise<number> {
  return onPart({ flags: {}, undo }, RECOMMENDED, async (stage) => {
    const traffic = await startTraffic(stage)
    return calibrate({ stage, traffic, server: await stage.serveAll(SERVED), units: [], minutes: 0 })
  })
}

interface Look {
  at: number
  vitals: Vitals
}

type Visitors = Awaited<ReturnType<typeof startVisitors>>

function judge(looks: readonly Look[], windows: readonly Window[], visitors: Visitors) {
  const pointsOf = (name: string) =>
    looks.flatMap(({ at, vitals: { [name]: value } }) => (value === undefined ? [] : [{ at, value }]))
  const of = (name: string): Line => lineThrough(pointsOf(name))
  const visits = sum([...visitors.done.values()])
  const kinds = KINDS.map((kind) => {
    const tallies = windows.map((window) => window.tallies[kind])
    const good = sum(tallies.map(({ statuses }) => statuses[200] ?? 0))
    const answered = sum(tallies.flatMap(({ statuses }) => Object.values(statuses)))
    const unanswered = sum(tallies.map(({ broken, given_up, dropped }) => broken + given_up + dropped))
    return { kind, due: sum(tallies.map(({ due }) => due)), good, failed: answered - good + unanswered }
  })
  const requests = sum(kinds.map(({ good }) => good)) + visits
  const rate = requests / sum(windows.map((window) => window.seconds))
  const memory = MEMORY.map((name) => {
    const line = of(name)
    const kept = name === 'server heap' ? line : flatterHalf(pointsOf(name))
    // Half of the measurements can hide a leak that all of them show.
    const isVisible = kept.slope > kept.visible || line.slope > line.visible
    return { name, line, leak: kept.slope / rate, visible: kept.visible / rate, isVisible }
  })
  const sizes = SIZES.filter((name) => pointsOf(name).length > 0)
  const [heap] = memory
  const p99s = windows.map(({ tallies }) => tallies.upload.p99)
  const latencies = [0.5, 0.9, 1].map((share) => Math.round(quantile(p99s, share)))
  return {
    faults: [
      ...memory.flatMap(({ name, line, leak, isVisible }) => [
        leak > LEAK_BYTES && isVisible && `${name} grows by ${leak.toFixed(0)} bytes a request`,
        risen(name, line, MEMORY_RISE * line.mean),
      ]),
      pointsOf('server heap').length === 0 && 'the heap was never measured, because there was no full collection',
      MINUTES >= LONG_MIN &&
        (heap?.visible ?? 0) > LEAK_BYTES &&
        `the heap moves so much that a leak of ${heap?.visible.toFixed(0)} bytes a request is not visible`,
      ...COUNTS.map((name) => risen(name, of(name), Math.max(COUNT_RISE.in_all, COUNT_RISE.share * of(name).mean))),
      ...sizes.map((name) => risen(name, of(name), TABLE_RISE * of(name).first)),
      ...kinds.map(({ kind, due, failed }) => {
        return failed > due * REFUSED_SHARE && `${failed} of ${due} of kind ${kind} had no response of 200`
      }),
      ...(visitors.faults.length > visits * REFUSED_SHARE ? visitors.faults : []),
    ],
    figures: [
      `${requests} requests (${rate.toFixed(0)}/s)`,
      ...memory.map(
        ({ name, line, leak, visible }) =>
          `${name} ${(line.first / 1e6).toFixed(1)} to ${(line.last / 1e6).toFixed(1)} MB: ${leak.toFixed(1)} bytes a request, ${visible.toFixed(0)} would be visible`,
      ),
      ...[...COUNTS, ...sizes].map((name) => `${name} ${of(name).first.toFixed(1)} to ${of(name).last.toFixed(1)}`),
      ...[...visitors.done].map(([what, count]) => `${what} ${count}`),
      `${visitors.faults.length} visits and ${sum(kinds.map(({ failed }) => failed))} other requests failed`,
      `uploads, p99 of ten seconds: ${latencies.join(', ')} ms at half, nine of ten, and all`,
      `webhooks ${sum(windows.map(({ messages }) => messages))}`,
    ],
  }
}

function risen(name: string, { first, last, visible }: Line, most: number): string | false {
  return last - first > most && last - first > visible && `${name} rose from ${first.toFixed(1)} to ${last.toFixed(1)}`
}
