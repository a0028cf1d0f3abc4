// A gate for expensive work: a few at once, some in line, the rest refused.

export class GateFull extends Error {
  override readonly name = 'GateFull'
  constructor() {
    super('too many requests are already waiting')
  }
}

/** Lets `atOnce` run and `inLine` wait for their turn, first come, first served. */
export class Gate {
  readonly #inLine: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor({ atOnce, inLine }: { atOnce: number; inLine: number }) {
    this.#free = atOnce
    this.#inLine = inLine
  }

  /** The result of the work. Throws GateFull, with nothing begun, when the line is too long. */
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

  /** A free place goes straight to the next in line, or newcomers would overtake it. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
