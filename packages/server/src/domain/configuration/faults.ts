// What is wrong with many changes: all of it is told at once, each by its place in the request.
import { DomainError, type ErrorKind, FaultyFields, type FieldFault } from '../errors.ts'

const KINDS: ReadonlySet<ErrorKind> = new Set(['invalid', 'missing', 'conflict'])

export class Faults {
  readonly #faults: (FieldFault & { index: number })[] = []

  get isEmpty(): boolean {
    return this.#faults.length === 0
  }

  get count(): number {
    return this.#faults.length
  }

  /** `field`: within the change, `body.url`. */
  add(index: number, field: string, must: string): void {
    this.#faults.push({ index, field: `changes[${index}].${field}`, must })
  }

  /** Keeps what a rule refuses of a change; anything else is thrown on. */
  keep(index: number, error: unknown): void {
    if (!(error instanceof DomainError) || !KINDS.has(error.kind)) throw error
    for (const { field, must } of error.faults) this.add(index, `body.${field}`, must)
    if (error.faults.length > 0) return
    this.#faults.push({ index, field: `changes[${index}]`, must: `was refused: ${error.message}` })
  }

  /** Does a part of the work, and keeps what it refuses. */
  async during<Result>(index: number, work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      this.keep(index, error)
      return undefined
    }
  }

  /** Refuses everything if anything is wrong. */
  refuse(): void {
    if (this.isEmpty) return
    const inOrder = this.#faults.toSorted((one, other) => one.index - other.index)
    throw new FaultyFields(
      'changes',
      inOrder.map(({ field, must }) => ({ field, must })),
    )
  }
}
