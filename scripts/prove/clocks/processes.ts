// The servers of a scenario: each a process on a clock of its own, looked at from outside all the while.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { hasEnded } from '../../../packages/server/dist/embedded-postgres/process.js'
import { freePort } from '../../../packages/server/dist/embedded-postgres/server.js'
import { LIFELINE, listeningPort, SERVER, type World } from '../../lab/world.ts'
import { SERVER_FLAGS } from '../../server-flags.js'
import { forgetShared, type WrongClock } from './wrong-clock.ts'

export interface ServerProcess {
  readonly name: string
  readonly url: string
  readonly clock: WrongClock
  /** What was seen of it, oldest first. */
  readonly looks: readonly Look[]
  /** Lines of its log that are about clocks. */
  readonly clockLines: readonly { at: number; line: string }[]
  /** Other lines that tell of errors. */
  readonly errors: readonly string[]
  /** How it ended by itself, each time. */
  readonly ends: readonly string[]
  /** Ends it as service managers do, and starts it again at the same port. */
  restart(): Promise<void>
}

/** What one look found. */
export interface Look {
  /** Milliseconds since the Unix epoch. */
  at: number
  /** What stands in the way of requests; undefined when it is ready. */
  obstacle: string | undefined
  /** The clock's metrics that are not nought. */
  clock: readonly string[]
}

const LOOK_MS = 250
const LOOK_LIMIT_MS = 3000
const GONE_MS = 40_000
const LOGGED = 'logged: '
const ABOUT_CLOCKS = /clock|skew/i
/** Of the lines of the metrics: a number of a clock, by at least half a second. */
const CLOCK_METRIC = /^(dogwatch_[a-z_]*(?:clock|skew)[a-z_]*(?:\{[^}]*\})?) (-?[\d.e+]+)$/

export async function startServer(
  name: string,
  role: 'web' | 'worker',
  clock: WrongClock,
  env: Readonly<Record<string, string>>,
  undo: World['undo'],
): Promise<ServerProcess> {
  const [port, metrics_port] = [await freePort(0), await freePort(0)]
  const [looks, clockLines]: [Look[], { at: number; line: string }[]] = [[], []]
  const [errors, ends]: [string[], string[]] = [[], []]
  const told = new Set<number>()
  let child: ChildProcess | undefined
  const hear = (line: string): void => {
    if (ABOUT_CLOCKS.test(line)) clockLines.push({ at: Date.now(), line })
    else if (/"level":[56]0/.test(line) || !line.startsWith('{')) errors.push(wordsOf(line))
  }
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, [...SERVER_FLAGS, '--import', LIFELINE, SERVER, 'serve', '--role', role], {
      env: {
        PATH: process.env.PATH,
        LOCAL_MONITOR: 'off',
        LOG_LEVEL: 'warn',
        PORT: String(port),
        METRICS_PORT: String(metrics_port),
        ...env,
        ...clock.env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const { pid = 0 } = child
    child.once('exit', (code, signal) => {
      if (!told.has(pid)) ends.push(`${name} ended by itself, with ${code ?? signal}: ${lastWords(errors)}`)
    })
    if (child.stderr) createInterface({ input: child.stderr }).on('line', hear)
    if (role === 'web') await listeningPort(child)
    child.stdout?.resume()
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    told.add(child.pid)
    child.kill(signal)
    await Promise.race([ended, hasEnded(child.pid, GONE_MS)])
    forgetShared(child.pid)
  }
  await start()
  const watching = new AbortController()
  const watched = watch(metrics_port, looks, watching.signal)
  undo(async () => {
    watching.abort()
    await watched
    await end('SIGKILL')
  })
  const restart = async (): Promise<void> => {
    await end('SIGTERM')
    await start()
  }
  return { name, url: `http://127.0.0.1:${port}`, clock, looks, clockLines, errors, ends, restart }
}

function wordsOf(line: string): string {
  if (!line.startsWith('{')) return line
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
  return `${LOGGED}${msg}: ${err?.message ?? ''}`
}

/** What the platform says of an error that nobody caught. */
function lastWords(errors: readonly string[]): string {
  return errors
    .filter((line) => !line.startsWith('{'))
    .slice(-12)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
}

async function watch(port: number, looks: Look[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    looks.push(await look(port))
    await pause(LOOK_MS)
  }
}

async function look(port: number): Promise<Look> {
  const at = Date.now()
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) })
    return { status: answer.status, body: await answer.text() }
  }
  try {
    const [ready, metrics] = [await ask('/readyz'), await ask('/metrics')]
    const clock = metrics.body.split('\n').flatMap((line) => {
      const [, metric, value] = CLOCK_METRIC.exec(line) ?? []
      return metric !== undefined && Math.abs(Number(value)) >= 0.5 ? [`${metric} ${value}`] : []
    })
    return { at, obstacle: ready.status === 200 ? undefined : ready.body, clock }
  } catch (error) {
    return { at, obstacle: `no answer: ${error instanceof Error ? error.message : String(error)}`, clock: [] }
  }
}
