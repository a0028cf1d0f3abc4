// Parts of a whole, the largest first.
export interface Share {
  name: string
  percent: number
}

export class Sums {
  readonly #sums = new Map<string, number>()

  add(name: string, value: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + value)
  }

  sharesOf(total: number): Share[] {
    const all = [...this.#sums].map(([name, value]) => ({ name, percent: (value / total) * 100 }))
    return all.sort((a, b) => b.percent - a.percent)
  }
}
