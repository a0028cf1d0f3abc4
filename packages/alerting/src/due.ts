// Decides which deliveries are due.
import type { Clock } from '@dogwatch/runtime/clock'

/**
 * Returns the time until which deliveries count as due: the later of this process's own time and the database time, so that
 * deliveries written by processes that trust the database are not delayed.
 */
export function dueBy({ clock }: { clock: Pick<Clock, 'now' | 'asTold'> }): Date {
  const [carried, told] = [clock.now(), clock.asTold()]
  return told > carried ? told : carried
}
