// The time as the scripted server tells it: never the same twice, to the microsecond, and off the local clock if a case wants.

export class ServerTime {
  /** What the server's clock is ahead of this machine's, in milliseconds. */
  readonly ahead_ms: number
  #last_us = 0n

  constructor(ahead_ms: number) {
    this.ahead_ms = ahead_ms
  }

  /** The time itself, as the wire has it. */
  now(): string {
    return new Date(Date.now() + this.ahead_ms).toISOString().replace('Z', '000Z')
  }

  /** The cursor, as the wire has it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`, later than each one told before. */
  tell(): string {
    const now_us = BigInt(Date.now() + this.ahead_ms) * 1000n
    // Digits below the millisecond, so that a cursor which went through a coarser clock shows.
    this.#last_us = (now_us > this.#last_us ? now_us + 123n : this.#last_us) + 1n
    const whole = new Date(Number(this.#last_us / 1000n)).toISOString().slice(0, -1)
    return `${whole}${String(this.#last_us % 1000n).padStart(3, '0')}Z`
  }
}
