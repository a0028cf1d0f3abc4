// Reads sets of HTTP status codes, such as `200-299` and `301`.

const STATUSES_MAX = 20
const STATUS = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/

/** Returns the fault of a set, as text that follows the name of the field. */
export function faultOfStatuses(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) return 'must be a list of strings'
  if (value.length > STATUSES_MAX) return `must have ${STATUSES_MAX} entries or fewer`
  const ranges = value.map((one) => rangeOf(String(one)))
  return ranges.every((range) => range !== undefined)
    ? undefined
    : 'must have entries such as 301 or 200-299, from 100 to 599'
}

/** Whether a valid set contains a status. */
export function includesStatus(statuses: readonly string[], status: number): boolean {
  return statuses.some((one) => {
    const range = rangeOf(one)
    return range !== undefined && range[0] <= status && status <= range[1]
  })
}

function rangeOf(text: string): readonly [number, number] | undefined {
  const [whole, from, to = from] = STATUS.exec(text) ?? []
  return whole !== undefined && Number(from) <= Number(to) ? [Number(from), Number(to)] : undefined
}

/** Reads the statuses in a line of text, separated by commas. */
export function readStatusLine(line: string): string[] {
  return line
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
