// Generates what receivers of webhooks need from the types of the events: a JSON Schema for each event type, and the types for
// the account SDK. Refuses every construct in the source of the types that it does not know.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const SOURCE = 'packages/domain/src/events/event.ts'
const SCHEMAS = 'packages/server/docs/reference/webhooks'
const SDK_TYPES = 'packages/account-sdk/src/webhook-events.gen.ts'

interface Schema {
  description?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  [keyword: string]: unknown
}
type Declarations = ReadonlyMap<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>

/** Returns the generated files. `text` is the source of the events. */
export function webhookFiles(text = readSource()): { path: string; text: string }[] {
  const sdkTypes = `// Generated from ${SOURCE} by \`npm run generate\`. Do not edit.\n${text}`
  const schemas = [...eventSchemas(text)].map(([type, schema]) => ({
    path: `${SCHEMAS}/${type}.schema.json`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }))
  return [...schemas, { path: SDK_TYPES, text: sdkTypes }]
}

function readSource(): string {
  return readFileSync(join(fileURLToPath(new URL('..', import.meta.url)), SOURCE), 'utf8')
}

/** Returns the schema of the whole body of a webhook for each type of event. */
function eventSchemas(text: string): Map<string, Schema> {
  const file = ts.createSourceFile('event.ts', text, ts.ScriptTarget.Latest, true)
  const named: Declarations = new Map(
    file.statements
      .filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
      .map((one) => [one.name.text, one]),
  )
  const data = named.get('EventData')
  if (!data || !ts.isInterfaceDeclaration(data)) throw new Error(`${SOURCE} has no interface EventData`)
  return new Map(
    data.members.map((member) => {
      const { name, type } = propertyOf(member)
      return [name, envelope(name, descriptionOf(member), schemaOf(type, named))]
    }),
  )
}

function envelope(type: string, description: string | undefined, data: Schema): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    ...(description !== undefined && { description }),
    type: 'object',
    properties: {
      type: { const: type },
      timestamp: { description: 'When it happened, in UTC.', type: 'string', format: 'date-time' },
      data,
    },
    required: ['type', 'timestamp', 'data'],
  }
}

function schemaOf(node: ts.TypeNode, named: Declarations): Schema {
  if (ts.isParenthesizedTypeNode(node)) return schemaOf(node.type, named)
  if (ts.isArrayTypeNode(node)) return { type: 'array', items: schemaOf(node.elementType, named) }
  if (ts.isTypeLiteralNode(node)) return objectSchema(node.members, named)
  if (ts.isIntersectionTypeNode(node)) return merged(node.types.map((one) => schemaOf(one, named)))
  if (ts.isUnionTypeNode(node)) return { enum: node.types.map(literalOf) }
  if (ts.isLiteralTypeNode(node)) return { const: literalOf(node) }
  if (ts.isTypeReferenceNode(node)) return namedSchema(node, named)
  if (node.kind === ts.SyntaxKind.StringKeyword) return { type: 'string' }
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: 'boolean' }
  // Every number in an event is an integer: counts, seconds, milliseconds and ids.
  if (node.kind === ts.SyntaxKind.NumberKeyword) return { type: 'integer' }
  throw unknown(node)
}

function namedSchema(node: ts.TypeReferenceNode, named: Declarations): Schema {
  const declared = named.get(node.typeName.getText())
  if (!declared || node.typeArguments) throw unknown(node)
  if (ts.isInterfaceDeclaration(declared)) {
    if (declared.heritageClauses) throw unknown(declared)
    return { ...described(declared), ...objectSchema(declared.members, named) }
  }
  const format = ts.getJSDocTags(declared).find((tag) => tag.tagName.text === 'format')?.comment
  return { ...schemaOf(declared.type, named), ...(format !== undefined && { format }) }
}

function objectSchema(members: ts.NodeArray<ts.TypeElement>, named: Declarations): Schema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const member of members) {
    const { name, type, isOptional } = propertyOf(member)
    properties[name] = { ...schemaOf(type, named), ...described(member) }
    if (!isOptional) required.push(name)
  }
  return { type: 'object', properties, required }
}

/** Merges an intersection of object schemas into one. If several have the same property, the last one counts. */
function merged(schemas: readonly Schema[]): Schema {
  const properties: Record<string, Schema> = {}
  for (const schema of schemas) {
    if (!schema.properties) throw new Error(`${SOURCE}: only objects may be intersected`)
    for (const [name, property] of Object.entries(schema.properties)) {
      const description = property.description ?? properties[name]?.description
      properties[name] = { ...property, ...(description !== undefined && { description }) }
    }
  }
  const required = [...new Set(schemas.flatMap((schema) => schema.required ?? []))]
  const description = schemas.find((schema) => schema.description !== undefined)?.description
  return { ...(description !== undefined && { description }), type: 'object', properties, required }
}

function propertyOf(member: ts.TypeElement): { name: string; type: ts.TypeNode; isOptional: boolean } {
  if (!ts.isPropertySignature(member) || !member.type || ts.isComputedPropertyName(member.name)) throw unknown(member)
  return { name: member.name.text, type: member.type, isOptional: member.questionToken !== undefined }
}

function literalOf(node: ts.TypeNode): string {
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return node.literal.text
  throw unknown(node)
}

function described(node: ts.Node): { description?: string } {
  const description = descriptionOf(node)
  return description === undefined ? {} : { description }
}

function descriptionOf(node: ts.Node): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter((one) => ts.isJSDoc(one))
  return ts.getTextOfJSDocComment(comment?.comment)?.replaceAll(/\s*\n\s*/g, ' ')
}

function unknown(node: ts.Node): Error {
  return new Error(`${SOURCE}: the generator of schemas does not know ${ts.SyntaxKind[node.kind]}: ${node.getText()}`)
}
