// Spreads the starts of runs, because many simultaneous TLS handshakes slow each other down, and the targets would look slow.

export class Pacer {
  readonly #gap_ms: number
  readonly #burst_ms: number
  #next = Number.NEGATIVE_INFINITY

  /** Allows `perSecond` starts in a second. Up to a twentieth of them may happen at the same moment. */
  constructor(perSecond: number) {
    this.#gap_ms = 1000 / perSecond
    this.#burst_ms = 50
  }

  /** Returns the milliseconds until the next run may start. If they are 0, counts the start as made. */
  take(now: number): number {
    // `#next` is at most one gap ahead, unless the time was set back.
    const next = this.#next > now + this.#gap_ms ? now : this.#next
    const earliest = Math.max(next, now - this.#burst_ms)
    if (earliest > now) return earliest - now
    this.#next = earliest + this.#gap_ms
    return 0
  }
}
