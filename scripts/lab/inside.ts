// Answers questions about a server from inside its process: what its memory contains, and what kept its event loop busy. The
// flags INSIDE load this file into a server, and a proof asks with `askInside`.
import { createHook } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type Profiler, Session } from 'node:inspector'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

/** Flags of Node that load this file into a server. */
export const INSIDE = ['--import', `${import.meta.url}?inside`] as const
/** Flags like INSIDE. They also measure what keeps the event loop busy, which costs the server time. */
export const INSIDE_LOOP = ['--import', `${import.meta.url}?inside-loop`] as const

/** A callback that kept the event loop busy, with the promises and ticks that followed it, and its CPU time. */
export interface LoopHold {
  cpu_ms: number
  /** Calls that took most of the time of the callback, the innermost last. */
  path: string
}

interface Answers {
  /** Bytes of old objects after the last full collection. Absent if there was none since the last question. */
  'heap after a collection': number | undefined
  /** Callbacks since the last question that kept the event loop busy for long. */
  holds: LoopHold[]
}

export async function askInside<Question extends keyof Answers>(
  child: ChildProcess,
  question: Question,
): Promise<Answers[Question]> {
  const answered = once(child, 'message') as Promise<[{ answer: Answers[Question] }]>
  child.send(question)
  return (await answered)[0].answer
}

/** Minimum CPU time of a callback that counts, in milliseconds. */
const SHORTEST_MS = 20
const MOST_HOLDS = 10_000
const FRAMES_SHOWN = 5
const SAMPLE_EVERY_US = 2000

/**
 * Kinds of resources whose callbacks the event loop calls itself. Ticks, promises and resources of libraries belong to the
 * callback before them.
 */
const FROM_THE_LOOP =
  /^(?:TCP|PIPE|TLS|HTTP|Timeout$|Immediate$|MESSAGEPORT|FS|GETADDR|ZLIB|WRITE|SHUTDOWN|RANDOM|PROCESS|SIGNAL|UDP|QUERY|WORKER)/

function answerQuestions(isLoopWatched: boolean): void {
  const holds = isLoopWatched ? watchLoop() : () => []
  const answers = { 'heap after a collection': watchHeap(), holds }
  process.on('message', (question: keyof Answers) => process.send?.({ answer: answers[question]() }))
}

/**
 * Records the size of old objects after each full garbage collection. Young objects do not count, because the next small
 * collection removes most of them.
 */
function watchHeap(): () => number | undefined {
  let held: number | undefined
  const observer = new PerformanceObserver((list) => {
    const kinds = list.getEntries().map((entry) => (entry as { detail?: { kind: number } }).detail?.kind)
    if (!kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) return
    const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('new_'))
    held = old.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => {
    const last = held
    held = undefined
    return last
  }
}

interface Stretch {
  cpu_ms: number
  from_us: number
  until_us: number
}

/**
 * Records callbacks by their CPU time on the main thread, which does not depend on other load of the machine. Returns a function
 * that returns them.
 */
function watchLoop(): () => LoopHold[] {
  const roots = new Set<number>()
  const stretches: Stretch[] = []
  let [depth, begun_us, begun_cpu_ms] = [0, 0, 0]
  const hook = createHook({
    init: (id, type) => void (FROM_THE_LOOP.test(type) && roots.add(id)),
    destroy: (id) => void roots.delete(id),
    before: (id) => {
      if (depth++ > 0 || !roots.has(id)) return
      const [cpu_ms, until_us] = [cpuMs() - begun_cpu_ms, monotonicUs()]
      const isLong = begun_us > 0 && cpu_ms >= SHORTEST_MS && stretches.length < MOST_HOLDS
      if (isLong) stretches.push({ cpu_ms, from_us: begun_us, until_us })
      begun_us = until_us
      begun_cpu_ms = cpuMs()
    },
    after: () => void (depth = Math.max(0, depth - 1)),
    trackPromises: false,
  })
  hook.enable()
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
  session.post('Profiler.start')
  return () => {
    let path = (_: Stretch): string => ''
    session.post('Profiler.stop', (_, { profile }) => (path = (stretch) => pathOf(profile, stretch)))
    session.post('Profiler.start')
    // Ignores the callback in which this function runs.
    begun_us = 0
    return stretches.splice(0).map((stretch) => ({ cpu_ms: stretch.cpu_ms, path: path(stretch) }))
  }
}

/** Returns the calls that have the most samples of a profile between two times, in the server's own code first. */
function pathOf(profile: Profiler.Profile, { from_us, until_us }: Stretch): string {
  const { nodes, samples = [], timeDeltas = [] } = profile
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
  const counts = new Map<number, number>()
  let at_us = profile.startTime
  for (const [n, id] of samples.entries()) {
    at_us += timeDeltas[n] ?? 0
    if (at_us >= from_us && at_us <= until_us) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const [heaviest] = [...counts].toSorted(([, a], [, b]) => b - a)
  const frames: string[] = []
  for (let node = nodes.find(({ id }) => id === heaviest?.[0]); node; node = parents.get(node.id)) {
    const { functionName, url, lineNumber } = node.callFrame
    const isShown = frames.length === 0 || (url.includes('/packages/') && frames.length < FRAMES_SHOWN)
    if (isShown)
      frames.unshift(`${functionName || 'anonymous'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`)
  }
  return frames.join(' > ')
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

const [, way] = import.meta.url.split('?')
if (isMainThread && way !== undefined) answerQuestions(way === 'inside-loop')
