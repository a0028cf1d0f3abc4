// Decides when new results are uploaded. An upload costs the server far more than a result in it, so results that are not urgent
// are gathered.

/** Wait after an upload, in milliseconds: `NEWS_MS` if an urgent result waits, otherwise `GATHER_MS`. */
const NEWS_MS = 2000
const GATHER_MS = 5000

export class Gathering {
  #hasNews = false
  /** Time at which the last upload emptied the buffer. Absent if the next upload need not wait for more results. */
  #emptiedAt: number | undefined

  /** Whether the next upload waits only so that more results come together. An urgent result can shorten that wait. */
  get isOn(): boolean {
    return this.#emptiedAt !== undefined
  }

  /** Records an urgent result: one that people may be waiting for. */
  hurry(): void {
    this.#hasNews = true
  }

  /** Returns the time until the gathered results may be uploaded, in milliseconds. */
  left(now: number): number {
    return this.#emptiedAt === undefined ? 0 : Math.max(0, this.#emptiedAt + this.#wait - now)
  }

  /**
   * Marks the start of an upload, because an urgent result that arrives later may miss it. Returns whether an urgent result was
   * waiting.
   */
  begin(): boolean {
    const hadNews = this.#hasNews
    this.#emptiedAt = undefined
    this.#hasNews = false
    return hadNews
  }

  /** Records that an upload has emptied the buffer. Returns the time until the next upload, in milliseconds. */
  emptied(now: number): number {
    this.#emptiedAt = now
    return this.#wait
  }

  /** Lets the next upload begin without a wait for more results. */
  end(): void {
    this.#emptiedAt = undefined
  }

  get #wait(): number {
    return this.#hasNews ? NEWS_MS : GATHER_MS
  }
}
