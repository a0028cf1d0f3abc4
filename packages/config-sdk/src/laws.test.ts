// The laws of this package's house: the command uses the client and never the other way, and nothing of the packages beside it but the
// rules of a check.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

const ROOMS = {
  cli: ['.', 'file', 'import', 'mcp'],
  mcp: ['.', 'file'],
  import: ['file'],
  file: ['.'],
  '.': [],
}

test('imports go down, in no circle; no file and no function is too long', () => {
  const sources = readSources(fileURLToPath(new URL('.', import.meta.url)))
  expect(sources.length).toBeGreaterThan(15)
  const laws = { rooms: ROOMS, packages: ['@dogwatch/check-rules'] }
  expect(breachesOf(sources, laws)).toEqual([])
})

test('the client needs neither Node nor the rules of a check', () => {
  const client = readSources(fileURLToPath(new URL('.', import.meta.url)), (path) => !path.includes('/'))
  expect(client.filter(({ packages }) => packages.length > 0)).toEqual([])
  expect(client.filter(({ text }) => text.includes("from 'node:"))).toEqual([])
})
