// Generates the functions of the configuration SDK, one for each operation of its document. Their types are in the generated types.

interface Schema {
  required?: string[]
  allOf?: Schema[]
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  'x-scope'?: string
  parameters?: { name: string; in: string }[]
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const

/** Returns `calls.gen.ts` for the document, whose references are resolved. */
export function callsFile(document: Document): { path: string; text: string } {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation ? [callOf(path, method, operation)] : []
    }),
  )
  const text = [
    '// Generated from openapi/config.yaml by `npm run generate`. Do not edit.',
    "import { type Call, operation } from './call.ts'",
    ...(calls.some((call) => call.includes('asText')) ? ["import { asText } from './text.ts'"] : []),
    ...calls,
  ].join('\n')
  return { path: 'packages/config-sdk/src/calls.gen.ts', text: `${text}\n` }
}

function callOf(path: string, method: (typeof METHODS)[number], operation: Operation): string {
  const { operationId, summary = '', 'x-scope': scope } = operation
  if (!operationId) throw new Error(`${method} ${path} has no operationId`)
  const success =
    Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  const has = requiredOf(success['application/json']?.schema)
  const once = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
  const facts = [
    ...(has.length > 0 ? [`has: ${JSON.stringify(has)}`] : []),
    ...(once ? ['once: true'] : []),
    ...('application/json' in success ? [] : ['handOut: asText']),
  ]
  const given = [operationId, method.toUpperCase(), path].map((text) => JSON.stringify(text)).join(', ')
  return `
/** ${summary}${/[.?!]$/.test(summary) ? '' : '.'} Needs the scope \`${scope}\`. */
export const ${operationId}: Call<${JSON.stringify(operationId)}> = /* @__PURE__ */ operation(${given}${facts.length > 0 ? `, { ${facts.join(', ')} }` : ''})`
}

function requiredOf(schema: Schema | undefined): string[] {
  return [...(schema?.required ?? []), ...(schema?.allOf ?? []).flatMap(requiredOf)]
}
