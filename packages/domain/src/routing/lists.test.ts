// What becomes of a list that waits when some of what it lists is over.
import { expect, test } from '@jest/globals'
import { fateOf, LISTS } from './lists.ts'

const listing = LISTS['monitor.online'] ?? { type: '', news: '', rest: '', key: '' }
const list = (news: string, rest: string) => ({
  monitors: Array.from(news, (id) => ({ id, since: '2026-11-20T12:00:00.000000Z' })),
  still_offline: Array.from(rest, (id) => ({ id, since: '2026-11-20T12:00:00.000000Z' })),
})

test.each([
  ['all of it is back', 'ab', '', 'ab', 'drop'],
  ['some of it is back', 'ab', '', 'a', 'replace'],
  ['others are back', 'ab', 'c', 'd', 'keep'],
  ['what it lists as still away is back', 'ab', 'c', 'c', 'replace'],
  ['its news is back, and what it lists as still away is not', 'ab', 'c', 'ab', 'drop'],
] as const)('%s', (_, news, rest, back, fate) => {
  expect(fateOf(list(news, rest), list(back, ''), listing)).toBe(fate)
})
