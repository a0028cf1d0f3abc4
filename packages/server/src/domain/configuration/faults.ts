// What is wrong with many changes: all of it is told at once, each by its place in the request.
import { DomainError, FaultyFields, type FieldFault } from '../errors.ts'

/** A line that begins with the name of a field, as the rules write them. */
const NAMES_FIELD = /^([a-z_]+(?:\[\d+\]|\.[a-z_]+)*) ((?:must|is|needs)\b.*)$/su

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
    if (error instanceof FaultyFields) {
      for (const { field, must } of error.faults) this.add(index, `body.${field}`, must)
    } else if (error instanceof DomainError && ['invalid', 'missing', 'conflict'].includes(error.kind)) {
      const [, field, must] = NAMES_FIELD.exec(error.message) ?? []
      if (field !== undefined && must !== undefined) this.add(index, `body.${field}`, must)
      else this.#faults.push({ index, field: `changes[${index}]`, must: `is refused: ${error.message}` })
    } else throw error
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
