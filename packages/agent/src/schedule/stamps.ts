// Assigns the time that is sent with each result. The server identifies a result by its check and this time, so two results of a
// check never have the same time.

/** Maximum lead of a result's time over the clock, in milliseconds. A larger lead means that the clock was set back. */
const AHEAD_MAX_MS = 1000
const ERAS = 1000

interface Stamp {
  at: number
  /**
   * Number of times that the clock was set back, modulo `ERAS`. It is sent as the microseconds of a result's time, which are
   * otherwise always 0.
   */
  era: number
}

export class Stamps {
  readonly #last = new Map<string, Stamp>()

  /**
   * Returns the time `now`, in milliseconds since the Unix epoch, as RFC 3339. For one check, never returns the same text twice.
   */
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
  // The clock repeats times that earlier results have. The era makes the new times differ from them.
  return { at: now, era: (last.era + 1) % ERAS }
}

function textOf({ at, era }: Stamp): string {
  const text = new Date(at).toISOString()
  return era === 0 ? text : text.replace('Z', `${String(era).padStart(3, '0')}Z`)
}
