// The laws of this package's house: a definition is judged by its target and its pattern, which know nothing of it.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

test('imports go down, in no circle; no file and no function is too long', () => {
  const sources = readSources(fileURLToPath(new URL('.', import.meta.url)))
  expect(sources.length).toBeGreaterThan(2)
  expect(
    breachesOf(sources, {
      rooms: {
        contradictions: ['fields'],
        retries: ['contradictions'],
        definition: ['fields', 'pattern', 'tags', 'target'],
        fields: ['rows', 'tags'],
        rows: ['words'],
        pattern: [],
        secrets: ['fields', 'target'],
        tags: [],
        target: [],
        words: [],
      },
    }),
  ).toEqual([])
})
