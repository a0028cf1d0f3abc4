// The environment of a proof of the agent: a Postgres of its own, an org in it and the real server. Everything is
// removed at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createEnrollmentToken } from '../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { PLANS } from '../../packages/server/dist/domain/organisations/plans.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { SERVER_FLAGS } from '../server-flags.js'

export const SERVER = fileURLToPath(new URL('../../packages/server/dist/bin/dogwatch.js', import.meta.url))
/** Loaded into every process that a proof starts: it ends with the proof, however that ends. */
export const LIFELINE = new URL('./lifeline.ts', import.meta.url).href

export interface World {
  /** Readable by its owner only; others may only pass through. */
  readonly folder: string
  readonly deps: Deps
  readonly org_id: number
  readonly enrollment_token: string
  /** Something to undo at the end, however that comes; the last first. */
  undo(step: () => Promise<unknown>): void
  /** Starts the server, on any free port unless `env` names one. */
  serve(env?: Readonly<Record<string, string>>): Promise<Server>
}

export interface Server {
  readonly port: number
  readonly child: ChildProcess
  stop(): Promise<void>
}

/** The outcome of a proof: its figures, and what fell short. */
export interface Outcome {
  figures: string
  faults: readonly string[]
}

/**
 * Runs a proof in its own world and prints one line. Exit code 1 when it does not hold, or takes longer than it may.
 */
export function proveInWorld(name: string, limit_ms: number, prove: (world: World) => Promise<Outcome>): Promise<void> {
  return runProof(name, limit_ms, async (undo) => prove(await openWorld(undo)))
}

/** The same for a proof that creates its world itself, and passes the steps that undo it to `undo`. */
export async function runProof(
  name: string,
  limit_ms: number,
  prove: (undo: World['undo']) => Promise<Outcome>,
): Promise<void> {
  const steps: (() => Promise<unknown>)[] = []
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => ending.abort(new Error(`told to end by ${signal}`)))
  }
  const late = setTimeout(() => ending.abort(new Error(`not done after ${limit_ms / 1000} s`)), limit_ms)
  const cutShort = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
  })
  const proven = prove((step) => void steps.push(step))
  const { figures, faults } = await Promise.race([proven, cutShort]).catch((error: unknown) => ({
    figures: 'no figures',
    faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  clearTimeout(late)
  for (const fault of faults.slice(0, 20)) process.stdout.write(`${name}: ${fault}\n`)
  process.stdout.write(`${name}: ${faults.length === 0 ? 'holds' : 'FELL SHORT'}: ${figures}\n`)
  for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error: unknown) => console.error(error))
  process.exit(faults.length === 0 ? 0 : 1)
}

/** A check to import; fields that are left out have the operator command's defaults. */
export interface CheckEntry {
  guid?: string
  name: string
  url: string
  interval_sec: number
  timeout_sec?: number
  enabled?: boolean
}

/** Assigns these checks to all monitors of the org, including ones added later. Returns their guids. */
export async function assignToAll({ deps, org_id }: World, entries: readonly CheckEntry[]): Promise<string[]> {
  return (await importChecks(deps, org_id, entries, 'all')).guids
}

/** Waits until `holds`, and returns whether it did within `limit_ms`. */
export async function until(holds: () => boolean | Promise<boolean>, limit_ms: number): Promise<boolean> {
  const end = performance.now() + limit_ms
  while (performance.now() < end) {
    if (await holds()) return true
    await pause(100)
  }
  return holds()
}

async function openWorld(undo: World['undo']): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-agent-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const options = { dataDir: join(folder, 'data'), random: systemRandom, throwaway: true, remove: true }
  const postgres = await openEmbeddedPostgres(options)
  undo(() => postgres.stop())
  await migrateToLatest(postgres.url)
  const database = openDatabase({ url: postgres.url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  // Limits that an operator has set by hand: a proof cannot wait for a plan's intervals.
  Object.assign(PLANS.team, { min_interval_sec: 1, max_checks: 0 })
  const { org_id } = await createOrganisation(deps, { name: 'o', plan: 'team', owner_email: 'o@example.com' })
  const { token: enrollment_token } = await createEnrollmentToken(deps, org_id)
  const serve = (env = {}) => startServer({ DATABASE_URL: postgres.url, PORT: '0', LOG_LEVEL: 'warn', ...env }, undo)
  return { folder, deps, org_id, enrollment_token, undo, serve }
}

async function startServer(env: Readonly<Record<string, string>>, undo: World['undo']): Promise<Server> {
  const child = spawn(process.execPath, [...SERVER_FLAGS, '--import', LIFELINE, SERVER, 'serve'], {
    // The caller names its own monitors.
    env: { PATH: process.env.PATH, LOCAL_MONITOR: 'off', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
  }
  undo(stop)
  return { port: await listeningPort(child), child, stop }
}

/** The port in the line that a server prints once it listens. */
export async function listeningPort({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('a server without output')
  for await (const line of createInterface({ input: stdout })) {
    const port = /listening on .*:(\d+)/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('the server ended before it listened')
}
