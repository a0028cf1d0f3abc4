// Generates the JSON Schema of dogwatch.yaml from the document of the configuration API, so that both have the same fields.
import { CHECK_FIELDS, type FieldRow } from '../packages/check-rules/src/rows.ts'
import { requiredNames } from './channel-files.ts'

interface Schema {
  $ref?: string
  type?: string
  description?: string
  example?: unknown
  nullable?: boolean
  required?: readonly string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  enum?: unknown[]
  'x-extensible-enum'?: string[]
  [word: string]: unknown
}

interface Document {
  components: { schemas: Record<string, Schema> }
}

/** Sections of the file. Each row has the schema of the section's items, their required fields, and a description. */
const SECTIONS: readonly (readonly [
  section: string,
  input: string,
  required: readonly string[],
  description: string,
])[] = [
  ['channels', 'ChannelInput', ['kind'], 'Receivers of alerts.'],
  ['checks', 'CheckInput', [], 'Targets, and the rules that decide whether each target is healthy.'],
  ['heartbeats', 'HeartbeatInput', [], 'Jobs that must ping Dogwatch on time.'],
  [
    ...(['routes', 'RouteInput', ['scope', 'steps']] as const),
    'Rules that decide which alerts go to which channels, and when. They keep the order of this file.',
  ],
  [
    ...(['maintenance', 'MaintenanceWindowInput', ['scope', 'starts_at', 'duration_sec']] as const),
    'Maintenance windows, in which alerts are withheld.',
  ],
]

const KEPT = ['type', 'description', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'maxProperties']
/** Fields of the API's items that the file lacks, because it uses them as keys, or because only the server sets them. */
const NOT_IN_FILE = ['key', 'guid', 'id', 'position']

/** Returns `dogwatch.schema.json` for the document, whose references are not resolved. */
export function schemaFile(document: Document): { path: string; text: string } {
  const { schemas } = document.components
  const known = SECTIONS.filter(([, input]) => input in schemas)
  const things = known.map(([section, input, required]): [string, Schema] => {
    const { properties = {}, ...thing } = plain(schemas[input] ?? {}, schemas)
    const fields = Object.fromEntries(Object.entries(properties).filter(([name]) => !NOT_IN_FILE.includes(name)))
    const all = section === 'checks' ? withBounds(fields) : section === 'channels' ? withKinds(fields, schemas) : fields
    return [section, { ...thing, properties: named(all), ...(required.length > 0 && { required }) }]
  })
  const page = schemas.StatusPageInput && plain(schemas.StatusPageInput, schemas)
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Generated from openapi/config.yaml by `npm run generate`. Do not edit.',
    title: 'dogwatch.yaml',
    description: 'Configuration of an organisation.',
    type: 'object',
    required: ['version'],
    additionalProperties: false,
    patternProperties: { '^x-': { description: 'Any value. Use it for YAML anchors.' } },
    properties: {
      version: { description: 'The version of this format.', const: 1 },
      defaults: defaultsOf(things),
      ...Object.fromEntries(
        known.map(([section, , , description]) => [
          section,
          {
            description: `${description} Each item has a key that is unique in this section.`,
            type: 'object',
            propertyNames: { pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' },
            additionalProperties: { $ref: `#/definitions/${section}` },
          },
        ]),
      ),
      ...(page && { status_page: { ...page, required: ['slug', 'title'] } }),
    },
    definitions: Object.fromEntries(things),
  }
  return { path: 'packages/config-sdk/schema/dogwatch.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` }
}

/** Returns a schema as JSON Schema: closed, without null, and with its references and parts merged. */
function plain(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    const found = schemas[name]
    if (!found) throw new Error(`there is no schema ${name}`)
    return plain(found, schemas)
  }
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => plain(part, schemas))
    const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Record<string, Schema>
    const { allOf: _, ...own } = schema
    const together = parts.reduce((all, part) => ({ ...all, ...part }), {})
    return plain({ ...together, ...own, type: 'object', properties }, schemas)
  }
  if (schema.oneOf || schema.anyOf) throw new Error('the file has no choices between shapes')
  const words = (schema.enum ?? schema['x-extensible-enum'])?.filter((word) => word !== null)
  const { properties, items, additionalProperties, required, example, description } = schema
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([word]) => KEPT.includes(word))),
    ...(description !== undefined && { description: inFileWords(description) }),
    ...(words && { enum: words }),
    ...(example !== undefined && { examples: [example] }),
    ...(required && { required }),
    ...(items && { items: plain(items, schemas) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plain(one, schemas)])),
    }),
    ...(properties && { additionalProperties: false }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: plain(additionalProperties, schemas) }),
  }
}

/** Rewrites a description for the file, because items of a file name each other by their keys. */
function inFileWords(description: string): string {
  return description
    .replaceAll('by guid or `key:NAME`. Responses contain guids.', IN_FILE)
    .replaceAll('by id or `key:NAME`. Responses contain ids.', IN_FILE)
    .replace(
      'The guid of another check of the organisation, or the id of a monitor.',
      `Another check, ${IN_FILE} Or a monitor: write \`id:\` and its id.`,
    )
    .replace(' `key:NAME` names a check by its key.', '')
    .replace(/ Other fields of `\w+` are ignored, so you can send back what you have read\./, '')
    .replace(/ `guid`[^.]* (?:is|are) ignored, so you can send back what you have read\./, '')
}

const IN_FILE = 'by key. Write `key:NAME` for a key from another file, and `id:ID` if there is no key.'

/** Adds the limits of the fields of checks, from the rows that define these fields. */
function withBounds(fields: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const bounded = Object.entries(fields).map(([name, schema]): [string, Schema] => {
    const row: FieldRow | undefined = (CHECK_FIELDS as Readonly<Record<string, FieldRow>>)[name]
    if (row?.kind === 'whole') return [name, { ...schema, minimum: row.min, maximum: row.max }]
    return [name, row?.kind === 'text' && name !== 'depends_on' ? { ...schema, maxLength: row.max } : schema]
  })
  return Object.fromEntries(bounded)
}

/**
 * Restricts the kind of a channel to those that this version knows. The API's document permits any kind, because newer servers
 * have more.
 */
function withKinds(
  { kind, destination, ...fields }: Readonly<Record<string, Schema>>,
  schemas: Readonly<Record<string, Schema>>,
): Record<string, Schema> {
  const kinds = schemas.Channel?.properties?.kind?.['x-extensible-enum']
  // Forbids empty texts in fields that each kind requires, because an empty text would remove the field.
  const properties = Object.fromEntries(requiredNames().map((name) => [name, { type: 'string', minLength: 1 }]))
  return {
    ...(kind && { kind: { ...kind, ...(kinds && { enum: kinds }) } }),
    ...fields,
    ...(destination && { destination: { ...destination, properties } }),
  }
}

function named(fields: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const { name, ...others } = fields
  return { ...(name && { name: { ...name, description: `${name.description ?? ''} Default: its key.` } }), ...others }
}

function defaultsOf(things: readonly (readonly [string, Schema])[]): Schema {
  const able = things.filter(([section]) => section === 'checks' || section === 'heartbeats')
  const properties = able.map(([section, { required: _, ...thing }]): [string, Schema] => {
    const { name: _name, ...fields } = thing.properties ?? {}
    return [section, { ...thing, description: `Defaults for all ${section}.`, properties: fields }]
  })
  return {
    ...{ description: 'Defaults for checks and heartbeats.', type: 'object', additionalProperties: false },
    properties: Object.fromEntries(properties),
  }
}
