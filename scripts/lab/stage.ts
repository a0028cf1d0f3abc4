// The environment of a bench: a Postgres of its own, durable as in production, and real servers. Everything is removed
// at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase } from '../../packages/server/dist/store/database.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from '../server-flags.js'
import { type Meter, parentOf, postgresMeter, processMeter } from './cpu.ts'
import { type Flags, readFlags } from './flags.ts'

/** A server on a port of its own, in a process of its own. */
export interface BenchServer {
  readonly port: number
  readonly pid: number
  readonly meter: Meter
}

/** What every bench has, even without a database. */
export interface BareStage {
  readonly flags: Flags
  /** Something to undo at the end, however that comes; the last first. */
  undo(step: () => Promise<unknown>): void
}

export interface Stage extends BareStage {
  readonly database: Database
  readonly url: string
  readonly postgres: Meter
  /** The parent process of all others of Postgres. */
  readonly postmaster: number
  /** Starts a server: the real command, or a script that prints the same line when it listens. */
  serve(env?: Readonly<Record<string, string>>, script?: string): Promise<BenchServer>
  /** Starts the real command, or that of another build, in its default role: requests and chores in one process. */
  serveAll(
    env?: Readonly<Record<string, string>>,
    nodeFlags?: readonly string[],
    command?: string,
  ): Promise<BenchServer>
  /** Starts a worker. Returns before it works. */
  work(env?: Readonly<Record<string, string>>): { meter: Meter }
}

// The server dies with us and its directory is deleted, but its work costs as much as in production.
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
const COMMAND = fileURLToPath(new URL('../../packages/server/dist/bin/dogwatch.js', import.meta.url))
export const LIFELINE = new URL('./lifeline.ts', import.meta.url).href
const STOP_LIMIT_MS = 15_000

/**
 * Prepares the stage, runs the bench on it and clears it again, also after Ctrl-C. Exit code 1 when it could not run.
 */
export function onStage(bench: (stage: Stage) => Promise<void>, settings: Settings = {}): Promise<void> {
  return onBareStage(async (bare) => bench(await setStage(bare, settings)))
}

/** For callers other than benches: the steps that undo it are passed to `undo`. */
export function setStageFor(undo: BareStage['undo'], settings: Settings = {}): Promise<Stage> {
  return setStage({ flags: NO_FLAGS, undo }, settings)
}

/** The same for a part of a bench, which is cleared when it is over: the next one begins with an empty database. */
export async function onPart<Answer>(
  bare: BareStage,
  settings: Settings,
  part: (stage: Stage) => Promise<Answer>,
): Promise<Answer> {
  const steps: (() => Promise<unknown>)[] = []
  // Also when the bench is interrupted meanwhile.
  bare.undo(() => undo(steps))
  try {
    return await part(await setStage({ flags: bare.flags, undo: (step) => void steps.push(step) }, settings))
  } finally {
    await undo(steps)
  }
}

export type Settings = Readonly<Record<string, string>>

export const NO_FLAGS: Flags = {
  rounds: 1,
  seconds: 1,
  profile: undefined,
  rows: undefined,
  checks: undefined,
  minutes: undefined,
  short: false,
  only: undefined,
  coordinator: undefined,
  plain: undefined,
}

/** The same without a Postgres. */
export async function onBareStage(bench: (stage: BareStage) => Promise<void>): Promise<void> {
  const flags = readFlags()
  const steps: (() => Promise<unknown>)[] = []
  let clearing: Promise<void> | undefined
  const clear = () => (clearing ??= undo(steps))
  const interrupted = (signal: NodeJS.Signals) => {
    process.exitCode = signal === 'SIGINT' ? 130 : 143
    void clear().finally(() => process.exit())
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted)
  try {
    if (!existsSync('/proc/stat')) throw new Error('a bench reads CPU time from /proc, and there is none here')
    await bench({ flags, undo: (step) => void steps.push(step) })
  } catch (error) {
    // Errors while we clean up after a signal are of no interest.
    if (!clearing) {
      process.stderr.write(`the bench could not run: ${error instanceof Error ? error.stack : String(error)}\n`)
      process.exitCode = 1
    }
  }
  await clear()
  process.exit()
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function undo(steps: (() => Promise<unknown>)[]): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    await step().catch((error: unknown) => say(`while clearing up: ${String(error)}`))
  }
}

/** `settings`: more of Postgres. */
async function setStage(bare: BareStage, settings: Settings = {}): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-dogwatch-'))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(dataDir, 0o711)
  const options = { dataDir, random: randomBytes, throwaway: true, remove: true, settings: { ...DURABLE, ...settings } }
  const { url, stop } = await openEmbeddedPostgres(options)
  bare.undo(stop)
  return stageOn(bare, url)
}

/** The same on a Postgres of this machine that is there already, in an empty database. */
export async function stageOn(bare: BareStage, url: string): Promise<Stage> {
  await migrateToLatest(url)
  const database = openDatabase({ url })
  bare.undo(() => database.close())
  const { rows } = await database.pools.machines.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0]?.pid ?? 0)
  return {
    ...bare,
    database,
    url,
    postgres: postgresMeter(postmaster),
    postmaster,
    serve: (env = {}, script = COMMAND) =>
      serve({ DATABASE_URL: url, ...env }, [script, 'serve', '--role', 'web'], bare),
    serveAll: (env = {}, nodeFlags = [], command = COMMAND) =>
      serve({ ...SERVER_ENVIRONMENT, DATABASE_URL: url, ...env }, [...nodeFlags, command, 'serve'], bare),
    work: (env = {}) => {
      const child = startProcess({ DATABASE_URL: url, ...env }, [COMMAND, 'serve', '--role', 'worker'], bare)
      child.stdout?.resume()
      return { meter: processMeter('worker', child.pid ?? 0) }
    },
  }
}

async function serve(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  bare: BareStage,
): Promise<BenchServer> {
  const child = startProcess(env, args, bare)
  const { pid = 0 } = child
  return { port: await portOf(child), pid, meter: processMeter('server', pid) }
}

function startProcess(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  { flags: { profile }, undo }: BareStage,
): ChildProcess {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const child = spawn(process.execPath, [...SERVER_FLAGS, ...profiling, '--import', LIFELINE, ...args], {
    env: {
      PATH: process.env.PATH,
      LOCAL_MONITOR: 'off',
      PORT: '0',
      ADDRESS_RATE_LIMIT: 'off',
      ADDRESS_CONNECTIONS: 'off',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  // Only a profile is written on a clean exit; otherwise there is nothing to wait for.
  undo(() => end(child, profile === undefined ? 'SIGKILL' : 'SIGTERM'))
  return child
}

/** The port in the line that a server prints once it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('a server without output')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on .*:(\d+)/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('a server ended before it listened')
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(timer)
}
