// The requests of a part that are in progress: how many places they take, and how fast those in line are done.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Place, SMALL_SHARE } from './shares.ts'

/** Until it is known how many are done in a second, so many times `at_once` are expected to be. */
const FIRST_PACE = 4
/** Over so many seconds that is averaged: longer than the moments in which nothing is done. */
const PACE_SEC = 3

/** A request, and its answer. */
export interface Visit {
  req: IncomingMessage
  res: ServerResponse
  began: number
  /** The client, once somebody asks: its address, or the /48 of IPv6. */
  network?: string
  /** When the client disconnected while we worked for it. */
  gone?: number
  /** Its place among the fair shares. */
  place?: Place
  isSmall?: boolean
  /** Whether its body was read and it waits for us alone. */
  isInLine?: boolean
}

/** The requests of a part that are in progress. */
export class Visits extends Set<Visit> {
  readonly #many: number
  readonly #now: () => number
  #small = 0
  #pace: number
  #passed: number

  /** With more than `many` requests it is measured how many are done in a second. */
  constructor(many: number, now: () => number) {
    super()
    this.#many = many
    this.#now = now
    this.#pace = FIRST_PACE * many
    this.#passed = now()
  }

  /** How many places they take. */
  get places(): number {
    return this.size - this.#small * (1 - SMALL_SHARE)
  }

  /** How many that were in line are done in a second while there is a line. */
  get pace(): number {
    this.#pass()
    return this.#pace
  }

  /** Its body was read, and from here on it waits for us. */
  lineUp(visit: Visit, isSmall: boolean): void {
    if (!this.has(visit)) return
    visit.isInLine = true
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

  override add(visit: Visit): this {
    this.#pass()
    return super.add(visit)
  }

  override delete(visit: Visit): boolean {
    if (!this.has(visit)) return false
    this.#pass()
    if (visit.isInLine && visit.gone === undefined && this.size > this.#many) this.#pace += 1 / PACE_SEC
    if (visit.isSmall) this.#small--
    return super.delete(visit)
  }

  /** Those that keep us waiting, and how many places they take. */
  awaited(): { requests: number; places: number } {
    let [requests, places] = [0, 0]
    for (const visit of this) {
      if (!keepsUsWaiting(visit)) continue
      requests++
      places += visit.isSmall ? SMALL_SHARE : 1
    }
    return { requests, places }
  }

  /** Time without a line tells nothing: less is done then because less comes. */
  #pass(): void {
    const now = this.#now()
    if (this.size > this.#many) this.#pace *= Math.exp((this.#passed - now) / (1000 * PACE_SEC))
    this.#passed = now
  }
}

/** Whether the body is incomplete, or the answer has not been read. */
export function keepsUsWaiting({ req, res }: Visit): boolean {
  return !req.complete || (res.headersSent && res.writableLength > 0)
}
