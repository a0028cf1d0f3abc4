// Writes an import as the text of a dogwatch.yaml.
import { FIELD_NAMES } from '@dogwatch/check-rules/fields'
import { stringify } from 'yaml'
import { type Fields, isFields } from './audit.ts'
import type { ImportResult } from './moving.ts'

/** Order of the fields of a check. Fields of other items keep the order of their assignment. */
const ORDER: readonly string[] = ['kind', ...FIELD_NAMES]

export function yamlOf({ file, secrets }: ImportResult, from: string): string {
  const names = new Set(secrets.map(({ name }) => `\${${name}}`))
  const text = stringify(ordered(escaped(file, names)), { lineWidth: 0 })
  const head = [`# Imported from ${from} by dogwatch-config import-from.`]
  if (secrets.length > 0) head.push('# Set the variables used below, then run: dogwatch-config plan')
  return `${head.join('\n')}\n${text}`
}

/** Escapes text that looks like a reference to a variable, but is not one. */
function escaped(value: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{(?:[A-Za-z_]\w{0,200}\})?/g, (found) => (names.has(found) ? found : `$${found}`))
  }
  if (Array.isArray(value)) return value.map((one) => escaped(one, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, escaped(one, names)]))
}

/** Sorts the fields of checks and heartbeats. The keys of sections keep their order. */
function ordered(file: unknown): unknown {
  if (!isFields(file)) return file
  const sections = (['checks', 'heartbeats'] as const).filter((section) => isFields(file[section]))
  const sorted = sections.map((section): [string, unknown] => {
    const things = Object.entries(isFields(file[section]) ? file[section] : {})
    return [section, Object.fromEntries(things.map(([key, thing]) => [key, isFields(thing) ? sortedBy(thing) : thing]))]
  })
  return { ...file, ...Object.fromEntries(sorted) }
}

function sortedBy(thing: Fields): Fields {
  const place = (field: string) => (ORDER.includes(field) ? ORDER.indexOf(field) : ORDER.length)
  return Object.fromEntries(Object.entries(thing).toSorted(([one], [other]) => place(one) - place(other)))
}
