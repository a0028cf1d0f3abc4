// Loaded into a server of a proof: writes down each time that one callback, with the promises and ticks that follow it, keeps the event loop
// busy for long. It counts processor time of the main thread, so a slow machine does not count. On SIGUSR2, one JSON document a line goes to
// the file in LOOP_HOLDS, with the path of calls that took the most of it. Only then, because ending a profile and beginning another keeps
// the loop busy for some 200 ms itself, and requests would wait for it.
import { createHook } from 'node:async_hooks'
import { renameSync, writeFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

export interface LoopHold {
  cpu_ms: number
  /** The calls that took the most of it, the innermost last. */
  path: string
}

/** Shorter ones are not written down. */
const SHORTEST_MS = 20
const MOST_HOLDS = 10_000
const FRAMES_SHOWN = 5
const SAMPLE_EVERY_US = 2000

/** Resources whose callbacks the loop calls. Ticks, promises and resources of libraries belong to the callback before them. */
const FROM_THE_LOOP =
  /^(?:TCP|PIPE|TLS|HTTP|Timeout$|Immediate$|MESSAGEPORT|FS|GETADDR|ZLIB|WRITE|SHUTDOWN|RANDOM|PROCESS|SIGNAL|UDP|QUERY|WORKER)/

interface Stretch {
  cpu_ms: number
  from_us: number
  until_us: number
}

/** Calls `heldFor` with each stretch of the loop that takes long. Returns a function that leaves out the present one. */
function watchLoop(heldFor: (stretch: Stretch) => void): () => void {
  const roots = new Set<number>()
  let depth = 0
  let begun_us: number | undefined
  let begun_cpu_ms = 0
  const hook = createHook({
    init: (id, type) => void (FROM_THE_LOOP.test(type) && roots.add(id)),
    destroy: (id) => void roots.delete(id),
    before: (id) => {
      if (depth++ > 0 || !roots.has(id)) return
      const [now_ms, now_us] = [cpuMs(), monotonicUs()]
      const cpu_ms = now_ms - begun_cpu_ms
      if (begun_us !== undefined && cpu_ms >= SHORTEST_MS) heldFor({ cpu_ms, from_us: begun_us, until_us: now_us })
      begun_us = now_us
      begun_cpu_ms = cpuMs()
    },
    after: () => void (depth = Math.max(0, depth - 1)),
    trackPromises: false,
  })
  hook.enable()
  return () => (begun_us = undefined)
}

function writeHolds(file: string): void {
  const stretches: Stretch[] = []
  const leaveOut = watchLoop((stretch) => void (stretches.length < MOST_HOLDS && stretches.push(stretch)))
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
  session.post('Profiler.start')
  process.on('SIGUSR2', () => {
    session.post('Profiler.stop', (error, { profile } = {} as { profile: Profiler.Profile }) => {
      const held = stretches.splice(0)
      const lines = held.map(({ cpu_ms, ...span }): LoopHold => ({ cpu_ms, path: error ? '' : pathOf(profile, span) }))
      writeFileSync(`${file}.part`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      renameSync(`${file}.part`, file)
    })
    session.post('Profiler.start')
    leaveOut()
  })
}

/** Returns the calls with the most samples between two instants. */
function pathOf(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  span: Omit<Stretch, 'cpu_ms'>,
): string {
  const count = new Map<number, number>()
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  let at_us = startTime
  samples.forEach((id, n) => {
    at_us += timeDeltas[n] ?? 0
    if (at_us < span.from_us || at_us > span.until_us) return
    for (let node: number | undefined = id; node !== undefined; node = parentOf.get(node)) {
      count.set(node, (count.get(node) ?? 0) + 1)
    }
  })
  const nodeOf = new Map(nodes.map((node) => [node.id, node]))
  const frames: { frame: string; isOurs: boolean }[] = []
  for (let node = nodes.at(0); node !== undefined; ) {
    const { functionName, url, lineNumber } = node.callFrame
    const frame = `${functionName || 'anonymous'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
    if (!url.startsWith('node:') && functionName !== '(root)') {
      frames.push({ frame, isOurs: url.includes('/packages/server/') })
    }
    const next = Math.max(0, ...(node.children ?? []).map((child) => count.get(child) ?? 0))
    const heaviest = next > 0 ? node.children?.find((child) => count.get(child) === next) : undefined
    node = heaviest === undefined ? undefined : nodeOf.get(heaviest)
  }
  const ours = frames.filter(({ isOurs }) => isOurs).slice(-FRAMES_SHOWN)
  return [...new Set([...ours, ...frames.slice(-1)])].map(({ frame }) => frame).join(' > ')
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

if (isMainThread && process.env.LOOP_HOLDS) writeHolds(process.env.LOOP_HOLDS)
