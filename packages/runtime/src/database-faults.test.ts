// Which errors of a database mean that the same may be tried again.
import { expect, test } from '@jest/globals'
import { isUndone } from './database-faults.ts'

test.each([
  'could not find valid entry for shard 102047',
  'relation shifted_results is not distributed',
  'relation is not distributed',
  'direct joins between distributed and local tables are not supported',
  'a column definition list is required for functions returning "record"',
  'failure on connection marked as essential: 10.0.0.2:5432',
  'connection to the remote node dogwatch@10.0.0.2:5432 failed with the following error: Connection refused',
])('while a cluster changes its layout or lacks a node, nothing was done: %s', (message) => {
  expect(isUndone(Object.assign(new Error(message), { code: 'XX000' }))).toBe(true)
})

test('an error of the statement itself is none of these', () => {
  expect(isUndone(Object.assign(new Error('relation "results" does not exist'), { code: '42P01' }))).toBe(false)
})
