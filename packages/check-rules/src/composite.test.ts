// Composite targets: which names of members they may have.
import { expect, test } from '@jest/globals'
import { needsOf } from './abilities.ts'
import { compositeUrl } from './composite.ts'
import { contradictionsIn } from './contradictions.ts'
import { BLANK_CHECK } from './fields.ts'
import { isInternalTarget, readTarget } from './target.ts'

const GUID = '6f1b2c3d-0000-4000-8000-000000000001'
const FORM = { fault: expect.stringMatching(/the GUID of a check, key:KEY or tag:TAG.*composite:tag:web,key:shop/) }

test('members are named by guid, key or tag, each once', () => {
  expect(readTarget(`COMPOSITE:tag:My%20Db,key:web-1,${GUID.toUpperCase()},tag:my%20db?down_at=2`)).toEqual({
    scheme: 'composite',
    members: [
      { by: 'tag', name: 'my db' },
      { by: 'key', name: 'web-1' },
      { by: 'guid', name: GUID },
    ],
    down_at: 2,
    needs_own_monitor: false,
    shown: `tag:My%20Db,key:web-1,${GUID.toUpperCase()},tag:my%20db`,
  })
})

test('the url of members is read as these members', () => {
  const members = [
    { by: 'tag', name: 'a b/@;ü' },
    { by: 'key', name: 'web-1' },
    { by: 'guid', name: GUID },
  ] as const
  expect(readTarget(compositeUrl(members, 3))).toMatchObject({ members, down_at: 3 })
  expect(compositeUrl([members[1]])).toBe('composite:key:web-1')
})

test.each([
  ['composite:', FORM],
  ['composite://tag:db', FORM],
  ['composite:tag:db,', FORM],
  ['composite:web-1', FORM],
  ['composite:key:Web', FORM],
  ['composite:tag:%', FORM],
  ['composite:tag:a@b', FORM],
  ['composite:tag:a?down_at=0', { fault: 'must have a number from 1 to 200 as the option down_at' }],
  [`composite:${Array(201).fill('tag:a').join()}`, { fault: 'must name at most 200 members' }],
])('%s is refused', (url, fault) => {
  expect(readTarget(url)).toEqual(fault)
})

test('a composite check needs no ability, is not internal, and refuses fields about runs', () => {
  const url = 'composite:tag:db'
  const target = readTarget(url)
  expect('fault' in target || isInternalTarget(target)).toBe(false)
  expect(needsOf({ ...BLANK_CHECK, url, match_string: 'x' })).toEqual([])
  const broken = contradictionsIn({ ...BLANK_CHECK, url, retry_count: 1, resend_interval_sec: 60, match_string: 'x' })
  expect(broken.map(({ field }) => field)).toEqual(['match_string', 'retry_count'])
})
