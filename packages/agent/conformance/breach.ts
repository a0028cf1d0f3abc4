// How a case ends other than well.

/** The agent did not do what the protocol asks. */
export class Breach extends Error {
  readonly expected: string
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`expected ${expected}; seen: ${seen}`)
    this.expected = expected
    this.seen = seen
  }
}

/** The agent leaves out what the case is about, and may. */
export class Skip extends Error {}

/** `expected` holds, or the case fails with what was seen. */
export function expect(expected: string, holds: boolean, seen: unknown): asserts holds {
  if (!holds) throw new Breach(expected, shown(seen))
}

export function shown(seen: unknown): string {
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen)
  return text.length > 800 ? `${text.slice(0, 800)}...` : text
}
