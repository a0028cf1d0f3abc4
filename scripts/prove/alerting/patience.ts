// For those who change something now and then while Postgres comes and goes.
import { setTimeout as pause } from 'node:timers/promises'

const AGAIN_MS = 500

/** How long a message may take while nothing is killed. */
export const TOLD_MS = 150_000
const LOOK_MS = 100

/**
 * Waits until somebody has heard. Patience counts from the last kill: who is killed while it sends keeps a message for a minute, and that
 * may happen to one message several times. `killed_ms`: when that was, by the monotonic clock.
 */
export async function isHeardInTime(hears: () => boolean, killed_ms: () => number): Promise<boolean> {
  const began = performance.now()
  while (performance.now() < Math.max(began, killed_ms()) + TOLD_MS) {
    if (hears()) return true
    await pause(LOOK_MS)
  }
  return hears()
}

/** Postgres may be away: it is tried until it works. */
export async function stubbornly<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch {
      await pause(AGAIN_MS)
    }
  }
}

export async function pauseUnless(isOver: () => boolean, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end && !isOver(); ) await pause(Math.min(AGAIN_MS, end - Date.now()))
}
