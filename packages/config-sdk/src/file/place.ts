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
    const sorted = inOrder(faults)
    super(linesOf(file, sorted))
    this.faults = sorted
  }
}

function inOrder(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
}

/** One line for each, in the order of their places. */
export function linesOf(file: string, faults: readonly Fault[], kind = ''): string {
  const shown = inOrder(faults)
    .slice(0, MAX_SHOWN)
    .map(({ at, line }) => `${file}:${at.line}:${at.column}: ${kind}${plain(line)}`)
  const more = faults.length - shown.length
  return [...shown, ...(more > 0 ? [`${file}: ${kind}${more} more`] : [])].join('\n')
}

/** Returns a line without characters that steer a terminal or turn text round: the file may have them in its names. */
function plain(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
}

/** As people write it: `checks.shop.headers`, `routes.night.steps[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}
