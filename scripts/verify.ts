// Fails when a generated file is not what its source makes: types, documents, schema.sql.
import { stale } from './generate.ts'

for (const { path } of await stale()) {
  console.error(`${path} is stale: run npm run generate`)
  process.exitCode = 1
}
