// Converts times by the clock of a zone to instants. Made for many times of one zone: Temporal takes 0.14 ms for each.

const DAY_MS = 86_400_000
const BLOCK_MS = 7 * DAY_MS
/** No clock is further from UTC. */
const FURTHEST_MS = 15 * 3_600_000
const MOST_FORMATS = 20

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats are slow to make, so a few are kept. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const kept = formats.get(zone)
  if (kept) return kept
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const [oldest] = formats.keys()
  if (formats.size >= MOST_FORMATS && oldest !== undefined) formats.delete(oldest)
  formats.set(zone, format)
  return format
}

/** Times that a clock shows are in milliseconds, as if it were that of UTC. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat
  readonly #offsets = new Map<number, number>()

  constructor(zone: string) {
    this.#format = formatOf(zone)
  }

  /** Returns the time that the clock shows at an instant. */
  wallAt(instant_ms: number): number {
    return instant_ms + this.#offsetAt(instant_ms)
  }

  /**
   * Returns the instant at which the clock shows a time: the first of two in autumn. A time that is skipped in spring is as late as its
   * distance from midnight says.
   */
  instantOf(wall_ms: number): number {
    // Clocks are changed weeks apart, so the offset is the same within days that have it at both ends.
    for (const block of [BLOCK_MS, DAY_MS]) {
      const start = Math.floor(wall_ms / block) * block
      const before = this.#offsetAt(start - FURTHEST_MS)
      if (before === this.#offsetAt(start + block + FURTHEST_MS)) return wall_ms - before
    }
    const before = this.#offsetAt(wall_ms - DAY_MS)
    const first = wall_ms - before
    if (this.#offsetAt(first) === before) return first
    const second = wall_ms - this.#offsetAt(wall_ms + DAY_MS)
    return this.wallAt(second) === wall_ms ? second : first
  }

  #offsetAt(instant_ms: number): number {
    const kept = this.#offsets.get(instant_ms)
    if (kept !== undefined) return kept
    const second_ms = Math.floor(instant_ms / 1000) * 1000
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
      this.#format.format(second_ms).match(/\d+/g) ?? []
    ).map(Number)
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - second_ms
    this.#offsets.set(instant_ms, offset)
    return offset
  }
}
