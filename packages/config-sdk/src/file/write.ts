// Writes a dogwatch.yaml, always in the same order, and without fields that have their defaults.

import { CHECK_FIELDS, type FieldRow } from '@dogwatch/check-rules/fields'
import { HIDDEN, mapSecrets } from '@dogwatch/check-rules/secrets'
import { Document, isMap, isScalar } from 'yaml'
import type { ConfigFile, FileStatusPage, Section } from './format.ts'

/** Defaults of fields, other than 0, false and empty. The file omits a field that has its default. */
const DEFAULTS: Readonly<Record<Section, Readonly<Record<string, unknown>>>> = {
  channels: { enabled: true },
  checks: Object.fromEntries(
    Object.entries<FieldRow>(CHECK_FIELDS).flatMap(([name, row]) => ('default' in row ? [[name, row.default]] : [])),
  ),
  heartbeats: { enabled: true, grace_sec: 3600 },
  routes: { enabled: true },
  maintenance: {},
}

/**
 * Fields that the file must always contain. The target of a private definition is empty, and so are the monitors of a check that
 * no monitor runs.
 */
const ALWAYS = new Map(Object.entries<readonly string[]>({ checks: ['url', 'monitors'], routes: ['scope', 'steps'] }))

const SCHEMA_LINE = '# yaml-language-server: $schema='

/** A comment that the file contains above an item. */
export interface Note {
  section: Section
  key: string
  text: string
}

/** A variable that replaces a secret in the file. */
export interface Variable {
  name: string
  /** Value of the secret. Absent if the server does not show the secret. */
  value: string | undefined
  /** Path of the field that contains the secret. One field, such as a target, may contain several secrets. */
  path: readonly string[]
}

interface Extras {
  notes?: readonly Note[]
  /** Comments at the top of the file. */
  comments?: readonly string[]
  variables?: readonly Variable[]
  /** Keys of the routes in their order. Objects do not keep the order of keys that look like numbers. */
  routes?: readonly string[]
}

/** Returns the text of a file. `schema` is the path of its schema for editors. */
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

/** Replaces the secrets of a field with the names of variables. */
function withNames([, , field = '']: readonly string[], text: string, variables: readonly Variable[]): string {
  const names = variables.map(({ name }) => `\${${name}}`)
  if (field !== 'url' && field !== 'proxy') return names[0] ?? text
  return mapSecrets({ [field]: text }, () => names.shift() ?? HIDDEN)[field] ?? text
}

/** Escapes texts for a file, where `${` begins a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]))
}

/** Omits the fields that have their defaults, and sorts sections, keys and fields. */
export function sparse(config: ConfigFile): ConfigFile {
  const { version, defaults, status_page, ...sections } = config
  const order = ['channels', 'checks', 'heartbeats', 'routes', 'maintenance'] as const
  return {
    version,
    ...(defaults && { defaults }),
    ...Object.fromEntries(
      order.flatMap((section) => {
        const things = Object.entries<object>(sections[section] ?? {})
        // The order of routes is their precedence.
        if (section !== 'routes') things.sort(([a], [b]) => (a < b ? -1 : 1))
        return things.length === 0
          ? []
          : [[section, Object.fromEntries(things.map(([key, thing]) => [key, sparseThing(section, key, thing)]))]]
      }),
    ),
    ...(status_page && { status_page: sparsePage(status_page) }),
  }
}

/** Omits blank fields of the status page, but not `enabled`, because a file without `enabled` leaves the page as it is. */
function sparsePage({ enabled, ...page }: FileStatusPage): FileStatusPage {
  return { ...(pruned(page) as FileStatusPage), ...(enabled !== undefined && { enabled }) }
}

function sparseThing(section: Section, key: string, thing: object): object {
  const fields = Object.entries(thing).filter(
    ([name, value]) =>
      ALWAYS.get(section)?.includes(name) === true || !goesWithoutSaying(section, key, { name, value }),
  )
  // Only routes and windows drop empty values inside a field. The header of a check may have an empty value.
  const isNested = section === 'routes' || section === 'maintenance'
  return Object.fromEntries(fields.map(([name, value]) => [name, isNested ? pruned(value) : value]))
}

/** Whether a field of an item has its default value, so that a file may omit the field. */
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

/** Removes blank values inside a value. */
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
