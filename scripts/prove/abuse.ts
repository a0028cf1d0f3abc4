// Proves that one client never stops the others: each story attacks a server with default limits, and an honest tenant beside it
// must notice nothing: its requests and the health answer in time, no ping of it is refused, and none of its heartbeats goes down. It also lists
// what kept the event loop of the server busy for longest: no request, page or chore may take 50 ms of processor time at once.
// npm run prove -- abuse [--stories NAME,NAME] [--seconds N] [--server FILE]    --server: the dogwatch.js of another build, to compare
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoopHold } from '../lab/loop-holds.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { say, setStageFor } from '../lab/stage.ts'
import { type Outcome, runProof, type World } from '../lab/world.ts'
import { alerts } from './abuse/alerts.ts'
import { connections } from './abuse/connections.ts'
import { disk } from './abuse/disk.ts'
import { exports } from './abuse/exports.ts'
import { forms } from './abuse/forms.ts'
import { guesses } from './abuse/guesses.ts'
import { histories } from './abuse/histories.ts'
import type { Heard, HonestReport } from './abuse/honest.ts'
import { type Honest, openLab, residentMb, type Story, startHonest } from './abuse/lab.ts'
import { paths } from './abuse/paths.ts'
import { patterns } from './abuse/patterns.ts'
import { pings } from './abuse/pings.ts'
import { RECEIVERS } from './abuse/receivers.ts'
import { schedules } from './abuse/schedules.ts'
import { streams } from './abuse/streams.ts'
import { templates } from './abuse/templates.ts'
import { writes } from './abuse/writes.ts'

const STORIES: readonly Story[] = [
  paths,
  patterns,
  forms,
  pings,
  connections,
  guesses,
  alerts,
  exports,
  writes,
  schedules,
  histories,
  disk,
  templates,
  streams,
]

const flags = readFlags({
  stories: { type: 'string' },
  seconds: { type: 'string', default: '60' },
  server: { type: 'string' },
})
const SECONDS = Number(flags.seconds)
const P99_MS = 250
const WORST_MS = 1000
/** Processor time of the server's thread that one request, page or chore may take before others have a turn. */
const HOLD_MS = 50
const HOLDS_SHOWN = 5
const FLUSH_MS = 30_000
const HOLDS_FILE = join(tmpdir(), `dogwatch-holds-${process.pid}`)
const HOLDS = new URL('../lab/loop-holds.ts', import.meta.url).href
const SERVER_MB = 600
const CALM_SEC = 5
/** An interval, its grace and a sweep: a heartbeat that was hurt is told as down by then. */
const AFTER_SEC = 8

const names = flags.stories?.split(',')
const chosen = STORIES.filter(({ name }) => !names || names.includes(name))
await runProof('abuse', 60_000 + chosen.length * (SECONDS + 60) * 1000, prove)

