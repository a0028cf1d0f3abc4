// Makes sure that enough names can be looked up at a time. Each lookup blocks a thread, and lookups get half of the threads. With
// Node's default of four, eight dead names would delay all others.
import { accessSync, constants } from 'node:fs'
import type { LogEvent } from './log.ts'

/** Number of threads that the load of one agent needs. An idle thread costs next to nothing. */
const THREADS = 64
const THREADS_BY_DEFAULT = 4
const OWN_LOOKUPS = 2

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Restarts the process with these flags and settings, because Node reads them before our code runs. Keeps flags and settings that
 * are already set. Returns if no restart is necessary or possible.
 */
export function takeNodeSettings(flags: readonly string[], settings: Readonly<Record<string, string>>): void {
  const { execve, execPath, execArgv, argv, env } = process
  const missing = flags.filter((flag) => !isGiven(flag, [...execArgv, env.NODE_OPTIONS ?? '']))
  if ((isSet(env) && missing.length === 0) || typeof execve !== 'function' || !isRunnable(execPath)) return
  const kept = Object.entries(env).filter(([name, value]) => !Object.hasOwn(settings, name) || value?.trim())
  execve(execPath, [execPath, ...missing, ...execArgv, ...argv.slice(1)], { ...settings, ...Object.fromEntries(kept) })
}

/** Whether the flag is given, with any value. */
function isGiven(flag: string, given: readonly string[]): boolean {
  const name = flag.replace(/=.*/, '')
  return given.some((one) => one.includes(name))
}

/** Returns a warning if there are too few threads. */
export function fewLookupThreads(env: Environment): LogEvent | undefined {
  const threads = threadsOf(env)
  if (threads >= THREADS) return undefined
  return { event: 'few_lookup_threads', threads, advice: `set UV_THREADPOOL_SIZE=${THREADS} in the environment` }
}

/** Returns the maximum number of simultaneous lookups for checks, which leaves threads for the agent's own lookups. */
export function lookupThreads(env: Environment): number {
  const half = Math.floor((threadsOf(env) + 1) / 2)
  return half > 2 * OWN_LOOKUPS ? half - OWN_LOOKUPS : half
}

/** Returns the number of threads in the setting, as libuv reads it: a text that is no number counts as 0, and 0 counts as 1. */
function threadsOf(env: Environment): number {
  return isSet(env) ? Math.max(1, Number.parseInt(env.UV_THREADPOOL_SIZE ?? '', 10) || 0) : THREADS_BY_DEFAULT
}

function isSet({ UV_THREADPOOL_SIZE: size }: Environment): boolean {
  return size !== undefined && size.trim() !== ''
}

/** Whether the program can be executed. An update may have replaced it, and a process that fails to restart itself aborts. */
function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
