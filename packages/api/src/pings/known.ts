// Finds the heartbeat of a token with few queries, because strangers can invent any number of tokens.

import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import { findHeartbeatOfToken } from '@dogwatch/domain/heartbeats/take-ping'
import { FairQueue, type Origin } from '@dogwatch/runtime/fair-queue'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { PING_LOOKUPS } from '../lanes.ts'

type PingTarget = Awaited<ReturnType<typeof findHeartbeatOfToken>>

/**
 * Time in milliseconds between two lookups of the same unknown token. Looking again soon is useless, because an invented token is
 * never issued later.
 */
const UNKNOWN_MS = 10_000
const MOST_UNKNOWN = 10_000

export class KnownTokens {
  readonly #deps: Pick<Deps, 'database' | 'clock'>
  readonly #queue = new FairQueue(PING_LOOKUPS)
  readonly #underWay = new Map<string, Promise<PingTarget>>()
  /** Unknown tokens, with the time (monotonic ms) until which no lookup repeats. */
  readonly #unknown = new Map<string, { until: number; error: DomainError }>()

  constructor(deps: Pick<Deps, 'database' | 'clock'>) {
    this.#deps = deps
  }

  /** Returns the heartbeat of a token. Refuses an unknown token. */
  async find(token: string, origin: Origin): Promise<PingTarget> {
    // A malformed token is refused without a query, so the lookup need not wait for its turn.
    if (!looksLikeToken('beat', token)) return findHeartbeatOfToken(this.#deps, token)
    const unknown = this.#unknown.get(token)
    if (unknown && unknown.until > this.#deps.clock.monotonicMs()) throw unknown.error
    const underWay = this.#underWay.get(token)
    if (underWay) return underWay
    const found = this.#queue.run(origin, () => findHeartbeatOfToken(this.#deps, token))
    this.#underWay.set(token, found)
    try {
      return await found
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'missing') this.#remember(token, error)
      throw error
    } finally {
      this.#underWay.delete(token)
    }
  }

  #remember(token: string, error: DomainError): void {
    this.#unknown.delete(token)
    this.#unknown.set(token, { until: this.#deps.clock.monotonicMs() + UNKNOWN_MS, error })
    const [oldest] = this.#unknown.keys()
    if (this.#unknown.size > MOST_UNKNOWN && oldest !== undefined) this.#unknown.delete(oldest)
  }
}