async function prove(undo: World['undo']): Promise<Outcome> {
  const stage = await setStageFor(undo)
  // As it comes: the limits that a bench switches off.
  const limits = {
    ADDRESS_RATE_LIMIT: '10/30',
    ADDRESS_CONNECTIONS: '500',
    EGRESS_ALLOW: RECEIVERS,
    LOOP_HOLDS: HOLDS_FILE,
  }
  undo(async () => rmSync(HOLDS_FILE, { force: true }))
  const server = await stage.serveAll(limits, ['--import', HOLDS], flags.server)
  const lab = await openLab(stage, { port: server.port, seconds: SECONDS })
  const honest = await startHonest(lab)
  await pause(CALM_SEC * 1000)
  const calm = judge('before', await honest.tell(), 0)
  const outcomes = [calm.figures]
  // A server that starts is not yet asked for anything.
  await takeHolds(server.pid)
  const faults: string[] = []
  for (const story of chosen) {
    say(`abuse: ${story.name} for ${SECONDS} s`)
    const before = await honest.downs()
    let server_mb = 0
    const looks = setInterval(() => (server_mb = Math.max(server_mb, residentMb(server.pid))), 500)
    // A story that throws ends the server, and nothing may look at its memory then.
    const attack = await story.run(lab).finally(() => clearInterval(looks))
    const { figures, faults: found } = judge(story.name, await honest.tell(), await fallenSince(honest, before))
    const held = await takeHolds(server.pid)
    outcomes.push([...attack, ...figures, `server at most ${server_mb.toFixed(0)} MB`, toldOf(held)])
    faults.push(
      ...found,
      ...(story.faults?.() ?? []),
      ...held
        .filter(({ cpu_ms }) => cpu_ms > HOLD_MS)
        .map(({ cpu_ms, path }) => `${story.name}: the loop was busy for ${cpu_ms.toFixed(0)} ms: ${path}`),
      ...(server_mb > SERVER_MB ? [`${story.name}: the server has ${server_mb.toFixed(0)} MB`] : []),
    )
    // What the recovery did to it belongs to no story.
    await honest.tell()
  }
  return {
    figures: ['before', ...chosen.map(({ name }) => name)]
      .map((name, n) => `${name}: ${outcomes[n]?.join('; ')}`)
      .join(' | '),
    faults,
  }
}

/** Returns what kept the loop busy since it was asked last, the longest of each path first. The server stands still meanwhile. */
async function takeHolds(pid: number): Promise<LoopHold[]> {
  process.kill(pid, 'SIGUSR2')
  const end = performance.now() + FLUSH_MS
  while (!existsSync(HOLDS_FILE)) {
    if (performance.now() > end) throw new Error('the server did not write what kept its loop busy')
    await pause(100)
  }
  const lines = readFileSync(HOLDS_FILE, 'utf8').split('\n').filter(Boolean)
  rmSync(HOLDS_FILE)
  const longest = new Map<string, LoopHold>()
  for (const hold of lines.map((line) => JSON.parse(line) as LoopHold)) {
    if (hold.cpu_ms > (longest.get(hold.path)?.cpu_ms ?? 0)) longest.set(hold.path, hold)
  }
  return [...longest.values()].toSorted((a, b) => b.cpu_ms - a.cpu_ms)
}

function toldOf(holds: readonly LoopHold[]): string {
  const longest = holds.slice(0, HOLDS_SHOWN).map(({ cpu_ms, path }) => `${cpu_ms.toFixed(0)} ms (${path})`)
  return longest.length === 0 ? 'nothing kept the loop busy for 20 ms' : `the loop was busy for ${longest.join(', ')}`
}

async function fallenSince(honest: Honest, before: number): Promise<number> {
  await pause(AFTER_SEC * 1000)
  return (await honest.downs()) - before
}

function judge(name: string, report: HonestReport, downs: number): { figures: string[]; faults: string[] } {
  const kinds: [string, Heard][] = Object.entries(report)
  const figures = kinds.map(([kind, { answered_ms, failed }]) => {
    const vain = Object.entries(failed).map(([what, count]) => `, ${count} ${what}`)
    const [p99, worst] = [quantile(answered_ms, 0.99), quantile(answered_ms, 1)]
    return `honest ${kind} p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${answered_ms.length}${vain.join('')}`
  })
  const faults = kinds.flatMap(([kind, { answered_ms, failed }]) => [
    ...Object.entries(failed).map(([what, count]) => `${name}: ${count} honest requests (${kind}) came to ${what}`),
    ...(quantile(answered_ms, 0.99) <= P99_MS
      ? []
      : [`${name}: ${kind} took ${quantile(answered_ms, 0.99).toFixed(0)} ms at p99`]),
    ...(quantile(answered_ms, 1) <= WORST_MS
      ? []
      : [`${name}: ${kind} took ${quantile(answered_ms, 1).toFixed(0)} ms once`]),
  ])
  return {
    figures: [...figures, `${downs} false DOWN`],
    faults: [...faults, ...(downs > 0 ? [`${name}: ${downs} heartbeats that were pinged in time went down`] : [])],
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
