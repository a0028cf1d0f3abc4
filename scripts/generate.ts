// Writes all generated files: the contract package and the SDKs' types from the OpenAPI documents, the webhook
// schemas from the types of the events, the fields of channels from their kinds, schema.sql from the migrations. `npm run generate` writes what `stale` finds;
// scripts/verify.ts lists it.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, createConfig } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import pg from 'pg'
import { resolved } from '../packages/contract/src/resolved.ts'
import { openEmbeddedPostgres } from '../packages/embedded-postgres/src/open.ts'
import { migrateToLatest } from '../packages/store/src/migrate.ts'
import { describeSchema } from '../packages/store/test/support/describe-schema.ts'
import { channelDocument, importFields } from './channel-files.ts'
import { schemaFile } from './config-schema.ts'
import { callsFile, type Document, operationsOf } from './config-sdk-files.ts'
import { webhookFiles } from './webhook-files.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const DOCUMENTS = ['monitor', 'account', 'config'] as const

interface GeneratedFile {
  path: string
  text: string
}

/** Returns each generated file that is missing or outdated, with its new text. */
export async function stale(): Promise<GeneratedFile[]> {
  const files = await Promise.all(DOCUMENTS.map(generate))
  const schema = { path: 'packages/store/src/schema.sql', text: await dumpSchema() }
  return staleOf([...files.flat(), ...webhookFiles(), channelDocument(), importFields(), schema])
}

async function staleOf(files: readonly GeneratedFile[]): Promise<GeneratedFile[]> {
  const found = files.map(async (file) => {
    const text = await readFile(join(root, file.path), 'utf8').catch(() => '')
    return text === file.text ? [] : [file]
  })
  return (await Promise.all(found)).flat()
}

async function write(files: readonly GeneratedFile[]): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}

/** Returns the schema of an empty database after all migrations, as SQL for reviewers. */
async function dumpSchema(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-schema-'))
  await chmod(dataDir, 0o711)
  const server = await openEmbeddedPostgres({ dataDir, random: randomBytes, throwaway: true, remove: true })
  const client = new pg.Client({ connectionString: server.url })
  try {
    await migrateToLatest(server.url)
    await client.connect()
    return await describeSchema(client)
  } finally {
    await client.end()
    await server.stop()
  }
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
    // Bundles the document for generators of other people, so that no reference leads out of it.
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
  const lines = operationsOf(document).map(({ id, method, path, security = document.security ?? [] }) => {
    const schemes = security.flatMap((entry) => Object.keys(entry))
    if (schemes.length !== 1) throw new Error(`${method} ${path} must name exactly one security scheme`)
    return `    ${id}: ${JSON.stringify(schemes[0])};`
  })
  return `/** The security scheme of each operation. */\nexport interface security {\n${lines.join('\n')}\n}\n`
}

function documentConstant(bundled: object): string {
  return [
    '/** The document itself, references resolved. */',
    `export const document: Readonly<Record<string, unknown>> = resolved(${JSON.stringify(bundled, null, 2)});\n`,
  ].join('\n')
}

if (import.meta.main) {
  // The other files follow from this document.
  await write(await staleOf([channelDocument()]))
  await write(await stale())
}
