// What a single form must not do to everybody else.

import { readCheck, readWithoutPattern } from '@dogwatch/domain/checks/check'
import { importChecks } from '@dogwatch/domain/checks/import'
import { RateLimiter } from '@dogwatch/domain/limits/spend'
import { signUp } from '@dogwatch/domain/people/sign-up'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test.each(['a\0b', '\ud800', 'x'.repeat(100_000)])(
  'a subject that the store cannot hold is limited like any other',
  async (subject) => {
    const limiter = new RateLimiter(w.deps)
    const limit = { name: 'test', per_sec: 1 / 3600, burst: 2 }
    const verdicts = [
      await limiter.spend(limit, subject),
      await limiter.spend(limit, subject),
      await limiter.spend(limit, subject),
    ]
    expect(verdicts.map(({ kind }) => kind)).toEqual(['pass', 'pass', 'wait'])
    // And the others' limits go on.
    await limiter.spend(limit, 'somebody')
    await limiter.spend(limit, 'somebody')
    expect((await limiter.spend(limit, 'somebody')).kind).toBe('wait')
  },
)

const withPattern = (match_string: string) => ({
  name: 'shop',
  url: 'https://example.com/',
  interval_sec: 60,
  match_mode: 'regex',
  match_string,
})

test.each(['x{1000}'.repeat(140), '(x{31}){31}'.repeat(90), 'a'.repeat(1001), '((a*)*b{9}){1000}'])(
  'a pattern that is a large program is refused before it is compiled: %#',
  (pattern) => {
    expect(() => readWithoutPattern('check', withPattern(pattern))).toThrow(
      /check.match_string must (be a regular expression of at most 1000 characters|be a simpler)/,
    )
  },
)

test.each(['^ok$', '(error|fatal){1,30} code', '\\d{3}-\\d{4}', 'x{0,1000}'])('%s is a pattern', (pattern) => {
  expect(readCheck('check', withPattern(pattern)).match_string).toBe(pattern)
})

test('an import that the plan has no room for is refused before anybody waits for it', async () => {
  const org = await w.org('free')
  const file = Array.from({ length: 5000 }, (_, i) => ({
    name: `c${i}`,
    url: 'https://example.com/',
    interval_sec: 120,
  }))
  const before = (await w.rows('select changed_at from sync_clock'))[0]
  await expect(importChecks(w.deps, org.org_id, file)).rejects.toThrow('the free plan allows 10 checks')
  expect((await w.rows('select changed_at from sync_clock'))[0]).toEqual(before)
})

test('an address is one address, whatever the database thinks of its letters', async () => {
  for (const email of ['İ@example.com', 'ΑΣ@example.com', 'ẞ@example.com']) {
    await signUp(w.deps, { email, password: 'correct horse battery', org_name: 'us' }, 'free')
    await expect(signUp(w.deps, { email, password: 'correct horse battery', org_name: 'us' }, 'free')).rejects.toThrow(
      'an account with this address already exists',
    )
  }
})
