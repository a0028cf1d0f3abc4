// The internals of pg are used through one file, for the version that was read.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse } from '../../../../scripts/testing/laws.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const INTERNALS = /pg\.Query as|\{ connection: |\.prototype\b.*\bpg\b|from 'pg\/lib/

test('the version of pg is the one whose internals store/postgres/wire.ts declares', () => {
  const { version } = createRequire(import.meta.url)('pg/package.json') as { version: string }
  // Another version: compare lib/query.js and lib/connection.js with what wire.ts declares, and run the tests of store/.
  expect(version).toBe('8.23.1')
})

test('no other file reaches into pg', () => {
  const users = readHouse(PACKAGES).filter(({ text }) => INTERNALS.test(text))
  expect(users.map(({ path }) => path)).toEqual(['store/postgres/wire.ts'])
})
