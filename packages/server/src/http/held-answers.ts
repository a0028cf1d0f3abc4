// Delays refusals, so that a client which retries at once does so once a second and not a thousand times.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endLine } from './linger.ts'

const HOLD_MS = 1000
/** Maximum number of delayed refusals. Others are sent at once. */
const MOST_HELD = 2000

export class HeldAnswers {
  readonly #hold_ms: number
  #held = 0

  constructor(hold_ms = HOLD_MS) {
    this.#hold_ms = hold_ms
  }

  /** Ends a response after a delay. The caller must have set its status and headers. */
  end(req: IncomingMessage, res: ServerResponse, line: string): void {
    if (this.#held >= MOST_HELD) {
      endLine(req, res, line)
      return
    }
    this.#held++
    const timer = setTimeout(() => endLine(req, res, line), this.#hold_ms)
    res.once('close', () => {
      this.#held--
      clearTimeout(timer)
    })
  }
}
