// Refuses requests before the app, as cheaply as possible. Can delay refusals, so that a client that retries at once
// does so once a second instead of a thousand times.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '@dogwatch/runtime/ids'
import type { Random } from '@dogwatch/runtime/random'
import { endLine } from './linger.ts'
import { refusalFor } from './problem.ts'

const HOLD_MS = 1000
/** Maximum number of delayed refusals at the same time. Further ones are sent at once. */
const MOST_HELD = 4000

export interface EarlyRefusal {
  status: number
  line: string
  retry_sec: number
  isDelayed: boolean
}

export class EarlyRefusals {
  readonly #random: Random
  readonly #hold_ms: number
  #held = 0

  /** Creates the refusals. `hold_ms` is the delay of delayed refusals. */
  constructor(random: Random, hold_ms = HOLD_MS) {
    this.#random = random
    this.#hold_ms = hold_ms
  }

  send(req: IncomingMessage, res: ServerResponse, { status, line, retry_sec, isDelayed }: EarlyRefusal): void {
    const { type, text } = refusalFor(req, req.url ?? '', { status, line })
    res.statusCode = status
    res.setHeader('X-Request-Id', newRequestId(this.#random))
    res.setHeader('Retry-After', String(retry_sec))
    res.setHeader('Content-Type', type)
    if (!isDelayed || this.#held >= MOST_HELD) return endLine(req, res, text)
    this.#held++
    const timer = setTimeout(() => endLine(req, res, text), this.#hold_ms)
    res.once('close', () => {
      this.#held--
      clearTimeout(timer)
    })
  }
}
