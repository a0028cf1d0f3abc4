// The server's limit for one client address: about 10 requests a second, 30 at once.

const PER_SEC = 10
const BURST = 30

export class RateLimit {
  #room = BURST
  #at = Date.now()

  /** False when this request is one too many. */
  take(): boolean {
    const now = Date.now()
    this.#room = Math.min(BURST, this.#room + ((now - this.#at) / 1000) * PER_SEC)
    this.#at = now
    if (this.#room < 1) return false
    this.#room -= 1
    return true
  }
}
