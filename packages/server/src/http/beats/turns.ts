// One after the other: a job that calls without end waits for itself, with one connection to the database and not all.

export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Does the work when all that was given before under this key is done. A failure is nobody's but its own. */
  async take(key: string, work: () => Promise<void>): Promise<void> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.catch(() => {})
    this.#last.set(key, over)
    try {
      await mine
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key)
    }
  }
}
