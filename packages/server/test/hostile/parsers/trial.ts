// What tries a parser with a text.

/** Gives a text to a parser. */
export type Trial = (text: string) => unknown

/** Returns the result of the work, or its error, so that the other forms of a text are tried, too. */
export function refused(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
