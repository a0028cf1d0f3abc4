// Runs a proof: reads its flags, judges its outcome in one line, and ends everything that it started.
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Registers a step for the end of the proof. The last step runs first. */
export type Undo = (step: () => unknown) => void

export interface Outcome {
  /** Separated by semicolons in the output. */
  figures: string | readonly string[]
  faults: Texts
}

/** Messages, without those that are `false` or absent. */
export type Texts = readonly (string | false | undefined)[]

type Options = NonNullable<ParseArgsConfig['options']>

export const SEED = { type: 'string', default: String(Date.now() % 1e9) } as const
export const SWITCH = { type: 'boolean', default: false } as const

/** Reads the flags. With `--help` or a wrong flag, prints the first comment of the proof and exits. */
export function readFlags<const Of extends Options>(options: Of, takesPatterns = false) {
  if (process.argv.includes('--help')) return exit(0, '')
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: takesPatterns })
    return { ...values, patterns: positionals }
  } catch (error) {
    return exit(2, `${(error as Error).message}\n`)
  }
}

function exit(code: number, complaint: string): never {
  const lines = readFileSync(process.argv[1] ?? '', 'utf8').split('\n')
  const about = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  )
  const out = code === 0 ? process.stdout : process.stderr
  out.write(`${complaint}${about.map((line) => line.slice(3)).join('\n')}\n`)
  process.exit(code)
}

/** Runs a proof and prints its outcome. Exits with 1 if there is a fault, or if it takes longer than `limit_ms`. */
export async function runProof(name: string, limit_ms: number, prove: (undo: Undo) => Promise<Outcome>): Promise<void> {
  const steps: (() => unknown)[] = []
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => ending.abort(new Error(`ended by ${signal}`)))
  }
  const late = setTimeout(() => ending.abort(new Error(`not done after ${limit_ms / 1000} s`)), limit_ms)
  const cutShort = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
  })
  const proven = prove((step) => void steps.push(step))
  const outcome: Outcome = await Promise.race([proven, cutShort]).catch((error: unknown) => ({
    figures: 'no figures',
    faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  clearTimeout(late)
  const faults = outcome.faults.filter((fault) => typeof fault === 'string')
  const figures = typeof outcome.figures === 'string' ? outcome.figures : outcome.figures.join('; ')
  for (const fault of faults.slice(0, 20)) process.stdout.write(`${name}: ${fault}\n`)
  process.stdout.write(`${name}: ${faults.length === 0 ? 'holds' : 'FELL SHORT'}: ${figures}\n`)
  await undoAll(steps)
  process.exit(faults.length === 0 ? 0 : 1)
}

/** Runs the steps, the last one first. Prints errors and continues. */
export async function undoAll(steps: (() => unknown)[]): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step()
    } catch (error) {
      process.stderr.write(`while clearing up: ${String(error)}\n`)
    }
  }
}

/** Makes a folder for the time of the proof. */
export async function openFolder(undo: Undo): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-proof-'))
  undo(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  return folder
}

/** Waits until the condition holds. Returns whether it did within `limit_ms`. */
export async function until(holds: () => boolean | Promise<boolean>, limit_ms: number): Promise<boolean> {
  const end = performance.now() + limit_ms
  while (performance.now() < end) {
    if (await holds()) return true
    await pause(100)
  }
  return holds()
}

/** Waits until the condition holds. Throws the message if it does not within `limit_ms`. */
export async function need(
  holds: () => boolean | Promise<boolean>,
  limit_ms: number,
  message: string | (() => string),
): Promise<void> {
  if (!(await until(holds, limit_ms))) throw new Error(typeof message === 'string' ? message : message())
}

/** Listens on a free port of an address of this machine until the proof ends. Returns the port. */
export async function listen(server: Server, undo: Undo, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, host, resolve))
  undo(() => {
    server.close()
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  })
  return (server.address() as AddressInfo).port
}

/** Returns ports without a listening program. */
export async function freePorts(count: number): Promise<number[]> {
  const steps: (() => unknown)[] = []
  const ports = await Promise.all(
    Array.from({ length: count }, () => listen(createServer(), (step) => void steps.push(step))),
  )
  await undoAll(steps)
  return ports
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Counts the things of each key. */
export function countBy<Thing>(things: Iterable<Thing>, keyOf: (thing: Thing) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1)
  return counts
}

/** Formats counts like `2 a, 1 b`, the largest first. */
export function tally(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  return sorted.map(([what, count]) => `${count} ${what}`).join(', ') || 'none'
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
