// Real agents: the program that people start, in processes of their own, observed through their logs and exit codes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AGENT_FLAGS } from '../../../packages/agent/bin/node-flags.js'
import { LIFELINE, until, type World } from '../../lab/world.ts'

const AGENT = fileURLToPath(new URL('../../../packages/agent/dist/main.js', import.meta.url))
const START_LIMIT_MS = 30_000

export interface AgentPlan {
  /** Names its state directory, too. */
  name: string
  server: string
  flags?: readonly string[]
  /** Modules that are loaded before the program. */
  imports?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** What the program is started by. */
  launcher?: readonly string[]
  /** Takes the lines of its log, of every level. */
  onLog?: (line: LogLine) => void
  /** Takes the lines that it writes to descriptor 4. */
  onWitness?: (line: string) => void
}

export interface LogLine {
  event: string
  [fact: string]: unknown
}

export interface RunningAgent {
  readonly child: ChildProcess
  /** What it has logged, debug level aside. */
  readonly log: readonly LogLine[]
  /** How often each event was logged, at any level. */
  readonly counts: ReadonlyMap<string, number>
  /** Waits for an event in its log; throws when it does not come. */
  logged(event: string): Promise<LogLine>
  /** With SIGKILL. Resolves when everything it wrote was read. */
  kill(): Promise<void>
  /** As service managers do. Resolves with its exit code when everything it wrote was read. */
  stop(): Promise<number | null>
}

const DEBUG = 20
const WITNESS_FD = 4

export async function startAgent(
  world: Pick<World, 'folder' | 'enrollment_token' | 'undo'>,
  plan: AgentPlan,
): Promise<RunningAgent> {
  const state_dir = join(world.folder, 'agents', plan.name)
  await mkdir(state_dir, { recursive: true, mode: 0o700 })
  const place = ['--name', plan.name, '--region', 'r', '--country', 'c', '--city', 'c']
  const imports = [LIFELINE, ...(plan.imports ?? [])].flatMap((url) => ['--import', url])
  const flags = ['--server', plan.server, '--state-dir', state_dir, ...place, ...(plan.flags ?? [])]
  // With the flags that it would otherwise restart itself for, which would close the pipes to us.
  const node = [process.execPath, ...AGENT_FLAGS, ...imports]
  const [program = '', ...args] = [...(plan.launcher ?? []), ...node, AGENT, ...flags]
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: '64',
      DOGWATCH_ENROLLMENT_TOKEN: world.enrollment_token,
      ...plan.env,
    },
    stdio: ['pipe', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
  world.undo(async () => child.kill('SIGKILL'))
  return watch(child, plan)
}

function watch(child: ChildProcess, { name, onLog, onWitness }: AgentPlan): RunningAgent {
  const log: LogLine[] = []
  const counts = new Map<string, number>()
  linesOf(child, 2, (line) => {
    const read = parse(line)
    onLog?.(read)
    if (Number(read.level) > DEBUG) log.push(read)
    counts.set(read.event, (counts.get(read.event) ?? 0) + 1)
  })
  linesOf(child, WITNESS_FD, (line) => onWitness?.(line))
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
  return { child, log, counts, logged, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') }
}

/** Whole lines only: a line that was cut short by a kill does not count. */
function linesOf(child: ChildProcess, fd: number, take: (line: string) => void): void {
  const stream = child.stdio[fd]
  if (!stream || !('setEncoding' in stream)) throw new Error(`an agent without descriptor ${fd}`)
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
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
