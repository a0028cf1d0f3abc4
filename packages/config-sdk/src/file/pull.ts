// Makes a file of what the server has.

import type { ConfigFile, Section } from './format.ts'
import { keyed, type Listed } from './server.ts'
import { isCredential } from './confidential.ts'
import { variableFrom } from './keys.ts'
import { mapReferences } from './references.ts'
import type { Schema } from './schema.ts'
import type { Note, Variable } from './write.ts'

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

/**
 * What takes the place of header values that may be secret: a variable each, named by the first check that has the value. Their order and
 * names do not depend on the order of the server.
 */
export function variablesOf({ checks = {} }: ConfigFile): Variable[] {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const found = Object.entries(checks).flatMap(([key, { headers = {} }]) =>
    Object.entries(headers).map(([header, value]) => ({ key, header, value })),
  )
  return found
    .filter(({ header, value }) => isCredential(header) && value !== '')
    .toSorted((a, b) => (a.key + a.header < b.key + b.header ? -1 : 1))
    .map(({ key, header, value }) => {
      const wanted = variableFrom(key, header)
      let name = names.get(value) ?? wanted
      for (let nth = 2; !names.has(value) && taken.has(name); nth += 1) name = `${wanted}_${nth}`
      names.set(value, name)
      taken.add(name)
      return { name, path: ['checks', key, 'headers', header] }
    })
}
