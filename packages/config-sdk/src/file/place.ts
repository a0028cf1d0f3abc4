// Where something stands in a file, and what is wrong with it there.

export interface Place {
  line: number
  column: number
}

/** A way into the file: keys of maps and indices of lists. */
export type Path = readonly (string | number)[]

export interface Fault {
  at: Place
  /** What is at fault, and what it must be, in one line. Repeats no value. */
  line: string
}

/** Whoever has more faults than this corrects these first. */
const MAX_SHOWN = 50

/** A file that cannot be taken as it is: every fault that was found, in the order of their places. */
export class FaultyFile extends Error {
  readonly faults: readonly Fault[]

  constructor(file: string, faults: readonly Fault[]) {
    const sorted = faults.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    const shown = sorted.slice(0, MAX_SHOWN).map(({ at, line }) => `${file}:${at.line}:${at.column}: ${line}`)
    const more = sorted.length - shown.length
    super([...shown, ...(more > 0 ? [`${file}: ${more} more`] : [])].join('\n'))
    this.faults = sorted
  }
}

/** As people write it: `checks.shop.headers`, `routes.night.steps[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}
