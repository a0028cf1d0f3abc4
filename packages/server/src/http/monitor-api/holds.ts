// Requests of agents that are held until a person asks their monitor for a run. Holding one takes no connection to the database.

/** For how many seconds at most. Proxies cut connections over which nothing passes, some after 30 s. */
export const HOLD_SEC = 25

export class Holds {
  readonly #held = new Map<string, (isNews: boolean) => void>()
  #isOver = false

  /** How many are held. */
  get size(): number {
    return this.#held.size
  }

  /** True as soon as the monitor is rung for; false when the time is over, its client is gone, or another request takes its place. */
  wait(monitor_id: string, ms: number, closed: AbortSignal): Promise<boolean> {
    if (this.#isOver || closed.aborted) return Promise.resolve(false)
    this.#held.get(monitor_id)?.(false)
    return new Promise((resolve) => {
      const finish = (isNews: boolean): void => {
        clearTimeout(timer)
        closed.removeEventListener('abort', leave)
        if (this.#held.get(monitor_id) === finish) this.#held.delete(monitor_id)
        resolve(isNews)
      }
      const leave = (): void => finish(false)
      const timer = setTimeout(leave, ms)
      closed.addEventListener('abort', leave)
      this.#held.set(monitor_id, finish)
    })
  }

  /** Somebody asked this monitor for a run. */
  ring(monitor_id: string): void {
    this.#held.get(monitor_id)?.(true)
  }

  /** Ends all of them; from now on none is held. */
  end(): void {
    this.#isOver = true
    for (const finish of [...this.#held.values()]) finish(false)
  }
}
