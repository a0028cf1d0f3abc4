// Records which clock dated the waiting results, so that an upload has the time of that clock.
import { tickOf } from './buffer-keys.ts'

interface WrongDates {
  /** Bounds of the ticks in the keys of these results: after the first, and up to and including the second. */
  after: number
  until: number
  /** Lead of the clock that dated them, in milliseconds. */
  ahead_ms: number
}

export class Dating {
  /** Results that were dated by an assumed time, before the server sent its own, if that time proved wrong. */
  misdated: WrongDates | undefined

  /** Returns the first results up to a change of clock, because an upload carries the time of one clock. */
  alike<Kept extends { key: string }>(kept: readonly Kept[]): Kept[] {
    const other = kept.findIndex((one) => this.aheadOf(one) !== this.aheadOf(kept[0]))
    return kept.slice(0, other < 0 ? kept.length : other)
  }

  /** Returns by how many milliseconds the clock that dated a result was ahead. */
  aheadOf(kept: { key: string } | undefined): number {
    if (!kept || !this.misdated) return 0
    const { after, until, ahead_ms } = this.misdated
    const tick = tickOf(kept.key)
    return tick > after && tick <= until ? ahead_ms : 0
  }
}
