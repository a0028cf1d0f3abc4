// Waits at the server for news that this monitor should sync at once: a run that a person requests, or a change of its checks or
// turns.
import { ApiError, type MonitorClient } from '@dogwatch/monitor-sdk'
import type { Bell } from '../process/repeat.ts'

export interface WaitingOptions {
  client: Pick<MonitorClient, 'ping'>
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns a random number from 0 up to 1. */
  random: () => number
  /** Bell that ends the wait between two requests. */
  bell: Bell
  /** Runs when a sync would return something new. */
  onNews: () => void
}

/** Maximum time that the server may hold a request, in seconds. Some routers and proxies cut idle connections after a minute. */
const WAIT_MAX_SEC = 50
const ANSWER_MS = 10_000
/** Wait after a refusal, or while the server does not hold requests, in milliseconds. */
const REST_MS = 30_000
/** Pause after news, in milliseconds, so that the agent can sync before the next request. */
const AFTER_NEWS_MS = 1000
const SPREAD_MS = 1000

export class NewsWaiter {
  readonly #options: WaitingOptions
  #wait_sec = 0

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /** Receives the time that the server can hold a request, in seconds, from the last response to a sync. */
  hear(told: number | undefined): void {
    const wait_sec = typeof told === 'number' && told >= 1 ? Math.min(Math.floor(told), WAIT_MAX_SEC) : 0
    const isNews = wait_sec > 0 && this.#wait_sec === 0
    this.#wait_sec = wait_sec
    if (isNews) this.#options.bell.ring()
  }

  /** Sends one request that waits at the server, and returns the time until the next request, in milliseconds. */
  async step(signal: AbortSignal): Promise<number> {
    const { client, mono, random, onNews } = this.#options
    const wait_sec = this.#wait_sec
    const rest_ms = REST_MS * (1 + random() / 2)
    if (wait_sec === 0) return rest_ms
    const began = mono()
    const timeout = wait_sec * 1000 + ANSWER_MS
    const answer = await client.ping({ wait_sec, signal, retries: 0, timeout }).catch((error: unknown) => error)
    if (isAnswer(answer) && answer.sync === true) {
      onNews()
      return AFTER_NEWS_MS
    }
    const isHeld = (isAnswer(answer) || isDisabled(answer)) && mono() - began >= (wait_sec * 1000) / 2
    return isHeld ? SPREAD_MS * random() : rest_ms
  }
}

function isAnswer(answer: unknown): answer is { sync?: boolean } {
  return !(answer instanceof Error)
}

/** Whether the server has disabled this monitor. The server holds the requests of such a monitor, too. */
function isDisabled(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403
}
