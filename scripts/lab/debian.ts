// Installs and starts the Debian programs that a proof needs.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Undo, until } from './proof.ts'

/** Words before a command that make the program end with the proof, however the proof ends. */
export const MORTAL = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
const START_MS = 10_000

/** Returns the first path that exists. If none does, installs the package. */
export function requireProgram(name: string, ...paths: readonly string[]): string {
  if (!paths.some((path) => existsSync(path))) install(name)
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`Debian's ${name} has no ${paths.join(' or ')}`)
  return found
}

function install(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`this needs ${name}, which is not installed: apt-get install ${name}`)
  }
  process.stdout.write(`installing Debian's ${name}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => execFileSync('apt-get', ['-q', '-y', ...args], { stdio: 'ignore', env })
  try {
    apt('install', name)
  } catch {
    // A machine made from an image often has no package lists yet.
    apt('update')
    apt('install', name)
  }
}

/** Returns the version that a program prints. */
export function versionOf(program: string, flag: string): string {
  return /\d[\w.+~-]*/.exec(execFileSync(program, [flag], { encoding: 'utf8' }))?.[0] ?? ''
}

/** Starts a program, and waits until it is ready. At the end of the proof, ends the program with SIGTERM. */
export async function startMortal(
  command: readonly string[],
  isReady: () => Promise<boolean>,
  undo: Undo,
): Promise<void> {
  const [program = '', ...args] = [...MORTAL, ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ended = once(child, 'exit')
  undo(() => child.kill('SIGTERM') && ended)
  const ready = () => isReady().catch(() => false)
  if (!(await until(async () => hasEnded() || (await ready()), START_MS)) || hasEnded()) {
    throw new Error(`${command[0]} does not start`)
  }
}
