// Runs a proof: reads its flags, judges its outcome in one line, and ends everything that it started.
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ParseArgsConfig, parseArgs } from 'node:util'

export { freePort } from '../testing/free-port.ts'

/** Registers a function that runs at the end of the proof. The functions run in reverse order. */
export type Undo = (step: () => unknown) => void

export interface Outcome {
  /** Figures of the proof, which the output separates with semicolons. */
  figures: string | Texts
  faults: Texts
}

/** Messages. Items that are `false` or absent are left out of the output. */
export type Texts = readonly (string | false | undefined)[]

/** Returns the messages without those that are left out of the output. */
export function textsIn(texts: string | Texts): string[] {
  return [texts].flat().filter((text) => typeof text === 'string')
}

type Options = NonNullable<ParseArgsConfig['options']>

export const SEED = { type: 'string', default: String(Date.now() % 1e9) } as const
export const SWITCH = { type: 'boolean', default: false } as const

/** Reads the flags. With `--help` or a wrong flag, prints the first comment of the proof and exits. */
export function readFlags<const Of extends Options>(options: Of) {
  if (process.argv.includes('--help')) return exit(0, '')
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return exit(2, `${(error as Error).message}\n`)
  }
}

function exit(code: number, complaint: string): never {
  const [about = ''] = /^(?:\/\/.*\n)+/.exec(readFileSync(process.argv[1] ?? '', 'utf8')) ?? []
  const out = code === 0 ? process.stdout : process.stderr
  out.write(complaint + about.replaceAll(/^\/\/ ?/gm, ''))
  process.exit(code)
}

/** Runs a proof and prints its outcome. Exits with 1 if the proof finds a fault, or takes longer than `limit_ms`. */
export function runProof(name: string, limit_ms: number, prove: (undo: Undo) => Promise<Outcome>): Promise<never> {
  return runToEnd(name, limit_ms, async (undo) => {
    const outcome = await prove(undo)
    const [figures, faults] = [textsIn(outcome.figures), textsIn(outcome.faults)]
    for (const fault of faults.slice(0, 20)) process.stdout.write(`${name}: ${fault}\n`)
    const verdict = faults.length === 0 ? 'holds' : 'FELL SHORT'
    process.stdout.write(`${name}: ${verdict}: ${figures.join('; ')}\n`)
    return faults.length === 0 ? 0 : 1
  })
}

/**
 * Runs a script, ends everything that it started, and exits with the number that it returns. A signal or an error makes the exit
 * code 1.
 */
export async function runToEnd(name: string, limit_ms: number, work: (undo: Undo) => Promise<number>): Promise<never> {
  const steps: (() => unknown)[] = []
  const { promise: cutShort, reject } = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => reject(new Error(`ended by ${signal}`)))
  }
  const late = setTimeout(() => reject(new Error(`not done after ${limit_ms / 1000} s`)), limit_ms)
  const working = work((step) => void steps.push(step))
  const code = await Promise.race([working, cutShort]).catch((error: unknown) => {
    process.stdout.write(`${name}: FELL SHORT: ${error instanceof Error ? error.stack : String(error)}\n`)
    return 1
  })
  clearTimeout(late)
  await undoAll(steps)
  process.exit(code)
}

/** Runs the registered functions in reverse order. Prints their errors and continues. */
export async function undoAll(steps: (() => unknown)[]): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step()
    } catch (error) {
      process.stderr.write(`while clearing up: ${String(error)}\n`)
    }
  }
}

/** Makes a folder that is deleted at the end of the proof. */
export async function openFolder(undo: Undo): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-proof-'))
  undo(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  // Lets others pass through the folder, because a Postgres that root starts runs as another user.
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

/** Counts the things by their key. */
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
