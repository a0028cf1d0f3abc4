// Prepares what a bench needs: a Postgres that is durable as in production, and real servers. Removes everything at the end.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Database, openDatabase } from '../../packages/store/dist/database.js'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { SERVER_ENVIRONMENT } from '../server-flags.js'
import { type Meter, parentOf, postgresMeter, processMeter } from './cpu.ts'
import { openEmbedded } from './postgres.ts'
import { openFolder, runToEnd, type Undo, undoAll } from './proof.ts'
import { newServer, type ServerPlan } from './server.ts'

export { LIFELINE } from './server.ts'

/**
 * Flags of the benches that compare arms: the number of measurements of each arm, the duration of one in seconds, and a folder for CPU profiles of
 * the servers.
 */
export const BENCH_FLAGS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  profile: { type: 'string' },
} as const

/** Values of BENCH_FLAGS. All are absent in a proof. */
type Flags = Readonly<Partial<Record<keyof typeof BENCH_FLAGS, string | undefined>>>

/** A server in a process of its own. */
export interface BenchServer {
  readonly port: number
  readonly pid: number
  readonly child: ChildProcess
  readonly meter: Meter
}

/** Parts of a stage for a bench without a database: the flags, and the functions that run at the end. */
export interface BareStage {
  readonly flags: Flags
  readonly undo: Undo
}

export interface Stage extends BareStage {
  readonly database: Database
  readonly url: string
  readonly postgres: Meter
  /** Id of the main Postgres process, which is the parent of all others. */
  readonly postmaster: number
  /** Starts a server process that only handles requests. */
  serve(env?: Readonly<Record<string, string>>): Promise<BenchServer>
  /** Starts a server in its default role: it handles requests and runs chores in one process. */
  serveAll(env?: Readonly<Record<string, string>>, nodeFlags?: readonly string[]): Promise<BenchServer>
}

export type Settings = Readonly<Record<string, string>>

const UNLIMITED = { ADDRESS_RATE_LIMIT: 'off', ADDRESS_CONNECTIONS: 'off' }
const STOP_LIMIT_MS = 15_000
const LIMIT_MS = 86_400_000

/** Prepares a stage and runs the bench on it. Exits with 1 if the bench cannot run. */
export function onStage(flags: Flags, bench: (stage: Stage) => Promise<void>, settings: Settings = {}): Promise<void> {
  return onBareStage(flags, async (bare) => bench(await setStage(bare, settings)))
}

/** Prepares a stage for a proof, which `undo` removes. */
export function setStageFor(undo: Undo, settings: Settings = {}): Promise<Stage> {
  return setStage({ flags: {}, undo }, settings)
}

/** Runs a part of a bench on a stage of its own, and removes the stage afterwards. */
export async function onPart<Answer>(
  bare: BareStage,
  settings: Settings,
  part: (stage: Stage) => Promise<Answer>,
): Promise<Answer> {
  const steps: (() => unknown)[] = []
  bare.undo(() => undoAll(steps))
  try {
    return await part(await setStage({ flags: bare.flags, undo: (step) => void steps.push(step) }, settings))
  } finally {
    await undoAll(steps)
  }
}

const NUMBERS: readonly string[] = ['rounds', 'seconds', 'rows', 'checks', 'minutes']

/** Runs a bench that needs no stage with a database. Flags of numbers must be greater than 0. */
export function onBareStage(flags: Flags, bench: (stage: BareStage) => Promise<void>): Promise<never> {
  return runToEnd('bench', LIMIT_MS, async (undo) => {
    if (!existsSync('/proc/stat')) throw new Error('a bench reads CPU time from /proc, and there is none here')
    // With no round, every claim would hold.
    for (const [name, value] of Object.entries(flags))
      if (NUMBERS.includes(name) && value !== undefined && !(Number(value) > 0))
        throw new Error(`--${name} must be greater than 0`)
    await bench({ flags, undo })
    return Number(process.exitCode ?? 0)
  })
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function setStage(bare: BareStage, settings: Settings): Promise<Stage> {
  const { url } = await openEmbedded(await openFolder(bare.undo), bare.undo, settings)
  return stageOn(bare, url)
}

/** Prepares a stage in an empty database of a Postgres that already runs on this machine. */
export async function stageOn(bare: BareStage, url: string): Promise<Stage> {
  await migrateToLatest(url)
  const database = openDatabase({ url })
  bare.undo(() => database.close())
  const { rows } = await database.pools.machines.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0]?.pid ?? 0)
  const { profile } = bare.flags
  const start = async ({ env = {}, flags = [], ...plan }: ServerPlan): Promise<BenchServer> => {
    const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
    const all = { ...UNLIMITED, DATABASE_URL: url, ...env }
    const server = newServer({ ...plan, env: all, flags: [...flags, ...profiling] }, bare.undo)
    await server.start()
    return { port: server.port, pid: server.pid, child: server.child, meter: processMeter('server', server.pid) }
  }
  return {
    ...{ ...bare, database, url, postmaster, postgres: postgresMeter(postmaster) },
    serve: (env = {}) => start({ role: 'web', env }),
    serveAll: (env = {}, flags = []) => start({ env: { ...SERVER_ENVIRONMENT, ...env }, flags }),
  }
}

/** Sends a signal to a child process, and kills the process if it does not end in time. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(timer)
}
