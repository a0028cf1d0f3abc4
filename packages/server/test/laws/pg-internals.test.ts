// The internals of pg are used through one file, for the version that was read.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'

const SRC = new URL('../../src/', import.meta.url)
const INTERNALS = /pg\.Query as|\{ connection: |\.prototype\b.*\bpg\b|from 'pg\/lib/

test('the version of pg is the one whose internals store/postgres/wire.ts declares', () => {
  const { version } = createRequire(import.meta.url)('pg/package.json') as { version: string }
  // Another version: compare lib/query.js and lib/connection.js with what wire.ts declares, and run the tests of store/.
  expect(version).toBe('8.23.1')
})

test('no other file reaches into pg', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && INTERNALS.test(readFileSync(new URL(path, SRC), 'utf8')))
  expect(files).toEqual(['store/postgres/wire.ts'])
})
