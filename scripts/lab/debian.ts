// Installs and starts the Debian programs that a proof needs.
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Undo, until } from './proof.ts'

/** Words before a command that make the program end with the proof, however the proof ends. */
export const MORTAL = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
const [START_MS, END_MS] = [60_000, 5000]

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
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<void> {
  const [program = '', ...args] = [...MORTAL, ...command]
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  const note = (text: unknown) => void (log = (log + String(text)).slice(-4000))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', note)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ended = once(child, 'exit')
  undo(() => child.kill('SIGTERM') && Promise.race([ended, pause(END_MS)]))
  const ready = () => isReady().catch(() => false)
  if (!(await until(async () => hasEnded() || (await ready()), START_MS)) || hasEnded()) {
    throw new Error(`${command[0]} does not start: ${log}`)
  }
}
