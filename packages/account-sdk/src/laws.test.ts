// The laws of this package's house: the command uses the client and never the other way, and nothing of the packages beside it.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

test('imports go down, in no circle; no file and no function is too long', () => {
  const sources = readSources(fileURLToPath(new URL('.', import.meta.url)))
  expect(sources.length).toBeGreaterThan(20)
  expect(breachesOf(sources, { rooms: { cli: ['.'], '.': [] } })).toEqual([])
})
