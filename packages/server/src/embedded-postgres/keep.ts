// Restarts the server when it ends by itself or is killed, for long-running processes.
import { setTimeout as sleep } from 'node:timers/promises'

export interface KeepOptions {
  /** How often to check, in milliseconds; 2000 by default. */
  readonly every_ms?: number
  /** Called when the server runs again. */
  onRestart(): void
  /** Called when it could not be started; each further check comes later. */
  onFault(error: unknown): void
}

const LONGEST_MS = 30_000

/** Checks until the returned function is called, which resolves when no start is in progress any more. */
export function keepRunning(
  isRunning: () => boolean,
  start: () => Promise<void>,
  { every_ms = 2000, onRestart, onFault }: KeepOptions,
): () => Promise<void> {
  const ending = new AbortController()
  const keep = async (): Promise<void> => {
    let wait_ms = every_ms
    for (;;) {
      await sleep(wait_ms, undefined, { signal: ending.signal, ref: false })
      if (isRunning()) continue
      try {
        await start()
        wait_ms = every_ms
        onRestart()
      } catch (error) {
        wait_ms = Math.min(wait_ms * 2, LONGEST_MS)
        onFault(error)
      }
    }
  }
  // Only the returned function ends this loop, between two checks.
  const kept = keep().catch(() => {})
  return () => {
    ending.abort()
    return kept
  }
}
