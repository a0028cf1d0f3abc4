// Reads the headers that users add, one on each line.
import { faultOfHeader } from '@dogwatch/check-rules/definition'

const MAX_HEADERS = 10

export function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(linesOf(text).map(split))
}

/** Returns the fault of some headers, or undefined. */
export function headersFault(text: string): string | undefined {
  const lines = linesOf(text)
  if (lines.length > MAX_HEADERS) return `must have no more than ${MAX_HEADERS} lines`
  for (const line of lines) {
    const [name, value] = split(line)
    const fault = line.includes(':') ? faultOfHeader(name, value) : 'is missing the colon after its name'
    if (fault !== undefined) return `has a header that ${fault}`
  }
  const names = lines.map((line) => split(line)[0])
  return new Set(names).size < names.length ? 'must not repeat a header name' : undefined
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function split(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  const [name, value] = colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
  return [name.trim().toLowerCase(), value.trim()]
}
