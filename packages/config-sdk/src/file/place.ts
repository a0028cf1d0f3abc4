// Declares the places in a file, and reports faults with them.

export interface Place {
  line: number
  column: number
}

/** A path into the file: keys of maps and indices of lists. */
export type Path = readonly (string | number)[]

export interface Fault {
  at: Place
  /** Path to the fault, and what its value must be, in one line. Does not repeat the value. */
  line: string
}

/** Maximum number of faults to show at once. After a correction of these, the user sees the next ones. */
const MAX_SHOWN = 50

/** Error for a file with faults. Lists every fault in the order of their places. */
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

/** Formats one line for each fault, in the order of their places. */
export function linesOf(file: string, faults: readonly Fault[], kind = ''): string {
  const shown = inOrder(faults)
    .slice(0, MAX_SHOWN)
    .map(({ at, line }) => `${file}:${at.line}:${at.column}: ${kind}${plain(line)}`)
  const more = faults.length - shown.length
  return [...shown, ...(more > 0 ? [`${file}: ${kind}${more} more`] : [])].join('\n')
}

/** Replaces characters that control a terminal or change the direction of text, because names in the file may contain them. */
function plain(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
}

/** Maximum length of a part of the file that a fault quotes, in characters. */
const MOST_REPEATED = 200

/** Shortens a part of the file that a fault quotes. */
export function repeated(text: string): string {
  return text.length <= MOST_REPEATED ? text : `${text.slice(0, MOST_REPEATED - 1).toWellFormed()}…`
}

/** Formats a path for people: `checks.shop.headers`, `routes.night.steps[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? repeated(step) : `${text}.${repeated(step)}`
  }, '')
}
