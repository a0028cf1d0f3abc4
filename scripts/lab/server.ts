// Starts the real server in a process of its own, which a proof or a bench can kill and start again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { hasEnded } from '../../packages/embedded-postgres/dist/process.js'
import { SERVER_FLAGS } from '../server-flags.js'
import type { Undo } from './proof.ts'

export const SERVER = fileURLToPath(new URL('../../packages/server/dist/bin/dogwatch.js', import.meta.url))
/** Module that ends a process when its parent process ends for any reason. */
export const LIFELINE = new URL('./lifeline.ts', import.meta.url).href
const RETURN_ADDRESS = new URL('./return-address.ts', import.meta.url).href
const GONE_MS = 40_000

/** A program that a proof kills with SIGKILL and then starts again. */
export interface Mortal {
  readonly name: string
  /** Kills the program. Resolves once none of its processes is left. */
  kill(): Promise<void>
  /** Starts the program. Resolves once it is available. */
  start(): Promise<void>
}

export interface Server extends Mortal {
  /** Port of the server, which stays the same after a restart. 0 if the server is a worker. */
  readonly port: number
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  /** Process ids of all starts, the present one last. */
  readonly pids: readonly number[]
  /** Time at which the proof killed a process, in milliseconds since the Unix epoch, by process id. */
  readonly killedAt: ReadonlyMap<number, number>
  /** Ends the server with SIGTERM, as service managers do. */
  stop(): Promise<void>
}

export interface ServerPlan {
  /** Name of the server in messages. */
  name?: string
  /** Role of the server. Absent if it handles requests and runs chores in one process. */
  role?: 'web' | 'worker' | undefined
  /** Environment of the server, which is read at each start. */
  env?: Readonly<Record<string, string>>
  /** Flags for Node. */
  flags?: readonly string[]
  /** Receives the lines of the server's log. Absent if they go to standard error. */
  onLog?: (line: string) => void
  /** Receives a message if the server ends by itself, or with an unexpected exit code. */
  onEnd?: (fault: string) => void
}

/** Prepares a server. `start` starts it. */
export function newServer(plan: ServerPlan, undo: Undo): Server {
  const { name = 'server', role, flags = [], onLog, onEnd } = plan
  const pids: number[] = []
  const killedAt = new Map<number, number>()
  let current: ChildProcess | undefined
  let [port, isStopping] = [0, false]
  const isRunning = () => current !== undefined && current.exitCode === null && current.signalCode === null
  const server: Server = {
    ...{ name, pids, killedAt },
    get port() {
      return port
    },
    get url() {
      return `http://127.0.0.1:${port}`
    },
    get pid() {
      return pids.at(-1) ?? 0
    },
    get child() {
      if (!current) throw new Error(`the ${name} has not started`)
      return current
    },
    start: async () => {
      const imports = ['--import', LIFELINE, '--import', RETURN_ADDRESS]
      const command = [SERVER, 'serve', ...(role ? ['--role', role] : [])]
      const own = { PATH: process.env.PATH, LOCAL_MONITOR: 'off', LOG_LEVEL: 'warn', PORT: '0' }
      const child = spawn(process.execPath, [...SERVER_FLAGS, ...imports, ...flags, ...command], {
        env: { ...own, ...plan.env, ...(port > 0 && { PORT: String(port) }) },
        stdio: ['ignore', 'pipe', onLog ? 'pipe' : 'inherit', 'ipc'],
      })
      const { pid = 0 } = child
      isStopping = false
      current = child
      pids.push(pid)
      if (onLog && child.stderr) createInterface({ input: child.stderr }).on('line', onLog)
      child.once('exit', (code) => {
        if (!killedAt.has(pid) && !isStopping) onEnd?.(`the ${name} ended by itself, with ${code}`)
      })
      if (role === 'worker') child.stdout?.resume()
      else port = await listeningPort(child)
    },
    kill: async () => {
      if (!isRunning()) return
      killedAt.set(server.pid, Date.now())
      server.child.kill('SIGKILL')
      await hasEnded(server.pid, GONE_MS)
    },
    stop: async () => {
      if (!isRunning()) return
      const { child } = server
      isStopping = true
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), GONE_MS)
      const [code, signal] = await ended
      clearTimeout(timer)
      if (code !== 0) onEnd?.(`SIGTERM ended the ${name} with ${code ?? signal}`)
    },
  }
  // A server that writes a CPU profile must end cleanly, because it writes the profile only then.
  undo(() => (flags.includes('--cpu-prof') ? server.stop() : server.kill()))
  return server
}

/** Starts a server. Resolves when it listens. A worker does not listen. */
export async function startServer(plan: ServerPlan, undo: Undo): Promise<Server> {
  const server = newServer(plan, undo)
  await server.start()
  return server
}

/** Returns the port in the line that a server prints when it listens. */
export async function listeningPort({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<number> {
  if (!stdout) throw new Error('a server without output')
  for await (const line of createInterface({ input: stdout })) {
    const port = /listening on .*:(\d+)/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('a server ended before it listened')
}
