// Collects the faults of many changes, so that one refusal reports all of them with their positions in the request.
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

  /** Adds a fault. `field`: path within the change, such as `body.url`. */
  add(index: number, field: string, must: string): void {
    this.#faults.push({ index, field: `changes[${index}].${field}`, must })
  }

  /** Adds the faults of a change that `error` refuses. Rethrows any other error. */
  keep(index: number, error: unknown): void {
    if (!(error instanceof DomainError) || !KINDS.has(error.kind)) throw error
    for (const { field, must } of error.faults) this.add(index, `body.${field}`, must)
    if (error.faults.length > 0) return
    this.#faults.push({ index, field: `changes[${index}]`, must: `was refused: ${error.message}` })
  }

  /** Runs a part of the work on one change and adds its faults. Returns undefined if a rule refused the change. */
  async during<Result>(index: number, work: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      this.keep(index, error)
      return undefined
    }
  }

  /** Throws all faults in one error, if there are any. */
  refuse(): void {
    if (this.isEmpty) return
    const inOrder = this.#faults.toSorted((one, other) => one.index - other.index)
    throw new FaultyFields(
      'changes',
      inOrder.map(({ field, must }) => ({ field, must })),
    )
  }
}
