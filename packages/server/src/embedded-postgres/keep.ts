// Sees to it that a server which ends by itself or is killed runs again, for processes that stay.
import { setTimeout as sleep } from 'node:timers/promises'

export interface KeepOptions {
  /** How often it looks; 1000 when left out. */
  readonly every_ms?: number
  /** Told when the server runs again. */
  onRestart(): void
  /** Told when it could not be started; the next look comes later each time. */
  onFault(error: unknown): void
}

const LONGEST_MS = 30_000

/** Looks until the returned function is called, which resolves when no start is under way any more. */
export function keepRunning(
  isRunning: () => boolean,
  start: () => Promise<void>,
  { every_ms = 1000, onRestart, onFault }: KeepOptions,
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
  // It ends by being told to, between two looks.
  const kept = keep().catch(() => {})
  return () => {
    ending.abort()
    return kept
  }
}
