// Proves that one client never stops the others: each story attacks a server with default limits, and an honest tenant notices nothing. Its
// requests and the health checks have responses in time, no ping is refused, and none of its heartbeats goes down. No request, page or chore
// keeps the event loop busy for 50 ms of processor time.
// npm run prove -- abuse [--stories NAME,NAME] [--seconds N]
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMb } from '../lab/cpu.ts'
import type { LoopHold } from '../lab/loop-holds.ts'
import { need, quantile, readFlags, runProof, tally, type Texts } from '../lab/proof.ts'
import { openWorld } from '../lab/world.ts'
import { SERVER_ENVIRONMENT } from '../server-flags.js'
import { alerts, RECEIVERS, templates } from './abuse/alerts.ts'
import { disk, exports, histories, schedules, writes } from './abuse/apis.ts'
import { connections, forms, guesses, paths, patterns, pings } from './abuse/crowds.ts'
import type { HonestReport } from './abuse/honest.ts'
import { openLab, startHonest, type Story } from './abuse/lab.ts'
import { streams } from './abuse/streams.ts'

const STORIES: Readonly<Record<string, Story>> = {
  ...{ paths, patterns, forms, pings, connections, guesses, alerts, exports, writes, schedules, histories, disk },
  ...{ templates, streams },
}
const flags = readFlags({ stories: { type: 'string' }, seconds: { type: 'string', default: '60' } })
const SECONDS = Number(flags.seconds)
const [P99_MS, WORST_MS, SERVER_MB] = [250, 1000, 600]
/** Maximum processor time of the main thread until others have a turn. */
const HOLD_MS = 50
const HOLDS_SHOWN = 5
const FLUSH_MS = 30_000
const HOLDS = new URL('../lab/loop-holds.ts', import.meta.url).href
const CALM_SEC = 5
/** An interval, its grace and a sweep: by then, a heartbeat without its pings is down. */
const AFTER_SEC = 8

const names = flags.stories?.split(',') ?? Object.keys(STORIES)
await runProof('abuse', 60_000 + names.length * (SECONDS + 60) * 1000, async (undo) => {
  const world = await openWorld(undo)
  const holdsFile = join(world.folder, 'holds')
  const env = { ...SERVER_ENVIRONMENT, EGRESS_ALLOW: RECEIVERS, LOOP_HOLDS: holdsFile }
  const server = await world.serve(env, { flags: ['--import', HOLDS] })
  const lab = await openLab(world, server.port, SECONDS)
  const honest = await startHonest(lab)
  await pause(CALM_SEC * 1000)
  const calm = judge('before', await honest.report(), 0)
  const figures = [`before: ${calm.figures.join('; ')}`]
  const faults: (string | false | undefined)[] = []
  await takeHolds(server.pid, holdsFile)
  for (const name of names) {
    process.stderr.write(`abuse: ${name} for ${SECONDS} s\n`)
    const before = await honest.downs()
    let server_mb = 0
    const looks = setInterval(() => (server_mb = Math.max(server_mb, residentMb(server.pid))), 500)
    // A story that throws ends the server.
    const attack = await (STORIES[name] as Story)(lab).finally(() => clearInterval(looks))
    const report = await honest.report()
    await pause(AFTER_SEC * 1000)
    const beside = judge(name, report, (await honest.downs()) - before)
    const holds = await takeHolds(server.pid, holdsFile)
    const longest = holds.slice(0, HOLDS_SHOWN).map(({ cpu_ms, path }) => `${cpu_ms.toFixed(0)} ms (${path})`)
    const busy = `busy for ${longest.join(', ') || 'less than 20 ms'}`
    const own = [...attack.figures, ...beside.figures, `server at most ${server_mb.toFixed(0)} MB`, busy]
    figures.push(`${name}: ${own.join('; ')}`)
    const long = holds.filter(({ cpu_ms }) => cpu_ms > HOLD_MS)
    faults.push(
      ...beside.faults,
      ...(attack.faults ?? []).map((fault) => fault && `${name}: ${fault}`),
      ...long.map(({ cpu_ms, path }) => `${name}: the loop was busy for ${cpu_ms.toFixed(0)} ms: ${path}`),
      server_mb > SERVER_MB && `${name}: the server has ${server_mb.toFixed(0)} MB`,
    )
    await honest.report()
  }
  return { figures: figures.join(' | '), faults: [...world.ends, ...faults] }
})

/** Reads what kept the loop busy since the last call, the longest of each path first. The server stands still during that time. */
async function takeHolds(pid: number, file: string): Promise<LoopHold[]> {
  process.kill(pid, 'SIGUSR2')
  await need(() => existsSync(file), FLUSH_MS, 'the server did not write what kept its loop busy')
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  rmSync(file)
  const holds = lines.map((line) => JSON.parse(line) as LoopHold).toSorted((a, b) => b.cpu_ms - a.cpu_ms)
  return holds.filter(({ path }, n) => holds.findIndex((other) => other.path === path) === n)
}

function judge(name: string, report: HonestReport, downs: number): { figures: string[]; faults: Texts } {
  const kinds = Object.entries(report).map(([kind, { answered_ms, failed }]) => {
    const [p99, worst] = [quantile(answered_ms, 0.99), quantile(answered_ms, 1)]
    return { kind, count: answered_ms.length, p99, worst, failed: new Map(Object.entries(failed)) }
  })
  return {
    figures: [
      ...kinds.map(
        ({ kind, count, p99, worst, failed }) =>
          `honest ${kind} p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${count}, failed ${tally(failed)}`,
      ),
      `${downs} false DOWN`,
    ],
    faults: [
      ...kinds.flatMap(({ kind, p99, worst, failed }) => [
        failed.size > 0 && `${name}: honest requests (${kind}) failed: ${tally(failed)}`,
        !(p99 <= P99_MS) && `${name}: ${kind} took ${p99.toFixed(0)} ms at p99`,
        !(worst <= WORST_MS) && `${name}: ${kind} took ${worst.toFixed(0)} ms once`,
      ]),
      downs > 0 && `${name}: ${downs} heartbeats that were pinged in time went down`,
    ],
  }
}
