// When new results are uploaded: an upload costs the server far more than a result in it, so those that nobody waits for are gathered.

/** How soon after an upload news may follow, and how long results without news are gathered. */
const NEWS_MS = 2000
const GATHER_MS = 5000

export class Gathering {
  #hasNews = false
  /** When the last upload emptied the buffer; undefined: nothing is gathered. */
  #emptiedAt: number | undefined

  /** True while the next upload waits for results to be gathered, and for nothing else: news may shorten that wait. */
  get isOn(): boolean {
    return this.#emptiedAt !== undefined
  }

  /** A result came that people may be waiting for. */
  hurry(): void {
    this.#hasNews = true
  }

  /** How many milliseconds are left until what waits may be uploaded. */
  left(now: number): number {
    return this.#emptiedAt === undefined ? 0 : Math.max(0, this.#emptiedAt + this.#wait - now)
  }

  /** What waits is about to be read: news that comes from here on may miss it. Returns whether there was any. */
  begin(): boolean {
    const hadNews = this.#hasNews
    this.#emptiedAt = undefined
    this.#hasNews = false
    return hadNews
  }

  /** Everything was uploaded. Returns after how many milliseconds the next upload may go. */
  emptied(now: number): number {
    this.#emptiedAt = now
    return this.#wait
  }

  /** What waits is not gathered any longer. */
  end(): void {
    this.#emptiedAt = undefined
  }

  get #wait(): number {
    return this.#hasNews ? NEWS_MS : GATHER_MS
  }
}
