// Passes on the input of a socket as long as this turn of the event loop has time for it, and the rest of the input in later
// turns.
import type { Socket } from 'node:net'
import type { Attempt } from '../attempt.ts'
import { inTurn, isTurnOver, type PendingWork, waitForTurn } from '../turns.ts'

/** Length of a slice, in bytes. Even if it consists of thousands of parts, it is parsed in a few milliseconds. */
const SLICE_BYTES = 8 * 1024

/** Input from a socket. Null is its end. */
export type Input = Buffer | null

/** Receives the next input. Returns false if no more should be read for now. */
type Take = (input: Input) => boolean

export class InputPacer implements PendingWork {
  spent_ms = 0
  #isSliced = false
  readonly #attempt: Attempt
  readonly #socket: Socket
  readonly #take: Take
  readonly #held: Input[] = []
  #waits = false

  constructor(attempt: Attempt, socket: Socket, take: Take) {
    this.#attempt = attempt
    this.#socket = socket
    this.#take = take
  }

  /** Adds an input. Returns false if the socket should not read more for now. */
  add(input: Input): boolean {
    this.#held.push(input)
    return this.#waits ? false : this.#work()
  }

  /**
   * Starts to pass on large inputs in slices. If the part of this input after `end` is large, queues that part and returns only
   * the part before it.
   */
  slice(input: Buffer, end: number): Buffer {
    this.#isSliced = true
    if (input.length - end <= SLICE_BYTES) return input
    this.#held.unshift(input.subarray(end))
    return input.subarray(0, end)
  }

  goOn(): void {
    this.#waits = false
    this.#attempt.goesOn()
    if (this.#socket.destroyed) return
    this.#attempt.guard(() => {
      // Requests more input, because the reader may have stopped requesting while all input was in the queue.
      if (this.#work() && !this.#socket.destroyed) this.#socket._read(0)
    })
  }

  #work(): boolean {
    let isTaken = true
    while (this.#held.length > 0 && !this.#socket.destroyed) {
      if (isTurnOver()) return this.#wait()
      isTaken = inTurn(this, () => this.#take(this.#next()))
    }
    return isTaken
  }

  #wait(): false {
    this.#waits = true
    this.#attempt.waits()
    waitForTurn(this)
    return false
  }

  #next(): Input {
    const next = this.#held.shift() ?? null
    if (!this.#isSliced || !next || next.length <= SLICE_BYTES) return next
    this.#held.unshift(next.subarray(SLICE_BYTES))
    return next.subarray(0, SLICE_BYTES)
  }
}
