// What an alert waits for, in words.

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

/** For people: `held_by` as it is stored, with an id behind a colon or without. */
export function holdWords(held_by: string): string {
  const [word = ''] = held_by.split(':')
  return WORDS.get(word) ?? 'when the hold ends'
}
