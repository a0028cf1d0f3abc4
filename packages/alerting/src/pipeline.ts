// Sends deliveries in a loop. Notifications and due times wake the loop, and it also polls.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RoundPosition } from '@dogwatch/store/alerting/delivery-turns'
import { DELIVERIES_CHANNEL } from '@dogwatch/store/alerting/events'
import type { Listener } from '@dogwatch/store/postgres/listen'
import { type ClaimedMessage, claim, type DeliveryDeps, deliver } from './deliver.ts'
import { dueBy } from './due.ts'
import { AT_ONCE, placeOf, type UnderWay } from './turns.ts'

/** Interval between polls while no connection listens for notifications. */
const POLL_MS = 1000
/**
 * Interval between polls while a connection listens for notifications. These polls find expired leases, and deliveries whose
 * notification was lost.
 */
const LISTENING_POLL_MS = 5000
/** Upper bound for one attempt, including recording its outcome. */
const STOP_MS = 20_000

export interface PipelineOptions {
  /** Source of notifications about new deliveries. If absent, the pipeline only polls. */
  listener?: Pick<Listener, 'isListening' | 'on'> | undefined
  /** Interval between polls. By default, it is longer while a connection listens for notifications. */
  poll_ms?: number
  /** Called with the outcome of each attempt. */
  onAttempt?: (kind: string, outcome: string) => void
}

/**
 * Sends due deliveries until the caller stops it. Stopping claims nothing new and waits up to 20 s for deliveries in progress.
 * Any delivery that does not finish is sent again after its lease expires.
 */
export function startDelivering(
  deps: DeliveryDeps,
  { listener, poll_ms, onAttempt = () => {} }: PipelineOptions = {},
): () => Promise<void> {
  const pollMs = (): number => poll_ms ?? (listener?.isListening ? LISTENING_POLL_MS : POLL_MS)
  const pipeline = new Pipeline(deps, pollMs, onAttempt)
  const leave = listener?.on(DELIVERIES_CHANNEL, () => pipeline.wake())
  return async () => {
    leave?.()
    await stop(pipeline, deps)
  }
}

async function stop(pipeline: Pipeline, { channels, log }: DeliveryDeps): Promise<void> {
  if (!(await pipeline.stop(STOP_MS))) log.warn('some deliveries did not finish in time and will be sent again')
  for (const channel of Object.values(channels)) channel.close?.()
}

class Pipeline {
  readonly #deps: DeliveryDeps
  readonly #pollMs: () => number
  readonly #onAttempt: (kind: string, outcome: string) => void
  /** Deliveries in progress, with the slot that each of them occupies. */
  readonly #underWay = new Map<Promise<unknown>, UnderWay>()
  readonly #running: Promise<void>
  /** Position at which the next scan begins. Undefined at the start of a round over all channels. */
  #after: RoundPosition | undefined
  /** Whether the current round over all channels has found no due delivery so far. */
  #isQuiet = true
  #isStopped = false
  #isWoken = false
  #rouse: () => void = () => {}

  constructor(deps: DeliveryDeps, pollMs: () => number, onAttempt: (kind: string, outcome: string) => void) {
    this.#deps = deps
    this.#pollMs = pollMs
    this.#onAttempt = onAttempt
    this.#running = this.#run()
  }

  wake(): void {
    this.#isWoken = true
    this.#rouse()
  }

  /** Stops the loop. Resolves with false if a delivery was still in progress after the time limit. */
  async stop(within_ms: number): Promise<boolean> {
    this.#isStopped = true
    this.wake()
    await this.#running
    const timer = new AbortController()
    const late = sleep(within_ms, false, { signal: timer.signal })
    const isDone = await Promise.race([Promise.all(this.#underWay.keys()).then(() => true), late])
    timer.abort()
    return isDone
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false
      let pause_ms = this.#pollMs()
      try {
        pause_ms = await this.#fill()
      } catch (err) {
        this.#deps.log.error({ err }, 'could not claim deliveries; will retry')
      }
      await this.#pause(pause_ms)
    }
  }

  /** Starts the due deliveries that get a slot. Returns the milliseconds until the next search for due deliveries. */
  async #fill(): Promise<number> {
    const limit = AT_ONCE.all - this.#underWay.size
    if (limit <= 0) return this.#pollMs()
    this.#isQuiet ||= this.#after === undefined
    const found = await claim(this.#deps, {
      limit,
      underWay: [...this.#underWay.values()],
      ...(this.#after && { after: this.#after }),
    })
    for (const delivery of found.deliveries) this.#start(delivery)
    if (found.deliveries.length + found.withheld > 0) this.#isQuiet = false
    this.#after = found.next
    if (found.next || !this.#isQuiet) return 0
    const { next_due_at } = found
    const now_ms = dueBy(this.#deps).getTime()
    return next_due_at === null
      ? this.#pollMs()
      : Math.min(this.#pollMs(), Math.max(0, Date.parse(next_due_at) - now_ms))
  }

  #start(delivery: ClaimedMessage): void {
    const sent = deliver(this.#deps, delivery).then((outcome) => {
      this.#onAttempt(delivery.channel.kind, outcome)
      this.#underWay.delete(sent)
      // A slot is free again, and a delivery that waited for it can be due.
      this.wake()
    })
    const { kind, destination } = delivery.channel
    this.#underWay.set(sent, placeOf({ ...delivery, kind, destination }))
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWoken || ms === 0) return
    const timer = new AbortController()
    await Promise.race([
      sleep(ms, undefined, { signal: timer.signal }),
      new Promise<void>((resolve) => (this.#rouse = resolve)),
    ])
    timer.abort()
  }
}
