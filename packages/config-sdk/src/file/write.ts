// Writes a dogwatch.yaml: always in the same order, and without what goes without saying.

import { CHECK_FIELDS, type FieldRow } from '@dogwatch/check-rules/fields'
import { HIDDEN, mapSecrets } from '@dogwatch/check-rules/secrets'
import { Document, isMap, isScalar } from 'yaml'
import type { ConfigFile, FileStatusPage, Section } from './format.ts'

/** What a field is when a file does not say it, where that is not 0, false or empty. */
const DEFAULTS: Readonly<Record<Section, Readonly<Record<string, unknown>>>> = {
  channels: { enabled: true },
  checks: Object.fromEntries(
    Object.entries<FieldRow>(CHECK_FIELDS).flatMap(([name, row]) => ('default' in row ? [[name, row.default]] : [])),
  ),
  heartbeats: { enabled: true, grace_sec: 3600 },
  routes: { enabled: true },
  maintenance: {},
}

/** The target of a private definition is empty, and so are the monitors of a check that nobody runs: the file must say so. */
const ALWAYS = new Map(Object.entries<readonly string[]>({ checks: ['url', 'monitors'], routes: ['scope', 'steps'] }))

const SCHEMA_LINE = '# yaml-language-server: $schema='

/** A comment above a thing. */
export interface Note {
  section: Section
  key: string
  text: string
}

/** A variable that stands in the file for a secret. */
export interface Variable {
  name: string
  /** Absent if the server does not show it. */
  value: string | undefined
  /** Where its field is. A target may have several. */
  path: readonly string[]
}

interface Extras {
  notes?: readonly Note[]
  /** What is said of the file above all of it. */
  comments?: readonly string[]
  variables?: readonly Variable[]
  /** The keys of the routes in their order, which objects do not keep where keys look like numbers. */
  routes?: readonly string[]
}

/** The text of a file. `schema`: where editors find its schema. */
export function writeConfigFile(
  config: ConfigFile,
  schema: string,
  { notes = [], comments = [], variables = [], routes = [] }: Extras = {},
): string {
  const document = new Document(escaped(sparse(config)), { aliasDuplicateObjects: false })
  for (const { section, key, text } of notes) {
    const thing = document.getIn([section, key], true)
    if (isMap(thing)) thing.commentBefore = ` ${text}`
  }
  const byField = new Map<string, Variable[]>()
  for (const one of variables) {
    const field = one.path.join('\0')
    byField.set(field, [...(byField.get(field) ?? []), one])
  }
  for (const some of byField.values()) {
    const path = some[0]?.path ?? []
    document.setIn(path, withNames(path, String(document.getIn(path)), some))
  }
  const listed = document.get('routes')
  if (isMap(listed)) {
    const placeOf = ({ key }: { key: unknown }) => routes.indexOf(isScalar(key) ? String(key.value) : '')
    listed.items.sort((a, b) => placeOf(a) - placeOf(b))
  }
  const head = [`${SCHEMA_LINE}${schema}`, ...comments.map((line) => `# ${line}`)]
  return `${head.join('\n')}\n${document.toString({ lineWidth: 120 })}`
}

/** Returns the text of a field with the names of variables in the place of its secrets. */
function withNames([, , field = '']: readonly string[], text: string, variables: readonly Variable[]): string {
  const names = variables.map(({ name }) => `\${${name}}`)
  if (field !== 'url') return names[0] ?? text
  return mapSecrets({ url: text }, () => names.shift() ?? HIDDEN).url
}

/** Texts as a file has them, where `${` begins a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]))
}

/** The same configuration without the fields that have their defaults. Sections, keys and fields stand in one order. */
export function sparse(config: ConfigFile): ConfigFile {
  const { version, defaults, status_page, ...sections } = config
  const order = ['channels', 'checks', 'heartbeats', 'routes', 'maintenance'] as const
  return {
    version,
    ...(defaults && { defaults }),
    ...Object.fromEntries(
      order.flatMap((section) => {
        const things = Object.entries<object>(sections[section] ?? {})
        // Routes decide in their order.
        if (section !== 'routes') things.sort(([a], [b]) => (a < b ? -1 : 1))
        return things.length === 0
          ? []
          : [[section, Object.fromEntries(things.map(([key, thing]) => [key, sparseThing(section, key, thing)]))]]
      }),
    ),
    ...(status_page && { status_page: sparsePage(status_page) }),
  }
}

/** Whether it is shown stays as it is when a file does not say it. */
function sparsePage({ enabled, ...page }: FileStatusPage): FileStatusPage {
  return { ...(pruned(page) as FileStatusPage), ...(enabled !== undefined && { enabled }) }
}

function sparseThing(section: Section, key: string, thing: object): object {
  const fields = Object.entries(thing).filter(
    ([name, value]) =>
      ALWAYS.get(section)?.includes(name) === true || !goesWithoutSaying(section, key, { name, value }),
  )
  // An empty header of a check is a header.
  const isNested = section === 'routes' || section === 'maintenance'
  return Object.fromEntries(fields.map(([name, value]) => [name, isNested ? pruned(value) : value]))
}

/** Whether a field of a thing has the value that it has when a file does not say it. */
export function goesWithoutSaying(
  section: Section,
  key: string,
  { name, value }: { name: string; value: unknown },
): boolean {
  if (name === 'name') return value === key
  if (section === 'checks' && name === 'all_monitors') return value === true
  const byDefault = DEFAULTS[section][name]
  return byDefault === undefined ? isBlank(value) : value === byDefault
}

/** Without what is blank inside. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, one]) => !isBlank(one))
  return Object.fromEntries(fields.map(([name, one]) => [name, pruned(one)]))
}

function isBlank(value: unknown): boolean {
  if (value === 0 || value === false || value === '' || value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
