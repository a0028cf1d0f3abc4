// What a proof did when, so that a fault can be attributed to what was going on.
import { countBy } from './stored.ts'

export interface Phase<Kind extends string> {
  kind: Kind
  what: string
  /** In milliseconds since the Unix epoch. */
  from: number
  to: number
}

export class Timeline<Kind extends string> {
  readonly #name: string
  readonly phases: Phase<Kind>[] = []

  constructor(name: string) {
    this.#name = name
  }

  async during(kind: Kind, what: string, work: () => Promise<unknown>): Promise<void> {
    const from = Date.now()
    await work()
    this.phases.push({ kind, what, from, to: Date.now() })
    process.stderr.write(`${this.#name}: ${what}: ${((Date.now() - from) / 1000).toFixed(1)} s\n`)
  }

  phaseOf({ at }: { at: number }): Phase<Kind> | undefined {
    return this.phases.find(({ from, to }) => at >= from && at <= to)
  }

  /** What happened in phases of a kind. */
  of<Thing extends { at: number }>(kind: Kind, things: readonly Thing[]): Thing[] {
    return things.filter((thing) => this.phaseOf(thing)?.kind === kind)
  }
}

/** `2 upload: 503, 1 sync: 502`, or `none`. */
export function tally(things: readonly { operation: string; kind: string }[]): string {
  const counts = [...countBy(things, ({ operation, kind }) => `${operation}: ${kind}`)]
  counts.sort(([, a], [, b]) => b - a)
  return counts.map(([what, count]) => `${count} ${what}`).join(', ') || 'none'
}
