// A copy of a document in which no object may have a property that it does not name, so that a leaked field fails.

type Document = Readonly<Record<string, unknown>>

/** One of each for all test files of a worker, so that their servers share what the validator makes of it. */
const all = globalThis as { dogwatchClosed?: WeakMap<Document, Document> }
all.dogwatchClosed ??= new WeakMap()
const known = all.dogwatchClosed

export function closed(document: Document): Document {
  const copy = known.get(document) ?? close(document)
  known.set(document, copy)
  return copy
}

function close(document: Document): Document {
  const copy = structuredClone(document) as Record<string, unknown>
  // Requests stay open: what a newer agent adds is ignored.
  for (const item of Object.values(copy.paths as Record<string, Record<string, { responses: unknown }>>)) {
    for (const operation of Object.values(item)) closeSchemas(operation.responses)
  }
  return copy
}

function closeSchemas(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const schema = node as Record<string, unknown>
  merge(schema)
  if (schema.type === 'object' && schema.properties !== undefined) schema.additionalProperties = false
  for (const value of Object.values(schema)) closeSchemas(value)
}

interface Part {
  properties?: Record<string, unknown>
  required?: string[]
}

/** Parts that are closed each by itself would refuse each other's properties. */
function merge(schema: Record<string, unknown>): void {
  const parts = schema.allOf as Part[] | undefined
  if (parts === undefined) return
  delete schema.allOf
  const required = parts.flatMap((part) => part.required ?? [])
  Object.assign(schema, { type: 'object', properties: Object.assign({}, ...parts.map((part) => part.properties)) })
  if (required.length > 0) schema.required = required
}
