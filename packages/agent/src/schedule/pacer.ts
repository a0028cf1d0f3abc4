// Spreads starts: many handshakes at once slow each other down, which would look as if the targets were slow.

export class Pacer {
  readonly #gap_ms: number
  readonly #burst_ms: number
  #next = Number.NEGATIVE_INFINITY

  /** At most `perSecond` starts a second, of which up to a twentieth may come at once. */
  constructor(perSecond: number) {
    this.#gap_ms = 1000 / perSecond
    this.#burst_ms = 50
  }

  /** Milliseconds until the next start may be; 0 when one may be now, which is then taken. */
  take(now: number): number {
    // It cannot be more than one gap ahead, unless the time was set back.
    const next = this.#next > now + this.#gap_ms ? now : this.#next
    const earliest = Math.max(next, now - this.#burst_ms)
    if (earliest > now) return earliest - now
    this.#next = earliest + this.#gap_ms
    return 0
  }
}
