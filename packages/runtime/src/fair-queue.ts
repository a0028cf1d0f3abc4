// Runs a limited number of jobs at once, and shares them fairly: groups take turns, and within a group its clients do.
// Many jobs of one client do not delay others. The number and the time of waiting jobs can be limited.

export interface QueueBounds {
  /** Maximum number of jobs in progress: in all, of one group, and of one client. Default for a group and a client: no limit. */
  at_once: number
  of_group?: number
  of_client?: number
  /** Maximum number of waiting jobs of one group, and of one client. Default: no limit, so the caller must limit them. */
  waiting?: number
  waiting_of_client?: number
}

/** Source of a job. Default: one group for all clients. */
export interface Origin {
  group?: string
  client: string
}

export interface WaitOptions {
  /** Maximum time that the job waits, in milliseconds. Default: no limit. */
  wait_ms?: number | undefined
  /** Removes the job from the queue if this signal aborts before the job begins. */
  given_up?: AbortSignal | undefined
}

/**
 * Reason why a job did not begin: too many jobs of its client were waiting (`excess`), or of its group (`full`), it waited too
 * long (`late`), or its signal aborted (`given up`).
 */
export type QueueReason = 'excess' | 'full' | 'late' | 'given up'

/** Error of a job that did not begin. */
export class QueueFault extends Error {
  override readonly name = 'QueueFault'
  readonly reason: QueueReason

  constructor(reason: QueueReason) {
    super(`the job did not begin: ${reason}`)
    this.reason = reason
  }
}

interface Waiter {
  start(): void
  giveUp(reason: QueueReason): void
}

type Line = Map<string, Waiter[]>

export class FairQueue {
  readonly #bounds: Required<QueueBounds>
  /** Waiting jobs by group and client, in the order of their turns. */
  readonly #lines = new Map<string, Line>()
  /** Number of jobs in progress of each group, and of each client. */
  readonly #running = new Map<string, number>()
  #runningCount = 0
  #waitingCount = 0

  constructor(bounds: QueueBounds) {
    const none = { of_group: Infinity, of_client: Infinity, waiting: Infinity, waiting_of_client: Infinity }
    this.#bounds = { ...none, ...bounds }
  }

  /** Returns the number of jobs in progress and of waiting jobs. */
  state(): { running: number; waiting: number } {
    return { running: this.#runningCount, waiting: this.#waitingCount }
  }

  /** Runs the job when its turn comes. Rejects with a {@link QueueFault} if the job does not begin. */
  run<T>(origin: Origin, job: () => Promise<T>, { wait_ms, given_up }: WaitOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = (): void => void this.#do(origin, job).then(resolve, reject)
      if (given_up?.aborted) return reject(new QueueFault('given up'))
      if (this.#hasRoom(origin)) return start()
      const line: Line = this.#lines.get(origin.group ?? '') ?? new Map<string, Waiter[]>()
      const refusal = this.#makeRoom(line, origin.client)
      if (refusal) return reject(new QueueFault(refusal))
      const leave = (): void => waiter.giveUp('given up')
      const end = (): void => {
        clearTimeout(timer)
        given_up?.removeEventListener('abort', leave)
        this.#forget(origin, waiter)
      }
      const waiter: Waiter = {
        start: () => {
          end()
          this.#moveToEnd(origin)
          start()
        },
        giveUp: (reason) => {
          end()
          reject(new QueueFault(reason))
        },
      }
      const timer = wait_ms === undefined ? undefined : setTimeout(() => waiter.giveUp('late'), wait_ms).unref()
      given_up?.addEventListener('abort', leave)
      this.#add(line, origin, waiter)
    })
  }

