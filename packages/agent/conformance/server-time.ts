// The time as the scripted server tells it, off the local clock if a case wants, and its cursor, which is not the time.

export class ServerTime {
  /** What the server's clock is ahead of this machine's, in milliseconds. */
  readonly ahead_ms: number
  /** What the cursor is ahead of the server's clock. */
  readonly #cursor_ahead_ms: number
  #last_us = 0n

  constructor(ahead_ms: number, cursor_ahead_ms = 0) {
    this.ahead_ms = ahead_ms
    this.#cursor_ahead_ms = cursor_ahead_ms
  }

  /** As the wire has it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  now(): string {
    return textOf(BigInt(Date.now() + this.ahead_ms) * 1000n)
  }

  /** The clock of changes: later than each one told before, to the microsecond. */
  cursor(): string {
    const now_us = BigInt(Date.now() + this.ahead_ms + this.#cursor_ahead_ms) * 1000n
    // Digits below the millisecond, so that a cursor which went through a coarser clock shows.
    this.#last_us = (now_us > this.#last_us ? now_us + 123n : this.#last_us) + 1n
    return textOf(this.#last_us)
  }
}

function textOf(us: bigint): string {
  const whole = new Date(Number(us / 1000n)).toISOString().slice(0, -1)
  return `${whole}${String(us % 1000n).padStart(3, '0')}Z`
}
