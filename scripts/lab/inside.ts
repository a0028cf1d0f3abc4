// Answers questions about a server from inside its process: what its memory contains, and how long its event loop was busy. The
// flags INSIDE load this file into a server, and a proof asks with `askInside`.
import { createHook } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

/** Flags of Node that load this file into a server. */
export const INSIDE = ['--import', `${import.meta.url}?inside`] as const
/** Flags like INSIDE. They also measure how long callbacks keep the event loop busy, which costs the server time. */
export const INSIDE_LOOP = ['--import', `${import.meta.url}?inside-loop`] as const

interface Answers {
  /** Bytes of old objects after the last full collection. Absent if there was none since the last question. */
  'heap after a collection': number | undefined
  /**
   * CPU times in milliseconds of callbacks that kept the event loop busy since the last question, each with the promises and ticks
   * that followed it.
   */
  holds: number[]
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

/**
 * Records the CPU time of callbacks on the main thread, which does not depend on other load of the machine. Returns a function
 * that returns the times.
 */
function watchLoop(): () => number[] {
  const roots = new Set<number>()
  const holds: number[] = []
  let depth = 0
  let begun_ms: number | undefined
  const hook = createHook({
    init: (id, type) => void (FROM_THE_LOOP.test(type) && roots.add(id)),
    destroy: (id) => void roots.delete(id),
    before: (id) => {
      if (depth++ > 0 || !roots.has(id)) return
      const now_ms = cpuMs()
      const hold_ms = now_ms - (begun_ms ?? now_ms)
      if (hold_ms >= SHORTEST_MS && holds.length < MOST_HOLDS) holds.push(hold_ms)
      begun_ms = now_ms
    },
    after: () => void (depth = Math.max(0, depth - 1)),
    trackPromises: false,
  })
  hook.enable()
  return () => {
    // Ignores the callback in which this function runs.
    begun_ms = undefined
    return holds.splice(0)
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const [, way] = import.meta.url.split('?')
if (isMainThread && way !== undefined) answerQuestions(way === 'inside-loop')