  /** Waits for the turn of a job. Returns a function that ends the turn. Further calls of this function do nothing. */
  enter(origin: Origin, options?: WaitOptions): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(origin, () => new Promise<void>((leave) => resolve(leave)), options).catch(reject)
    })
  }

  /** Whether a waiting job could begin if a job of the given origin ended. */
  isWanted(origin: Origin): boolean {
    this.#count(origin, -1)
    const next = this.#next()
    this.#count(origin, 1)
    return next !== undefined
  }

  /** Rejects all waiting jobs. */
  close(): void {
    for (const line of [...this.#lines.values()])
      for (const waiters of [...line.values()]) for (const waiter of waiters) waiter.giveUp('late')
  }

  /**
   * Returns the reason why no further job of the client can wait, or undefined. If the group's line is full, rejects the newest
   * job of the client with the most, if that client has at least two more than the given one.
   */
  #makeRoom(line: Line, client: string): QueueReason | undefined {
    const { waiting, waiting_of_client } = this.#bounds
    const own = line.get(client)?.length ?? 0
    if (own >= waiting_of_client) return 'excess'
    if (waiting === Infinity) return undefined
    let count = 0
    let most: readonly Waiter[] = []
    for (const waiters of line.values()) {
      count += waiters.length
      if (waiters.length > most.length) most = waiters
    }
    if (count < waiting) return undefined
    if (most.length <= own + 1) return 'full'
    most.at(-1)?.giveUp('full')
    return undefined
  }

  async #do<T>(origin: Origin, job: () => Promise<T>): Promise<T> {
    this.#count(origin, 1)
    try {
      return await job()
    } finally {
      this.#count(origin, -1)
      for (let next = this.#next(); next; next = this.#next()) next.start()
    }
  }

  /**
   * Returns the first job of the group with the fewest jobs in progress. Among equal groups, chooses the one whose last job began
   * longest ago.
   */
  #next(): Waiter | undefined {
    if (this.#runningCount >= this.#bounds.at_once) return undefined
    let next: { waiter: Waiter; running: number } | undefined
    for (const [group, line] of this.#lines) {
      const running = this.#running.get(group) ?? 0
      if (next && running >= next.running) continue
      for (const [client, [waiter]] of line) {
        if (!waiter || !this.#hasRoom({ group, client })) continue
        next = { waiter, running }
        break
      }
      if (next?.running === 0) break
    }
    return next?.waiter
  }

  #hasRoom(origin: Origin): boolean {
    const { at_once, of_group, of_client } = this.#bounds
    const [group, client] = keysOf(origin)
    return (
      this.#runningCount < at_once &&
      (this.#running.get(group) ?? 0) < of_group &&
      (this.#running.get(client) ?? 0) < of_client
    )
  }

  #add(line: Line, { group = '', client }: Origin, waiter: Waiter): void {
    const waiters = line.get(client)
    if (waiters) waiters.push(waiter)
    else line.set(client, [waiter])
    this.#lines.set(group, line)
    this.#waitingCount++
  }

  #forget({ group = '', client }: Origin, waiter: Waiter): void {
    const line = this.#lines.get(group)
    const waiters = line?.get(client) ?? []
    const at = waiters.indexOf(waiter)
    if (!line || at < 0) return
    waiters.splice(at, 1)
    this.#waitingCount--
    if (waiters.length === 0) line.delete(client)
    if (line.size === 0) this.#lines.delete(group)
  }

  /** Moves a group to the end of the line of groups, and the client to the end of its group. */
  #moveToEnd({ group = '', client }: Origin): void {
    const line = this.#lines.get(group)
    const waiters = line?.get(client)
    if (!line) return
    if (waiters && line.delete(client)) line.set(client, waiters)
    this.#lines.delete(group)
    this.#lines.set(group, line)
  }

  #count(origin: Origin, by: number): void {
    this.#runningCount += by
    for (const key of keysOf(origin)) {
      const running = (this.#running.get(key) ?? 0) + by
      if (running > 0) this.#running.set(key, running)
      else this.#running.delete(key)
    }
  }
}

function keysOf({ group = '', client }: Origin): [group: string, client: string] {
  return [group, `${group}\0${client}`]
}
