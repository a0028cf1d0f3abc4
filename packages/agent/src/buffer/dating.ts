// Records which clock dated the waiting results, so that an upload has the time of that clock.
import { tickOf } from './buffer-keys.ts'

interface WrongDates {
  /** Range of the times in the keys of these results, in microseconds: above `after`, up to and including `until`. */
  after: number
  until: number
  /** Lead over the server time of the clock that dated these results, in milliseconds. */
  ahead_ms: number
}

export class Dating {
  /** Results that were dated by an assumed time, before the server sent its own, if that time proved wrong. */
  misdated: WrongDates | undefined

  /** Returns the first results that the same clock dated, because an upload carries the time of one clock. */
  alike<Kept extends { key: string }>(kept: readonly Kept[]): Kept[] {
    const other = kept.findIndex((one) => this.aheadOf(one) !== this.aheadOf(kept[0]))
    return kept.slice(0, other < 0 ? kept.length : other)
  }

  /** Returns the lead over the server time of the clock that dated a result, in milliseconds. */
  aheadOf(kept: { key: string } | undefined): number {
    if (!kept || !this.misdated) return 0
    const { after, until, ahead_ms } = this.misdated
    const tick = tickOf(kept.key)
    return tick > after && tick <= until ? ahead_ms : 0
  }
}
