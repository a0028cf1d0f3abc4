// Fails if a generated file differs from what its source generates: types, documents, or schema.sql.
import { stale } from './generate.ts'

for (const { path } of await stale()) {
  console.error(`${path} is stale: run npm run generate`)
  process.exitCode = 1
}
