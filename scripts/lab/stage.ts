// Prepares what a bench needs: a Postgres that is durable as in production, and real servers. Removes everything at the end.

import { existsSync } from 'node:fs'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { SERVER_ENVIRONMENT } from '../server-flags.js'
import { type Meter, parentOf, postgresMeter } from './cpu.ts'
import { openEmbedded } from './postgres.ts'
import { openFolder, runToEnd, type Undo, undoAll } from './proof.ts'
import { type Server, type ServerPlan, startServer } from './server.ts'
import { numberOf, openDeps } from './world.ts'

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

/** Parts of a stage for a bench without a database: the flags, and the functions that run at the end. */
export interface BareStage {
  readonly flags: Flags
  readonly undo: Undo
}

/** A database with what the product's functions need to use it, and servers for it. */
export interface Stage extends BareStage, Deps {
  readonly url: string
  readonly postgres: Meter
  /** Id of the main Postgres process, which is the parent of all others. */
  readonly postmaster: number
  /** Starts a server process that only handles requests. */
  serve(env?: Settings): Promise<Server>
  /** Starts a server in its default role: it handles requests and runs chores in one process. */
  serveAll(env?: Settings, nodeFlags?: readonly string[]): Promise<Server>
}

export type Settings = Readonly<Record<string, string>>

const UNLIMITED = { ADDRESS_RATE_LIMIT: 'off', ADDRESS_CONNECTIONS: 'off' }
const LIMIT_MS = 86_400_000

/** Prepares a stage and runs the bench on it. Exits with 1 if the bench cannot run. */
export function onStage(flags: Flags, bench: (stage: Stage) => Promise<void>, settings: Settings = {}): Promise<void> {
  return onBareStage(flags, async (bare) => bench(await setStage(bare, settings)))
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

/** Prepares a stage, which `undo` removes. A proof has no flags. */
export async function setStage(bare: BareStage, settings: Settings): Promise<Stage> {
  const { url } = await openEmbedded(await openFolder(bare.undo), bare.undo, settings)
  return stageOn(bare, url)
}

/** Prepares a stage in an empty database of a Postgres that already runs on this machine. */
export async function stageOn(bare: BareStage, url: string): Promise<Stage> {
  await migrateToLatest(url)
  const deps = openDeps(url, bare.undo)
  const postmaster = parentOf(await numberOf(deps, 'select pg_backend_pid()'))
  const { profile } = bare.flags
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const start = ({ env, flags = [], ...plan }: ServerPlan): Promise<Server> => {
    const all = { ...UNLIMITED, DATABASE_URL: url, ...env }
    return startServer({ ...plan, env: all, flags: [...flags, ...profiling] }, bare.undo)
  }
  return {
    ...{ ...bare, ...deps, url, postmaster, postgres: postgresMeter(postmaster) },
    serve: (env = {}) => start({ role: 'web', env }),
    serveAll: (env = {}, flags = []) => start({ env: { ...SERVER_ENVIRONMENT, ...env }, flags }),
  }
}

/**
 * Creates another database on a stage's Postgres, so that the same work can be measured on each. The settings that speed up loading
 * do not apply to the servers of the database.
 */
export async function makeDatabase(stage: Stage, name: string): Promise<Stage> {
  await stage.database.pools.machines.query(`create database ${name}`)
  const url = new URL(stage.url)
  url.pathname = `/${name}`
  await migrateToLatest(url.href)
  const loading = new URL(url)
  loading.searchParams.set('options', '-c work_mem=512MB')
  const serve: Stage['serve'] = (env) => stage.serve({ DATABASE_URL: url.href, ...env })
  return { ...stage, ...openDeps(loading.href, stage.undo), url: url.href, serve }
}
