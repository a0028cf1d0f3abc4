// When a result was found, as it is told: a result is known by its check and this time, so two of one check never share one.

/** So far a stamp may be ahead of the time because runs came close together. Beyond that, the clock was set back. */
const AHEAD_MAX_MS = 1000
const ERAS = 1000

interface Stamp {
  at: number
  /** How often the clock was set back under this check. It is told as microseconds, which runs do not have otherwise. */
  era: number
}

export class Stamps {
  readonly #last = new Map<string, Stamp>()

  /** The time `now`, in milliseconds since the Unix epoch, as RFC 3339: never the same again for this check. */
  next(guid: string, now: number): string {
    const stamp = after(this.#last.get(guid), Math.floor(now))
    this.#last.set(guid, stamp)
    return textOf(stamp)
  }

  forgetAllBut(guids: { has: (guid: string) => boolean }): void {
    for (const guid of this.#last.keys()) if (!guids.has(guid)) this.#last.delete(guid)
  }
}

function after(last: Stamp | undefined, now: number): Stamp {
  if (!last || now > last.at) return { at: now, era: last?.era ?? 0 }
  if (last.at - now < AHEAD_MAX_MS) return { at: last.at + 1, era: last.era }
  // Time that was told before comes again: results of now are told from those of then by their era.
  return { at: now, era: (last.era + 1) % ERAS }
}

function textOf({ at, era }: Stamp): string {
  const text = new Date(at).toISOString()
  return era === 0 ? text : text.replace('Z', `${String(era).padStart(3, '0')}Z`)
}
