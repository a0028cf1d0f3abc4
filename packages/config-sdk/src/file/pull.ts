// Makes a file of the server's configuration.

import { HIDDEN, type Secret, secretsIn } from '@dogwatch/check-rules/secrets'
import type { ConfigFile, Section } from './format.ts'
import { variableFrom } from './keys.ts'
import { mapReferences } from './references.ts'
import type { Schema } from './schema.ts'
import { keyed, type ListedItem } from './server.ts'
import type { Note, Variable } from './write.ts'

/** Returns the file of all items with a key, with the fields of the file's schema. References to items without a key are ids. */
export function fileOf(
  things: readonly ListedItem[],
  schema: Schema,
  statusPage?: ConfigFile['status_page'],
): ConfigFile {
  const keys = new Map(things.map(({ section, id, key }) => [`${section} ${id}`, key]))
  const sections: Partial<Record<Section, Record<string, unknown>>> = {}
  for (const { section, key, fields } of keyed(things)) {
    sections[section] = { ...sections[section], [key]: decided(section, fields, schema) }
  }
  const config = { version: 1, ...sections, ...(statusPage && { status_page: statusPage }) } as ConfigFile
  return mapReferences(config, ({ section, reference }) => keys.get(`${section} ${reference}`) ?? `id:${reference}`)
}

function decided(section: Section, fields: Readonly<Record<string, unknown>>, schema: Schema): Record<string, unknown> {
  const names = Object.keys(schema.definitions?.[section]?.properties ?? {})
  const known = names.filter((name) => fields[name] !== undefined)
  const thing: Record<string, unknown> = Object.fromEntries(known.map((name) => [name, fields[name]]))
  // For a heartbeat with a cron expression, the server computes the interval.
  if (section === 'heartbeats' && 'cron' in thing) delete thing.interval_sec
  if (section !== 'checks') return thing
  const { all_monitors, monitors = [], ...check } = thing
  // If the file sets neither `monitors` nor `all_monitors`, all monitors run the check.
  return all_monitors === true ? check : { ...check, monitors }
}

/** Returns a note for each item whose secrets are not in the file. The server keeps these secrets until a file sets new ones. */
export function notesOf(things: readonly ListedItem[]): Note[] {
  return keyed(things).flatMap(({ section, key, fields }) => {
    const { secrets = [] } = fields as { secrets?: readonly string[] }
    return secrets.length === 0 ? [] : [{ section, key, text: `Kept on the server: ${secrets.join(', ')}` }]
  })
}

/**
 * Returns the variables for the secrets of checks. Each is named after the first check with its value, in an order that does not
 * depend on the server.
 */
export function variablesOf({ checks = {} }: ConfigFile): Variable[] {
  const names = new Names()
  const inOrder = Object.entries(checks).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return inOrder.flatMap(([key, check]) => {
    const sorted = { ...check, headers: sortedByName(check.headers ?? {}) }
    const secrets = secretsIn(sorted).map((secret) => ({ ...secret, variable: names.nameOf(key, secret) }))
    return secrets.map(({ field, name, value, variable }) => ({
      name: variable,
      value: value === HIDDEN ? undefined : value,
      path: ['checks', key, field, ...(field === 'headers' ? [name] : [])],
    }))
  })
}

class Names {
  readonly #byValue = new Map<string, string>()
  readonly #taken = new Set<string>()

  nameOf(key: string, { field, name, value }: Secret): string {
    // Gives each hidden value a variable of its own, because two hidden values may differ.
    const known = value === HIDDEN ? undefined : this.#byValue.get(value)
    if (known !== undefined) return known
    const wanted = variableFrom(key, field === 'post_data' ? 'body' : name)
    let free = wanted
    for (let nth = 2; this.#taken.has(free); nth += 1) free = `${wanted}_${nth}`
    this.#byValue.set(value, free)
    this.#taken.add(free)
    return free
  }
}

function sortedByName(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
