// Runs a bounded number of jobs at once and shares them fairly: networks (or organisations) take turns, and within each
// its clients do.

import { GivenUp } from './errors.ts'

export interface QueueBounds {
  /** Maximum number of jobs in progress. */
  at_once: number
  /** Maximum number of jobs of one client in progress. */
  of_client: number
}

/** Source of a job. */
export interface Origin {
  network: string
  client: string
}

type Job = () => Promise<void>

export class FairQueue {
  readonly #bounds: QueueBounds
  /** Waiting jobs by network and client, in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Job[]>>()
  readonly #runningOf = new Map<string, number>()
  #running = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  /**
   * Runs the job when its turn comes. If `given_up` aborts before, the job leaves the queue and this rejects. Callers must limit
   * the length of the queue.
   */
  run<T>({ network, client }: Origin, job: () => Promise<T>, given_up?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const clients = this.#waiting.get(network) ?? new Map<string, Job[]>()
      const jobs = clients.get(client) ?? []
      const leave = (): void => {
        this.#forget({ network, client }, waiting)
        reject(new GivenUp())
      }
      const waiting: Job = () => {
        given_up?.removeEventListener('abort', leave)
        return job().then(resolve, reject)
      }
      jobs.push(waiting)
      this.#waiting.set(network, clients.set(client, jobs))
      if (given_up?.aborted) return leave()
      given_up?.addEventListener('abort', leave)
      this.#start()
    })
  }

  #forget({ network, client }: Origin, job: Job): void {
    const clients = this.#waiting.get(network)
    const left = clients?.get(client)?.filter((one) => one !== job) ?? []
    if (left.length > 0) clients?.set(client, left)
    else clients?.delete(client)
    if (clients?.size === 0) this.#waiting.delete(network)
  }

  #start(): void {
    while (this.#running < this.#bounds.at_once) {
      const next = this.#next()
      if (!next) return
      this.#count(next.client, 1)
      void next.job().finally(() => {
        this.#count(next.client, -1)
        this.#start()
      })
    }
  }

  /** Returns the first job of the network and client whose turn it is, and moves both to the end of their line. */
  #next(): { client: string; job: Job } | undefined {
    for (const [network, clients] of this.#waiting) {
      for (const [client, jobs] of clients) {
        if ((this.#runningOf.get(client) ?? 0) >= this.#bounds.of_client) continue
        const job = jobs.shift()
        clients.delete(client)
        if (jobs.length > 0) clients.set(client, jobs)
        this.#waiting.delete(network)
        if (clients.size > 0) this.#waiting.set(network, clients)
        if (job) return { client, job }
      }
    }
    return undefined
  }

  #count(client: string, by: number): void {
    this.#running += by
    const running = (this.#runningOf.get(client) ?? 0) + by
    if (running > 0) this.#runningOf.set(client, running)
    else this.#runningOf.delete(client)
  }
}
