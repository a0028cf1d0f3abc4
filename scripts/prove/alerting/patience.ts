// For those who change something now and then while Postgres comes and goes.
import { setTimeout as pause } from 'node:timers/promises'

const AGAIN_MS = 500

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
