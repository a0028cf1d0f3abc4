// The server as people run it: a process of its own, as it is handed out, on a database that is there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { CHILD_ENVIRONMENT } from './child-environment.ts'
import { shippedServer } from './shipped-server.ts'

export interface ServerProcess {
  readonly url: string
  /** Where METRICS_PORT leads; empty without. */
  readonly metrics_url: string
  /** The path that sets a fresh server up; empty where it is set up already. */
  readonly set_up_path: string
  readonly pid: number
  /** What it wrote so far on standard error. */
  log(): string
  kill(signal: NodeJS.Signals): void
  /** The exit code or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Ends it as an operator would, and waits for its end. */
  stop(): Promise<void>
}

/** Matches the log lines of a server whose database responds slowly, as on a busy machine. */
export const SLOW =
  /^.*"msg":"(?:rate limits are slow or unavailable|this machine's clock and the database clock (?:differ|agree again)).*\n/gm

/** Starts `dogwatch serve` with nothing but these settings, and waits until it listens. */
export async function startServer(
  settings: Readonly<Record<string, string>>,
  role: 'all' | 'web' | 'worker' = 'web',
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [await shippedServer(), 'serve', '--role', role], {
    env: { ...CHILD_ENVIRONMENT, PORT: '0', LOG_LEVEL: 'warn', LOCAL_MONITOR: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const urls: Record<string, string> = {}
  // A worker listens for its metrics alone.
  const awaited = [...(role === 'worker' ? [] : ['listening']), ...('METRICS_PORT' in settings ? ['metrics'] : [])]
  await new Promise<void>((resolve, reject) => {
    const look = () => awaited.every((what) => what in urls) && resolve()
    createInterface(child.stdout).on('line', (line) => {
      const [, what = '', url = ''] = /^dogwatch: (listening|metrics|set up) (?:on|at) (\S+)$/.exec(line) ?? []
      urls[what] = url
      look()
    })
    look()
    child.once('error', reject)
    void ended.then(() => reject(new Error(`the server ended before it listened: ${said}`)))
  })
  return {
    url: urls.listening ?? '',
    metrics_url: urls.metrics ?? '',
    // Printed after the line that it listens.
    get set_up_path() {
      return urls['set up'] === undefined ? '' : new URL(urls['set up']).pathname
    },
    pid: child.pid ?? 0,
    log: () => said,
    kill: (signal) => void child.kill(signal),
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
