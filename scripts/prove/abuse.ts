// Proves that one client never stops the others: each story attacks a server with default limits, and an honest tenant notices nothing. Its
// requests and the health checks have responses in time, no ping is refused, and none of its heartbeats goes down. No request, page or chore
// keeps the event loop busy for 50 ms of processor time.
// npm run prove -- abuse [--stories NAME,NAME] [--seconds N]
import { setTimeout as pause } from 'node:timers/promises'
import { statusOf } from '../lab/cpu.ts'
import { askInside, INSIDE_LOOP } from '../lab/inside.ts'
import { countBy, quantile, readFlags, runProof, type Texts, tally } from '../lab/proof.ts'
import { numberOf, openWorld } from '../lab/world.ts'
import { SERVER_ENVIRONMENT } from '../server-flags.js'
import type { HonestRequest } from './abuse/honest.ts'
import { openLab, startHonest } from './abuse/lab.ts'
import { STORIES } from './abuse/stories.ts'
import { RECEIVERS } from './abuse/tenants.ts'

const flags = readFlags({ stories: { type: 'string' }, seconds: { type: 'string', default: '60' } })
const seconds = Number(flags.seconds)
const HONEST_KINDS = 6
const [P99_MS, WORST_MS, SERVER_MB, GROWN_MB] = [250, 1000, 600, 80]
/** Maximum CPU time of one request, page or chore on the main thread until others have a turn, in milliseconds. */
const HOLD_MS = 50
const HOLDS_SHOWN = 3
const CALM_SEC = 5
/**
 * Time after which a heartbeat without pings is down, in seconds: its interval, its grace period and the time between two
 * searches.
 */
const AFTER_SEC = 8

const names = flags.stories?.split(',') ?? Object.keys(STORIES)
await runProof('abuse', 60_000 + names.length * (seconds + 60) * 1000, async (undo) => {
  const world = await openWorld(undo)
  // To learn which functions keep the event loop busy, add `--cpu-prof` to the flags of the server.
  const { port, pid, child } = await world.serve(
    { ...SERVER_ENVIRONMENT, EGRESS_ALLOW: RECEIVERS },
    { flags: INSIDE_LOOP },
  )
  const noticed: string[] = []
  const lab = await openLab(world, port, seconds, (what) => void noticed.push(what))
  const honest = await startHonest(lab)
  const databaseMb = () => numberOf(world.deps, 'select pg_database_size(current_database())::float8 / 1e6')
  const [figures, faults]: [string[], Texts[number][]] = [[], []]
  for (const name of ['nothing', ...names]) {
    process.stderr.write(`abuse: ${name}\n`)
    await honest.report()
    await askInside(child, 'holds')
    const [downs_before, mb_before] = [await honest.downs(), await databaseMb()]
    let server_mb = 0
    const looks = setInterval(() => (server_mb = Math.max(server_mb, statusOf(pid, 'VmRSS') / 1024)), 500)
    const attack = name === 'nothing' ? pause(CALM_SEC * 1000, 'before the attacks') : STORIES[name]?.(lab)
    if (!attack) throw new Error(`there is no story ${name}`)
    const happened = await attack.finally(() => clearInterval(looks))
    const reports = judgeHonest(await honest.report())
    await pause(AFTER_SEC * 1000)
    const [downs, grown_mb] = [(await honest.downs()) - downs_before, (await databaseMb()) - mb_before]
    const holds = (await askInside(child, 'holds')).toSorted((one, other) => other - one)
    const longest = holds.slice(0, HOLDS_SHOWN).map((ms) => `${ms.toFixed(0)} ms`)
    const busy = `busy for ${longest.join(', ') || 'less than 20 ms'}`
    const own = [
      ...[happened, ...reports.figures, `${downs} false DOWN`, `server at most ${server_mb.toFixed(0)} MB`],
      `database ${grown_mb.toFixed(0)} MB larger, ${busy}`,
    ]
    figures.push(`${name}: ${own.join('; ')}`)
    const own_faults = [
      ...reports.faults,
      ...new Set(noticed.splice(0)),
      downs > 0 && `${downs} heartbeats that were pinged in time went down`,
      server_mb > SERVER_MB && `the server has ${server_mb.toFixed(0)} MB`,
      grown_mb > GROWN_MB && `the database grew by ${grown_mb.toFixed(0)} MB`,
      (holds[0] ?? 0) > HOLD_MS && `the loop was ${busy}`,
    ]
    faults.push(...own_faults.map((fault) => fault && `${name}: ${fault}`))
  }
  return { figures: figures.join(' | '), faults: [...world.ends, ...faults] }
})

function judgeHonest(requests: readonly HonestRequest[]): { figures: string[]; faults: Texts } {
  const kinds = [...Map.groupBy(requests, ({ kind }) => kind)].map(([kind, all]) => {
    const answered_ms = all.filter(({ status }) => status === 200).map(({ ms }) => ms)
    const failed = all.filter(({ status }) => status !== 200)
    const why = tally(countBy(failed, ({ status }) => (status === 0 ? 'without a response' : `with ${status}`)))
    return { kind, p99: quantile(answered_ms, 0.99), worst: quantile(answered_ms, 1), count: all.length, why }
  })
  return {
    figures: kinds.map(
      ({ kind, p99, worst, count, why }) =>
        `honest ${kind} p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${count}, failed ${why}`,
    ),
    faults: [
      ...kinds.flatMap(({ kind, p99, worst, why }) => [
        why !== 'none' && `honest requests (${kind}) failed: ${why}`,
        !(p99 <= P99_MS) && `${kind} took ${p99.toFixed(0)} ms at p99`,
        !(worst <= WORST_MS) && `${kind} took ${worst.toFixed(0)} ms once`,
      ]),
      kinds.length < HONEST_KINDS && 'honest requests are missing',
    ],
  }
}
