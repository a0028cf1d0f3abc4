// By which time messages are due.
import type { Clock } from '../runtime/clock.ts'

/**
 * What is due by then is sent. While this process does not believe the database's time, others may: what they wrote goes out, too.
 */
export function dueBy({ clock }: { clock: Pick<Clock, 'now' | 'asTold'> }): Date {
  const [carried, told] = [clock.now(), clock.asTold()]
  return told > carried ? told : carried
}
