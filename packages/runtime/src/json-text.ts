// Reads JSON from strangers, within limits that keep JSON.parse from blocking the event loop.
import { randomInt } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

export interface JsonBounds {
  /** Maximum depth of nested objects and lists. */
  levels: number
  /** Maximum number of values: objects, lists, and their items. */
  values: number
  /** Maximum number of different names, because JSON.parse takes a microsecond for each new one. */
  names: number
}

/** Number of bytes to read between two pauses, which take about a millisecond. */
const BYTES_AT_ONCE = 128 * 1024
/**
 * Maximum number of opening brackets, opening braces and commas in a text that goes to JSON.parse without reading each of its
 * bytes first. A full upload of an agent has 8,500.
 */
const FEW = 10_000
const [QUOTE, BACKSLASH, COLON, COMMA] = ['"', '\\', ':', ','].map((mark) => mark.charCodeAt(0))
// Brackets and braces differ only in this bit, and no other byte of JSON outside of strings becomes one of them with
// it.
const BRACE_BIT = 0x20
const [OPENING, CLOSING] = ['{', '}'].map((mark) => mark.charCodeAt(0))
const FNV_PRIME = 0x01000193
/** Random, so that a stranger cannot choose names with equal hashes. */
const FNV_BASIS = randomInt(2 ** 32 - 1)

/** Reads a JSON text. If it is invalid or exceeds the limits, `fault` says why, and begins with a verb. */
export async function readJson(bytes: Buffer, bounds: JsonBounds): Promise<{ value: unknown } | { fault: string }> {
  const openings = countUpTo(FEW, bytes, '[', '{')
  const isLooked = openings + countUpTo(FEW, bytes, ',') > FEW
  if (isLooked) {
    const fault = await faultOf(bytes, bounds)
    if (fault !== undefined) return { fault }
  }
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown
    // Checking the parsed value of a short text costs less than checking each byte.
    const isDeep = !isLooked && openings > bounds.levels && isDeeperThan(value, bounds.levels)
    return isDeep ? { fault: tooDeep(bounds) } : { value }
  } catch {
    return { fault: 'must be valid JSON' }
  }
}

/** Counts how often the given characters occur, including in strings. Stops at `most` + 1 for each. */
function countUpTo(most: number, bytes: Buffer, ...marks: string[]): number {
  let count = 0
  for (const mark of marks) {
    let left = most
    for (let at = bytes.indexOf(mark); at >= 0 && left >= 0; at = bytes.indexOf(mark, at + 1)) left--
    count += most - left
  }
  return count
}

const tooDeep = ({ levels }: Pick<JsonBounds, 'levels'>) => `must not be nested deeper than ${levels} levels`

/** Whether a parsed value has more than `most` levels of nested objects and lists. */
function isDeeperThan(value: unknown, most: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    const within: object[] = []
    for (const one of level) {
      // `Object.values` of a list would make its indexes texts first, and there can be thousands.
      for (const part of Array.isArray(one) ? one : Object.values(one)) {
        if (typeof part === 'object' && part !== null) within.push(part as object)
      }
    }
    level = within
  }
  return false
}

/** Reads each byte, with pauses. Returns the first fault of the text, or undefined. */
async function faultOf(bytes: Buffer, { levels, values, names }: JsonBounds): Promise<string | undefined> {
  const text = new JsonText()
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
    text.read(bytes.subarray(from, from + BYTES_AT_ONCE))
    if (text.deepest > levels) return tooDeep({ levels })
    if (text.values > values) return `must hold at most ${values} values`
    if (text.names.size > names) return `must have at most ${names} different field names`
    await turn()
  }
  return undefined
}

/** Counts the parts of a JSON text, even of an invalid one. */
class JsonText {
  deepest = 0
  values = 0
  /** Hashes of the different names. */
  readonly names = new Set<number>()
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hash = 0

  read(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#isInString) this.#readString(byte)
      else this.#readMark(byte)
    }
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    this.#hash = Math.imul(this.#hash ^ byte, FNV_PRIME)
  }

  #readMark(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true
      this.#hash = FNV_BASIS
    } else if (byte === COMMA) this.values++
    else if (byte === COLON) this.names.add(this.#hash)
    else if ((byte | BRACE_BIT) === OPENING) {
      this.values++
      this.deepest = Math.max(this.deepest, ++this.#depth)
    } else if ((byte | BRACE_BIT) === CLOSING) this.#depth--
  }
}
