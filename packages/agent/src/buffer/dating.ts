// Knows which clock dated the waiting results, so that an upload is sent with the time of that clock.
import { tickOf } from './buffer-keys.ts'

interface WrongDates {
  /** The results whose keys have ticks after the first and up to the second. */
  after: number
  until: number
  /** How far the clock that dated them was ahead. */
  ahead_ms: number
}

export class Dating {
  /** Results that were dated by a time that nobody had told, and that proved wrong. */
  misdated: WrongDates | undefined

  /** Returns the first of these results that one clock has dated, because an upload tells the time of one. */
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
