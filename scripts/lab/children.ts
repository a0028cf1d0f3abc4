// Child processes of a bench: they end with it.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { MORTAL } from './debian.ts'
import { type BareStage, end } from './stage.ts'

export { freePorts } from './proof.ts'

const LISTENS_WITHIN_MS = 10_000

export interface ChildOptions {
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Flags of Node itself. */
  flags?: readonly string[]
}

/** Starts a script in a process of its own, which communicates by messages. */
export function startScript(stage: BareStage, script: string, options: ChildOptions = {}): ChildProcess {
  const { args = [], env = {}, flags = [] } = options
  const child = fork(script, args, {
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
    env: { PATH: process.env.PATH, ...env },
  })
  stage.undo(() => end(child, 'SIGTERM'))
  return child
}

/** Flags that make a process of ours write a CPU profile when it ends, if that is wanted. */
export function profiling({ flags: { profile } }: BareStage): string[] {
  return profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
}

/** Starts a program that listens on this port. Resolves with its process id once it does. */
export async function startProgram(stage: BareStage, port: number, command: readonly string[]): Promise<number> {
  const [wrapper = '', ...args] = [...MORTAL, ...command]
  const child = spawn(wrapper, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  stage.undo(() => end(child, 'SIGKILL'))
  const until = performance.now() + LISTENS_WITHIN_MS
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`${command[0]} does not listen`)
    await pause(20)
  }
  return child.pid ?? 0
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
