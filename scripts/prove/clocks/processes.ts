// Runs the servers of a scenario, each on a clock of its own, and observes them from outside. Runs the jobs and scripts that use them.
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, type Undo } from '../../lab/proof.ts'
import { newServer } from '../../lab/server.ts'
import { forgetShared, type WrongClock } from './wrong-clock.ts'

export interface ServerProcess {
  readonly name: string
  readonly url: string
  readonly clock: WrongClock
  /** Observations, oldest first. */
  readonly looks: readonly Look[]
  /** Times of lines about clocks in its log. */
  readonly clockLines: readonly { at: number }[]
  /** Other lines about errors. */
  readonly errors: readonly string[]
  readonly ends: readonly string[]
  /** Ends it as service managers do, and starts it again on the same port. */
  restart(): Promise<void>
}

export interface Look {
  /** Time in milliseconds since the Unix epoch. */
  at: number
  /** Body of /readyz. Absent if the server is ready. */
  obstacle: string | undefined
  /** Whether a metric of a clock is at least half a second. */
  showsClock: boolean
}

const LOOK_MS = 250
const LOOK_LIMIT_MS = 3000
const CALL_MS = 5000
const ABOUT_CLOCKS = /clock|skew/i
const CLOCK_METRIC = /^dogwatch_[a-z_]*(?:clock|skew)[a-z_]*(?:\{[^}]*\})? (-?[\d.e+]+)$/

export async function startProcess(
  name: string,
  role: 'web' | 'worker',
  clock: WrongClock,
  env: Readonly<Record<string, string>>,
  undo: Undo,
): Promise<ServerProcess> {
  const metrics_port = await freePort()
  const [looks, clockLines, errors, ends]: [Look[], { at: number }[], string[], string[]] = [[], [], [], []]
  const onLog = (line: string): void => {
    if (ABOUT_CLOCKS.test(line)) clockLines.push({ at: Date.now() })
    else if (/"level":[56]0/.test(line) || !line.startsWith('{')) errors.push(line.slice(0, 300))
  }
  const onEnd = (fault: string): void => void ends.push(`${fault}: ${errors.slice(-12).join(' ')}`)
  const own = { PORT: String(await freePort()), METRICS_PORT: String(metrics_port) }
  undo(() => forgetShared(server.pid))
  const server = newServer({ name, role, env: { ...own, ...env, ...clock.env }, onLog, onEnd }, undo)
  await server.start()
  repeat(LOOK_MS, undo, async () => void looks.push(await look(metrics_port)))
  const restart = async (): Promise<void> => {
    const { pid } = server
    await server.stop()
    forgetShared(pid)
    await server.start()
  }
  return { name, url: `http://127.0.0.1:${own.PORT}`, clock, looks, clockLines, errors, ends, restart }
}

async function look(port: number): Promise<Look> {
  const at = Date.now()
  const read = async (path: string) => {
    const signal = AbortSignal.timeout(LOOK_LIMIT_MS)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal })
    return { status: response.status, body: await response.text() }
  }
  try {
    const [ready, metrics] = [await read('/readyz'), await read('/metrics')]
    const values = metrics.body.split('\n').map((line) => Number(CLOCK_METRIC.exec(line)?.[1] ?? 0))
    const showsClock = values.some((value) => Math.abs(value) >= 0.5)
    return { at, obstacle: ready.status === 200 ? undefined : ready.body, showsClock }
  } catch (error) {
    return { at, obstacle: `no response: ${String(error)}`, showsClock: false }
  }
}

/** Repeats an action until the end of the scenario. */
function repeat(every_ms: number, undo: Undo, act: () => Promise<void>): void {
  let isOver = false
  const work = async (): Promise<void> => {
    for (; !isOver; await pause(every_ms)) await act()
  }
  const working = work()
  undo(() => {
    isOver = true
    return working
  })
}

/** Outcome of one call. The status is 0 if there is no response. */
export interface CallOutcome {
  at: number
  status: number
}

export interface Job {
  readonly guid: string
  /** Times of accepted pings, in milliseconds since the Unix epoch. */
  readonly taken: readonly number[]
  /** Times at which no server accepted the ping. */
  readonly missed: readonly number[]
  readonly refusals: readonly CallOutcome[]
  /** Whether the job pings. */
  isActive: boolean
}

/** Starts a job that pings the servers in turn, and the next one at once if one refuses. */
export function startJob(guid: string, urls: readonly string[], every_ms: number, undo: Undo): Job {
  const [taken, missed, refusals]: [number[], number[], CallOutcome[]] = [[], [], []]
  const job: Job = { guid, taken, missed, refusals, isActive: true }
  let turn = 0
  repeat(every_ms, undo, async () => {
    if (!job.isActive) return
    turn += 1
    for (let n = 0; n < urls.length; n += 1) {
      const at = Date.now()
      const status = await statusOf(urls[(turn + n) % urls.length] ?? '')
      if (status === 200) return void taken.push(at)
      refusals.push({ at, status })
    }
    missed.push(Date.now())
  })
  return job
}

/** Reads the checks of an account at each server again and again. */
export function startReader(urls: readonly string[], token: string, undo: Undo): readonly CallOutcome[] {
  const readings: CallOutcome[] = []
  for (const url of urls) {
    repeat(1000, undo, async () => {
      const at = Date.now()
      const status = await statusOf(`${url}/account-api/v1/checks`, { Authorization: `Bearer ${token}` })
      readings.push({ at, status })
    })
  }
  return readings
}

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(CALL_MS) })
    await response.text()
    return response.status
  } catch {
    return 0
  }
}
