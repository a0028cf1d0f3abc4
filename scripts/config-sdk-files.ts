// Generates the functions of the configuration SDK, one for each operation of its document. Their types are in the generated types.

interface Schema {
  required?: string[]
  allOf?: Schema[]
}

interface Operation {
  operationId?: string
  security?: Record<string, string[]>[]
  summary?: string
  description?: string
  'x-scope'?: string
  parameters?: { name: string; in: string }[]
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  security?: Record<string, string[]>[]
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** Lists the operations of a document. Throws if one has no id. */
export function operationsOf(document: Document): (Operation & { id: string; method: string; path: string })[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      if (!operation.operationId) throw new Error(`${method} ${path} has no operationId`)
      return [{ ...operation, id: operation.operationId, method, path }]
    }),
  )
}

/** Returns `calls.gen.ts` for the document, whose references are resolved. */
export function callsFile(document: Document): { path: string; text: string } {
  const calls = operationsOf(document).map(callOf)
  const text = [
    '// Generated from openapi/config.yaml by `npm run generate`. Do not edit.',
    "import { type Call, operation } from './call.ts'",
    ...(calls.some((call) => call.includes('asText')) ? ["import { asText } from './text.ts'"] : []),
    ...calls,
  ].join('\n')
  return { path: 'packages/config-sdk/src/calls.gen.ts', text: `${text}\n` }
}

function callOf(operation: ReturnType<typeof operationsOf>[number]): string {
  const { id, method, path, summary = '', 'x-scope': scope } = operation
  const success =
    Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  const has = requiredOf(success['application/json']?.schema)
  const once = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
  const facts = [
    ...(has.length > 0 ? [`has: ${JSON.stringify(has)}`] : []),
    ...(once ? ['once: true'] : []),
    ...('application/json' in success ? [] : ['handOut: asText']),
  ]
  const given = [id, method.toUpperCase(), path].map((text) => JSON.stringify(text)).join(', ')
  return `
/** ${summary}${/[.?!]$/.test(summary) ? '' : '.'} Needs the scope \`${scope}\`. */
export const ${id}: Call<${JSON.stringify(id)}> = /* @__PURE__ */ operation(${given}${facts.length > 0 ? `, { ${facts.join(', ')} }` : ''})`
}

function requiredOf(schema: Schema | undefined): string[] {
  return [...(schema?.required ?? []), ...(schema?.allOf ?? []).flatMap(requiredOf)]
}
