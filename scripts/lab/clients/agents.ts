// Starts real agents in processes of their own, and reads their logs.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { AGENT_ENVIRONMENT, AGENT_FLAGS } from '../../../packages/agent/bin/node-flags.js'
import { type Undo, until } from '../proof.ts'
import { LIFELINE } from '../server.ts'

const AGENT = fileURLToPath(new URL('../../../packages/agent/dist/main.js', import.meta.url))
const START_LIMIT_MS = 30_000
const DEBUG = 20

export interface AgentPlan {
  /** Name of the agent and of its state directory. */
  name: string
  server: string
  folder: string
  enrollment_token: string
  flags?: readonly string[]
  /** Modules that Node loads before the agent. */
  imports?: readonly string[]
  env?: Readonly<Record<string, string>>
  onLog?: (line: LogLine) => void
  /** Receives the lines that the agent writes to descriptor 4. */
  onWitness?: (line: string) => void
}

export interface LogLine {
  event: string
  [fact: string]: unknown
}

export interface RunningAgent {
  readonly child: ChildProcess
  /** Lines of the agent's log, without those of level debug. */
  readonly log: readonly LogLine[]
  /** Waits until the agent logs an event. Throws if it does not. */
  logged(event: string): Promise<LogLine>
  kill(): Promise<void>
  /** Ends the agent with SIGTERM. Returns its exit code. */
  stop(): Promise<number | null>
}

export async function startAgent(plan: AgentPlan, undo: Undo): Promise<RunningAgent> {
  const state_dir = join(plan.folder, 'agents', plan.name)
  await mkdir(state_dir, { recursive: true, mode: 0o700 })
  const imports = [LIFELINE, ...(plan.imports ?? [])].flatMap((url) => ['--import', url])
  const place = ['--name', plan.name, '--region', 'r', '--country', 'c', '--city', 'c']
  const flags = ['--server', plan.server, '--state-dir', state_dir, ...place, ...(plan.flags ?? [])]
  // Passes the flags for which the agent would otherwise restart itself, because a restart would close the pipes.
  const child = spawn(process.execPath, [...AGENT_FLAGS, ...imports, AGENT, ...flags], {
    env: {
      PATH: process.env.PATH,
      ...AGENT_ENVIRONMENT,
      DOGWATCH_ENROLLMENT_TOKEN: plan.enrollment_token,
      ...plan.env,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
  undo(() => child.kill('SIGKILL'))
  return watch(child, plan)
}

function watch(child: ChildProcess, { name, onLog, onWitness }: AgentPlan): RunningAgent {
  const log: LogLine[] = []
  readLines(child.stdio[2] as Readable, (line) => {
    const read = parse(line)
    onLog?.(read)
    if (Number(read.level) > DEBUG) log.push(read)
  })
  readLines(child.stdio[4] as Readable, (line) => onWitness?.(line))
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return closed
  }
  const logged = async (event: string): Promise<LogLine> => {
    const find = () => log.find((line) => line.event === event)
    await until(() => find() !== undefined || child.exitCode !== null, START_LIMIT_MS)
    const found = find()
    if (!found) throw new Error(`${name} did not log ${event}: ${JSON.stringify(log.slice(-5))}`)
    return found
  }
  return { child, log, logged, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') }
}

/** Reads whole lines. Ignores a last line that a kill has cut short. */
function readLines(stream: Readable, take: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return { level: 60, event: 'not json', line }
  }
}
