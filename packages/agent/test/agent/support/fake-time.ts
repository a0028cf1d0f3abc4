// Time that moves when a test says so, with timers that fire in their order.

interface Pending {
  at: number
  fire: () => void
}

export class FakeTime {
  now: number
  readonly #pending = new Set<Pending>()

  constructor(now = Date.parse('2026-11-20T10:00:00Z')) {
    this.now = now
  }

  readonly timer = (fire: () => void, ms: number): (() => void) => {
    const pending = { at: this.now + Math.max(ms, 0.001), fire }
    this.#pending.add(pending)
    return () => this.#pending.delete(pending)
  }

  /** Lets `ms` milliseconds pass; what becomes due fires on the way, and what it starts gets its turn. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms
    for (let next = this.#first(); next && next.at <= end; next = this.#first()) {
      this.#pending.delete(next)
      this.now = Math.max(this.now, next.at)
      next.fire()
      await settled()
    }
    this.now = end
  }

  #first(): Pending | undefined {
    return [...this.#pending].reduce<Pending | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined)
  }
}

/** Everything that was already decided has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
