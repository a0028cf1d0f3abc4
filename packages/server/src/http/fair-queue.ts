// Runs a bounded number of jobs at once and shares them fairly: networks (or organisations) take turns, and within each
// its clients do.

export interface QueueBounds {
  /** Jobs at once. */
  at_once: number
  /** Jobs of one client at once. */
  of_client: number
}

/** Where a job comes from. */
export interface Origin {
  network: string
  client: string
}

type Job = () => Promise<void>

export class FairQueue {
  readonly #bounds: QueueBounds
  /** By network and client, in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Job[]>>()
  readonly #runningOf = new Map<string, number>()
  #running = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  /** Runs the job when its turn comes. Callers must bound how long the queue can become. */
  run<T>({ network, client }: Origin, job: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const clients = this.#waiting.get(network) ?? new Map<string, Job[]>()
      const jobs = clients.get(client) ?? []
      jobs.push(() => job().then(resolve, reject))
      this.#waiting.set(network, clients.set(client, jobs))
      this.#start()
    })
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

  /** The first job of the network and client whose turn it is; both move to the end of their line. */
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
