// Says in words what an alert waits for.

const WORDS = new Map(
  Object.entries({
    delay: 'if still open after the route’s delay',
    quiet: 'after quiet hours',
    step: 'if not acknowledged',
    maintenance: 'after scheduled maintenance',
    dependency: 'when the dependency recovers',
    grouping: 'while many checks fail on one monitor only',
    muted: 'when unmuted',
  }),
)

/** Returns the words for a stored `held_by`, which can have an id after a colon. */
export function holdWords(held_by: string): string {
  const [word = ''] = held_by.split(':')
  return WORDS.get(word) ?? 'when the hold ends'
}
