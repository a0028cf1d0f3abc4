// Headers and tags as lines of text.
import { HARMLESS_HEADERS } from '@dogwatch/check-rules/fields'

/** Stands for the value of a header that is not shown. */
export const HIDDEN = '••••••••'

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** The same without the values that may be secrets. */
export function hiddenLines(headers: Readonly<Record<string, string>>): string {
  const isHarmless = (name: string, value: string) => value === '' || HARMLESS_HEADERS.has(name.toLowerCase())
  const pairs = Object.entries(headers).map(
    ([name, value]) => [name, isHarmless(name, value) ? value : HIDDEN] as const,
  )
  return headerLines(Object.fromEntries(pairs))
}

export function tagLine(tags: readonly string[]): string {
  return tags.join(', ')
}
