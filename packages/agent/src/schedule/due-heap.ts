// Sorts items by their due times in a binary min-heap.

interface Node<T> {
  at: number
  item: T
}

export class DueHeap<T> {
  readonly #nodes: Node<T>[] = []

  get size(): number {
    return this.#nodes.length
  }

  /** Returns the first due time, or undefined if the heap is empty. */
  firstAt(): number | undefined {
    return this.#nodes[0]?.at
  }

  /** Adds an item. @throws RangeError when `at` is not a number, because it would be neither before nor after any other. */
  push(at: number, item: T): void {
    if (Number.isNaN(at)) throw new RangeError('nothing is due at NaN')
    const nodes = this.#nodes
    const node = { at, item }
    let index = nodes.push(node) - 1
    while (index > 0) {
      const up = (index - 1) >> 1
      const parent = nodes[up]
      if (parent === undefined || parent.at <= at) break
      nodes[index] = parent
      index = up
    }
    nodes[index] = node
  }

  pop(): T | undefined {
    const nodes = this.#nodes
    const first = nodes[0]
    const last = nodes.pop()
    if (first === undefined || last === undefined || first === last) return first?.item
    let index = 0
    for (;;) {
      const down = this.#smallerChild(index)
      const child = nodes[down]
      if (child === undefined || child.at >= last.at) break
      nodes[index] = child
      index = down
    }
    nodes[index] = last
    return first.item
  }

  #smallerChild(index: number): number {
    const left = 2 * index + 1
    const [a, b] = [this.#nodes[left], this.#nodes[left + 1]]
    return a !== undefined && b !== undefined && b.at < a.at ? left + 1 : left
  }
}
