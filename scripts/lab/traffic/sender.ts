// Sends what is due for one client over a few persistent connections, and reports the outcomes.
import { type Answer, Lane } from '../lane.ts'
import type { RequestKind, Manner } from './orders.ts'
import type { Tallies } from './tallies.ts'

export interface Errand {
  kind: RequestKind
  /** On the clock of performance.now(). */
  due: number
  /** Returns the bytes at the time of sending. */
  make(): Buffer
  /** Receives a response of 200. */
  done?(answer: Answer): void
}

export class Sender {
  readonly #port: number
  readonly #manner: Manner
  readonly #tallies: Tallies
  readonly #waiting: Errand[] = []
  readonly #idle: Lane[] = []
  #lanes = 0
  #underWay = 0
  #isClosed = false

  constructor(port: number, manner: Manner, tallies: Tallies) {
    this.#port = port
    this.#manner = manner
    this.#tallies = tallies
  }

  /** Requests that are not answered yet. */
  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  get connections(): number {
    return this.#lanes
  }

  send(errand: Errand): void {
    const count = this.#tallies.of(errand.kind)
    count.due++
    if (this.#waiting.length >= this.#manner.waiting) {
      count.dropped++
      return
    }
    this.#waiting.push(errand)
    this.#go()
  }

  /** Opens a connection before there is anything to send. */
  async connect(): Promise<void> {
    if (this.#isClosed || this.#lanes > 0) return
    const lane = await this.#lane().catch(() => undefined)
    if (!lane) return
    if (this.#isClosed) lane.close()
    else this.#idle.push(lane)
  }

  /** Drops what waits. */
  forget(): void {
    this.#waiting.length = 0
  }

  /** Closes its connections, those in use when they are free. */
  close(): void {
    this.forget()
    this.#isClosed = true
    for (const lane of this.#idle.splice(0)) lane.close()
  }

  #go(): void {
    if (this.#waiting.length === 0 || this.#underWay >= this.#manner.lanes) return
    const errand = this.#waiting.shift()
    if (errand) void this.#run(errand)
  }

  async #run(errand: Errand): Promise<void> {
    this.#underWay++
    let lane: Lane | undefined
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      lane?.close()
    }, this.#manner.patience_ms)
    try {
      lane = await this.#lane()
      if (isLate) throw new Error('too late')
      this.#note(errand, await lane.ask(errand.make()))
    } catch {
      const count = this.#tallies.of(errand.kind)
      if (isLate) count.given_up++
      else count.broken++
      lane?.close()
    }
    clearTimeout(timer)
    this.#underWay--
    if (lane && this.#isClosed) lane.close()
    if (lane?.isOpen) this.#idle.push(lane)
    else if (lane) this.#lanes--
    this.#go()
  }

  /** Returns an open connection, because servers close idle ones. */
  async #lane(): Promise<Lane> {
    for (let lane = this.#idle.pop(); lane; lane = this.#idle.pop()) {
      if (lane.isOpen) return lane
      this.#lanes--
    }
    const lane = await Lane.open(this.#port)
    this.#lanes++
    return lane
  }

  #note({ kind, due, done }: Errand, answer: Answer): void {
    this.#tallies.answered(kind, answer.status, performance.now() - due)
    if (answer.status === 200) done?.(answer)
    else if (/^retry-after:/im.test(answer.head)) this.#tallies.of(kind).retry_after++
  }
}
