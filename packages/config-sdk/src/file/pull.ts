// Makes a file of what the server has.

import type { ConfigFile, Section } from './format.ts'
import { keyed, type Listed } from './server.ts'
import { mapReferences } from './references.ts'
import type { Schema } from './schema.ts'
import type { Note } from './write.ts'

/**
 * The file of everything that has a key, with the fields that the schema of the file has. What it names and has no key stands there by its
 * id.
 */
export function fileOf(things: readonly Listed[], schema: Schema, statusPage?: ConfigFile['status_page']): ConfigFile {
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
  // The server computes it from the expression.
  if (section === 'heartbeats' && 'cron' in thing) delete thing.interval_sec
  if (section !== 'checks') return thing
  const { all_monitors, monitors = [], ...check } = thing
  // Without either, all monitors run it.
  return all_monitors === true ? check : { ...check, monitors }
}

/** Which secrets the file does not have: the server keeps them as long as the file does not say others. */
export function notesOf(things: readonly Listed[]): Note[] {
  return keyed(things).flatMap(({ section, key, fields }) => {
    const { secrets = [] } = fields as { secrets?: readonly string[] }
    return secrets.length === 0 ? [] : [{ section, key, text: `Kept on the server: ${secrets.join(', ')}` }]
  })
}

/** A key for a thing that has none, from its name: `Shop (EU)` becomes `shop-eu`. */
export function keyFrom(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const words = plain.match(/[a-z0-9]+/g) ?? ['unnamed']
  const base = words.join('-').slice(0, 60).replace(/-$/, '')
  for (let count = 1; ; count += 1) {
    const key = count === 1 ? base : `${base}-${count}`
    if (!taken.has(key)) return key
  }
}
