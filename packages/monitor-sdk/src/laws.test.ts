// The laws of this package's house: no circle among its files, and nothing from the packages beside it.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

/** Sending is one function of 120 lines: in parts, it would cost a page more bytes than the account SDK may have. */
const FUNCTION_MAX = 120

test('files import each other in no circle, and no file and no function is too long', () => {
  const sources = readSources(fileURLToPath(new URL('.', import.meta.url)))
  expect(sources.length).toBeGreaterThan(10)
  expect(breachesOf(sources, { rooms: { '.': ['core'], core: [] }, functionMax: FUNCTION_MAX })).toEqual([])
})
