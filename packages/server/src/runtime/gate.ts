// Limits expensive work: a few jobs run at once, some wait in line, and the rest is refused.

export class GateFull extends Error {
  override readonly name = 'GateFull'
  constructor() {
    super('too many requests are already waiting')
  }
}

/** Gate that lets `atOnce` jobs run and `inLine` jobs wait for their turn, first come, first served. */
export class Gate {
  readonly #inLine: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor({ atOnce, inLine }: { atOnce: number; inLine: number }) {
    this.#free = atOnce
    this.#inLine = inLine
  }

  /** Returns the result of the work. Throws GateFull, without beginning the work, if the line is too long. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#waiting.length >= this.#inLine) throw new GateFull()
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Passes a free slot straight to the next in line, because newcomers would otherwise overtake it. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
