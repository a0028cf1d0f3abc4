// Counts the requests of a part that are in progress, and the slots that they occupy.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Place, SMALL_SHARE } from './shares.ts'

/** A request and its response. */
export interface Visit {
  req: IncomingMessage
  res: ServerResponse
  began: number
  /** Network of the client, once it was read: its address, or the /48 of IPv6. */
  network?: string
  /** Time at which the client disconnected while we worked for it. */
  gone?: number
  /** Slot among the fair shares. */
  place?: Place
  isSmall?: boolean
}

/** The requests of a part that are in progress. */
export class Visits extends Set<Visit> {
  #small = 0

  /** Number of slots that they occupy. */
  get places(): number {
    return this.size - this.#small * (1 - SMALL_SHARE)
  }

  /** Marks a body as read: from now on the request waits for us. */
  lineUp(visit: Visit, isSmall: boolean): void {
    if (!this.has(visit)) return
    if (isSmall) this.shrink(visit)
    else this.#grow(visit)
  }

  shrink(visit: Visit): void {
    if (visit.isSmall) return
    visit.isSmall = true
    this.#small++
  }

  #grow(visit: Visit): void {
    if (!visit.isSmall) return
    visit.isSmall = false
    this.#small--
  }

  override delete(visit: Visit): boolean {
    if (!this.has(visit)) return false
    if (visit.isSmall) this.#small--
    return super.delete(visit)
  }

  /** Counts the requests that keep us waiting, and the slots that they occupy. */
  awaited(): { requests: number; places: number } {
    let [requests, places] = [0, 0]
    for (const visit of this) {
      if (!keepsUsWaiting(visit)) continue
      requests++
      places += visit.isSmall ? SMALL_SHARE : 1
    }
    return { requests, places }
  }
}

/** Whether the body is incomplete, or the response has not been read. */
export function keepsUsWaiting({ req, res }: Visit): boolean {
  return !req.complete || (res.headersSent && res.writableLength > 0)
}
