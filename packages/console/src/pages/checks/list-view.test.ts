import { expect, test } from '@jest/globals'
import { queryOf, viewIn, viewOf } from './list-view.ts'

test('a search that is cut ends with a whole character, and its address can be read again', () => {
  const view = viewOf({ q: `${'a'.repeat(199)}\u{1f600}b` })
  expect(view.filter.search).toBe(`${'a'.repeat(199)}\u{1f600}`)
  expect(viewIn(queryOf(view))).toEqual(view)
})
