// Makes sure that enough names can be looked up at a time: each lookup blocks a thread, lookups get half of them, and
// with Node's default of four, eight dead names hold up all others.
import { accessSync, constants } from 'node:fs'
import type { LogEvent } from './log.ts'

/** As many as the load of one agent needs; a thread that does nothing costs next to nothing. */
const THREADS = 64
const THREADS_BY_DEFAULT = 4
const OWN_LOOKUPS = 2

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Node reads the number, and these flags, before any of our code runs. Unless somebody has set them, the process
 * restarts itself with the number in its environment. Returns where that is not possible.
 */
export function takeNodeSettings(flags: readonly string[]): void {
  const { execve, execPath, execArgv, argv, env } = process
  const missing = flags.filter((flag) => !isGiven(flag, [...execArgv, env.NODE_OPTIONS ?? '']))
  if ((isSet(env) && missing.length === 0) || typeof execve !== 'function' || !isRunnable(execPath)) return
  const { UV_THREADPOOL_SIZE = String(THREADS) } = isSet(env) ? env : {}
  execve(execPath, [execPath, ...missing, ...execArgv, ...argv.slice(1)], { ...env, UV_THREADPOOL_SIZE })
}

/** Whatever value it has. */
function isGiven(flag: string, given: readonly string[]): boolean {
  const name = flag.replace(/=.*/, '')
  return given.some((one) => one.includes(name))
}

/** A warning, when there are fewer than it takes. */
export function fewLookupThreads(env: Environment): LogEvent | undefined {
  const threads = threadsOf(env)
  if (threads >= THREADS) return undefined
  return { event: 'few_lookup_threads', threads, advice: `set UV_THREADPOOL_SIZE=${THREADS} in the environment` }
}

/** How many names may be looked up at a time, so that those of the agent itself need not wait. */
export function lookupThreads(env: Environment): number {
  const half = Math.floor((threadsOf(env) + 1) / 2)
  return half > 2 * OWN_LOOKUPS ? half - OWN_LOOKUPS : half
}

/** Words are read as 0 there, and 0 as 1. */
function threadsOf(env: Environment): number {
  return isSet(env) ? Math.max(1, Number.parseInt(env.UV_THREADPOOL_SIZE ?? '', 10) || 0) : THREADS_BY_DEFAULT
}

function isSet({ UV_THREADPOOL_SIZE: size }: Environment): boolean {
  return size !== undefined && size.trim() !== ''
}

/** The program may have been replaced since; a process that cannot restart itself aborts. */
function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
