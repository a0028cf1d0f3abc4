// What is costly to find out and may be a moment old: however many ask, it is looked up once.
import type { Clock } from './clock.ts'

/** What `look` finds, or how it fails, at most `ms` old. Those who ask meanwhile wait for the same. */
export function fresh<T>(clock: Pick<Clock, 'monotonicMs'>, ms: number, look: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  let foundAt: number | undefined
  return () => {
    if (found && (foundAt === undefined || clock.monotonicMs() - foundAt < ms)) return found
    foundAt = undefined
    const looking = look()
    const note = () => void (foundAt = clock.monotonicMs())
    looking.then(note, note)
    return (found = looking)
  }
}
