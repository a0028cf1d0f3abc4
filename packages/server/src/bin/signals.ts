// Handles signals that end a process: the first one requests the end, a second one speeds it up.

export class Signals {
  /** Resolves at the first signal. */
  readonly first: Promise<void>
  /** Aborted at the second signal. */
  readonly second: AbortSignal

  constructor() {
    const second = new AbortController()
    this.second = second.signal
    this.first = new Promise((resolve) => {
      let count = 0
      // Never removed, because Ctrl-C can reach this process twice: from the terminal, and from the process that
      // started it.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(signal, () => (++count === 1 ? resolve() : second.abort()))
      }
    })
  }

  /**
   * Returns a signal that aborts after `ms`, or `hurried_ms` after the second signal. The wait does not keep the process alive.
   */
  after(ms: number, hurried_ms: number): AbortSignal {
    const over = new AbortController()
    const end = () => over.abort()
    setTimeout(end, ms).unref()
    const hurry = () => setTimeout(end, hurried_ms).unref()
    if (this.second.aborted) hurry()
    else this.second.addEventListener('abort', hurry)
    return over.signal
  }
}
