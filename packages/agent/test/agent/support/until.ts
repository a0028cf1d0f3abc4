// Waits for what nobody tells of.
import { setTimeout as pause } from 'node:timers/promises'

/** Looks every few milliseconds: to look without a pause keeps a whole processor from everything else. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(5)
}
