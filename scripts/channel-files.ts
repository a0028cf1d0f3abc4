// Generates what other files say about the kinds of channels, from the registry: the kinds and fields in the document of
// the configuration API, and the fields that the importers of the configuration SDK must know.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Field } from '../packages/channels/src/kind.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Address of the source of a package's door. */
const SOURCE = new URL('../packages/$1/src/$2.ts', import.meta.url).href
// The packages might not be compiled yet.
registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/^@dogwatch\/([^/]+)\/(.+)$/, SOURCE), context),
})
const { channelKinds, kindNames } = await import('../packages/channels/src/registry.ts')

const DOCUMENT = 'openapi/config/channels.yaml'
const IMPORT_FIELDS = 'packages/config-sdk/src/import/channel-fields.gen.ts'

const NAMES = /(?<=\n +x-extensible-enum: )\[ntfy, [^\]]*\](?=\n)/
const FIELDS = /(?:\n {12}- `[a-z-]+`: [^\n]*)+/

/** Returns the document of channels, with the kinds that there are and the fields of each. */
export function channelDocument(text = readFileSync(join(root, DOCUMENT), 'utf8')): { path: string; text: string } {
  for (const pattern of [NAMES, FIELDS])
    if (!pattern.test(text)) throw new Error(`${DOCUMENT} has no ${pattern.source}`)
  const fields = channelKinds().map((kind) => `\n            - \`${kind.name}\`: ${fieldsInWords(kind.fields)}`)
  const written = text.replace(NAMES, `[${kindNames().join(', ')}]`).replace(FIELDS, () => fields.join(''))
  return { path: DOCUMENT, text: written }
}

/** Returns the module with the required and secret fields of each kind. */
export function importFields(): { path: string; text: string } {
  const required = channelKinds().map(({ name, fields }) => {
    const names = Object.entries(fields).flatMap(([field, { isOptional }]) => (isOptional ? [] : [field]))
    return `  ['${name}', [${names.map((field) => `'${field}'`).join(', ')}]],`
  })
  const secret = channelKinds().flatMap(({ fields }) => Object.keys(fields).filter((field) => isHidden(fields[field])))
  const text = [
    '// Generated from packages/channels/src/registry.ts by `npm run generate`. Do not edit.',
    '',
    '/** Fields that the server requires for a channel of each kind. */',
    'export const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map([',
    ...required,
    '])',
    '',
    '/** Fields that no response of the server contains. */',
    'export const HIDDEN_FIELDS: readonly string[] = [',
    ...[...new Set(secret)].toSorted().map((field) => `  '${field}',`),
    ']',
  ]
  return { path: IMPORT_FIELDS, text: `${text.join('\n')}\n` }
}

/** Returns the names of fields that are optional for no kind. */
export function requiredNames(): string[] {
  const all = channelKinds().flatMap(({ fields }) => Object.entries(fields))
  const optional = new Set(all.flatMap(([name, { isOptional }]) => (isOptional ? [name] : [])))
  return [...new Set(all.map(([name]) => name))].filter((name) => !optional.has(name))
}

function fieldsInWords(fields: Readonly<Record<string, Field>>): string {
  const written = Object.entries(fields).map(([name, field]) => {
    const marks = [...(isHidden(field) ? ['secret'] : []), ...(field.isOptional ? ['optional'] : [])]
    return `\`${name}\`${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
  })
  return written.join(', ')
}

/** Whether responses of the configuration API omit a field. The path of a URL is usually a secret. */
function isHidden(field: Field | undefined): boolean {
  return field !== undefined && (field.isSecret || field.input === 'url')
}
