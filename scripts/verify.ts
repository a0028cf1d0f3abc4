// Fails when a generated file is not what its source makes: types, documents, schema.sql.
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dumpSchema, SCHEMA_FILE } from './dump-schema.ts'
import { generated } from './generate.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns the paths of the files that are stale. */
export async function listStale(): Promise<string[]> {
  const expected = [
    ...(await generated()),
    { path: relative(root, SCHEMA_FILE).replaceAll('\\', '/'), text: await dumpSchema() },
  ]
  const stale = await Promise.all(
    expected.map(async ({ path, text }) => {
      const found = await readFile(join(root, path), 'utf8').catch(() => undefined)
      return found === text ? [] : [path]
    }),
  )
  return stale.flat()
}

if (import.meta.main) {
  const stale = await listStale()
  for (const path of stale) console.error(`${path} is stale: run npm run generate`)
  process.exitCode = stale.length > 0 ? 1 : 0
}
