// What an alert waits for, in words.

const WORDS = new Map(
  Object.entries({
    delay: 'if it lasts as long as its route waits',
    quiet: 'after the quiet hours',
    step: 'if nobody has acknowledged it',
    maintenance: 'after the maintenance',
    dependency: 'when what it depends on is up again',
    grouping: 'while many checks fail from its monitor and from nowhere else',
    muted: 'when it is no longer muted',
  }),
)

/** For people: `held_by` as it is stored, with an id behind a colon or without. */
export function holdWords(held_by: string): string {
  const [word = ''] = held_by.split(':')
  return WORDS.get(word) ?? 'when nothing holds it back'
}
