// Restarts the server for long-running processes when it ends by itself or is killed.
import { setTimeout as sleep } from 'node:timers/promises'

export interface KeepOptions {
  /** Interval between two checks of the server, in milliseconds. Default: 2000. */
  readonly every_ms?: number
  /** Handles a successful restart. */
  onRestart(): void
  /** Handles a failed start. After each failure, the next check comes later. */
  onFault(error: unknown): void
}

const LONGEST_MS = 30_000

/**
 * Restarts the server whenever it does not run, until the caller calls the returned function, which resolves when no start is in
 * progress.
 */
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
  // Rejects only when the returned function aborts a wait, which ends the loop.
  const kept = keep().catch(() => {})
  return () => {
    ending.abort()
    return kept
  }
}
