// Writes all generated files: the contract package and the SDKs' types from the OpenAPI documents, the webhook
// schemas from the types of the events, schema.sql from the migrations. `npm run generate` writes; scripts/verify.ts
// calls generated() and compares.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, createConfig } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { resolved } from '../packages/contract/src/resolved.ts'
import { schemaFile } from './config-schema.ts'
import { callsFile } from './config-sdk-files.ts'
import { dumpSchema, SCHEMA_FILE } from './dump-schema.ts'
import { webhookFiles } from './webhook-files.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const DOCUMENTS = ['monitor', 'account', 'config'] as const
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

interface Operation {
  operationId?: string
  security?: Record<string, string[]>[]
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  security?: Record<string, string[]>[]
}
interface GeneratedFile {
  path: string
  text: string
}

/** Returns each generated file except schema.sql, with the text that it must have. */
export async function generated(): Promise<GeneratedFile[]> {
  const files = await Promise.all(DOCUMENTS.map(generate))
  return [...files.flat(), ...webhookFiles()]
}

async function generate(name: (typeof DOCUMENTS)[number]): Promise<GeneratedFile[]> {
  const source = join(root, 'openapi', `${name}.yaml`)
  const bundled = await bundleDocument(source)
  const document = resolved(bundled) as unknown as Document
  const types = astToString(await openapiTS(JSON.stringify(bundled), { silent: true }))
  const sdkTypes = astToString(
    await openapiTS(JSON.stringify(bundled), { silent: true, rootTypes: true, rootTypesNoSchemaPrefix: true }),
  )
  const banner = `// Generated from openapi/${name}.yaml by \`npm run generate\`. Do not edit.\n`
  return [
    {
      path: `packages/contract/src/${name}.gen.ts`,
      text: `${banner}import { resolved } from './resolved.ts'\n\n${types}\n${securityInterface(document)}\n${documentConstant(bundled)}`,
    },
    { path: `packages/${name}-sdk/src/generated.ts`, text: banner + sdkTypes },
    ...(name === 'config'
      ? [callsFile(document), schemaFile(bundled as unknown as Parameters<typeof schemaFile>[0])]
      : []),
    // For other people's generators: no reference leads out of the document.
    { path: `openapi/bundled/${name}.json`, text: `${JSON.stringify(bundled, null, 2)}\n` },
  ]
}

async function bundleDocument(ref: string): Promise<Readonly<Record<string, unknown>>> {
  const config = await createConfig({})
  const { bundle: result, problems } = await bundle({ ref, config })
  if (problems.length > 0) throw new Error(`${ref}: ${problems.map((problem) => problem.message).join('; ')}`)
  // A round trip through JSON separates shared nodes, so that printing the same document twice gives the same text.
  return JSON.parse(JSON.stringify(result.parsed)) as Record<string, unknown>
}

/** Returns an interface with the security scheme of each operation, which openapi-typescript omits. */
function securityInterface(document: Document): string {
  const lines = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      if (!operation.operationId) throw new Error(`${method} ${path} has no operationId`)
      const schemes = (operation.security ?? document.security ?? []).flatMap((entry) => Object.keys(entry))
      if (schemes.length !== 1) throw new Error(`${method} ${path} must name exactly one security scheme`)
      return [`    ${operation.operationId}: ${JSON.stringify(schemes[0])};`]
    }),
  )
  return `/** The security scheme of each operation. */\nexport interface security {\n${lines.join('\n')}\n}\n`
}

function documentConstant(bundled: object): string {
  return [
    '/** The document itself, references resolved. */',
    `export const document: Readonly<Record<string, unknown>> = resolved(${JSON.stringify(bundled, null, 2)});\n`,
  ].join('\n')
}

if (import.meta.main) {
  const schema = { path: relative(root, SCHEMA_FILE), text: await dumpSchema() }
  for (const { path, text } of [...(await generated()), schema]) {
    const file = join(root, path)
    const before = await readFile(file, 'utf8').catch(() => '')
    if (before === text) continue
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    console.log(`wrote ${path}`)
  }
}
