// Reuses an expensive result for a moment, so that many callers cause only one lookup.
import type { Clock } from './clock.ts'

/** Returns a function that yields the result of `look`, or its error, at most `ms` old. Callers during a lookup share it. */
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
