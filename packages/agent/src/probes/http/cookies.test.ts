// Which cookies of a target go to which later request of the same run.
import { describe, expect, test } from '@jest/globals'
import { Cookies } from './cookies.ts'

const NOW = new Date('2026-11-20T10:00:00Z')

function sent(from: string, lines: string[], to: string, given?: string): string | undefined {
  const cookies = new Cookies()
  cookies.keep(new URL(from), lines, NOW)
  return cookies.headerFor(new URL(to), given)
}

const SHOP = 'https://shop.example/a/b'

describe('where a cookie goes', () => {
  test.each([
    ['to its host', 'a=b', SHOP, 'a=b'],
    ['to its host on another port and without TLS', 'a=b', 'http://shop.example:81/a/', 'a=b'],
    ['not to a subdomain', 'a=b', 'https://www.shop.example/a/', undefined],
    ['to the domain that it names', 'a=b; Domain=.Shop.example', 'https://www.shop.example/a/', 'a=b'],
    ['not to a domain that its host is not in', 'a=b; Domain=other.example', 'https://other.example/a/', undefined],
    ['not for a domain without a dot', 'a=b; Domain=example', 'https://other.example/a/', undefined],
    ['not to a host whose name ends like its own', 'a=b; Domain=shop.example', 'https://myshop.example/a/', undefined],
    ['to the folder where it was set', 'a=b', 'https://shop.example/a', 'a=b'],
    ['not outside of that', 'a=b', 'https://shop.example/ab', undefined],
    ['to the path that it names', 'a=b; path=/', 'https://shop.example/', 'a=b'],
    ['over TLS alone, where it says so', 'a=b; path=/; Secure', 'http://shop.example/', undefined],
    ['over TLS', 'a=b; path=/; Secure', 'https://shop.example/', 'a=b'],
    ['with an equals sign in its value', 'a=b=c==', SHOP, 'a=b=c=='],
    ['with an empty value', 'a=', SHOP, 'a='],
    ['not without a name', '=b', SHOP, undefined],
    ['not without an equals sign', 'ab; path=/', SHOP, undefined],
    ['not with a control character', 'a=b\u0001', SHOP, undefined],
    ['not when it is larger than 4 KiB', `a=${'b'.repeat(4096)}`, SHOP, undefined],
    ['not when it has expired', 'a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT', SHOP, undefined],
    ['when it expires later', 'a=b; Expires=Fri, 20 Nov 2026 10:00:01 GMT', SHOP, 'a=b'],
    ['not with an age of 0', 'a=b; Max-Age=0; Expires=Fri, 20 Nov 2099 10:00:01 GMT', SHOP, undefined],
    ['when its dates cannot be read', 'a=b; Max-Age=x; Expires=soon', SHOP, 'a=b'],
  ])('%s', (_what, line, to, wanted) => expect(sent(SHOP, [line], to)).toBe(wanted))

  test('an address is no domain', () => {
    expect(sent('http://127.0.0.1/', ['a=b; Domain=0.0.1'], 'http://127.0.0.1/')).toBeUndefined()
    expect(sent('http://127.0.0.1/', ['a=b; Domain=127.0.0.1'], 'http://127.0.0.1/')).toBe('a=b')
  })
})

test('the last of one name counts, and one that has expired takes away what was there', () => {
  expect(sent(SHOP, ['a=1', 'b=2', 'a=3'], SHOP)).toBe('b=2; a=3')
  expect(sent(SHOP, ['a=1', 'a=; Max-Age=-1'], SHOP)).toBeUndefined()
  expect(sent(SHOP, ['a=1; path=/', 'a=2; path=/a'], SHOP)).toBe('a=2; a=1')
})

test("the target's cookies take the place of those of the check", () => {
  expect(sent(SHOP, ['b=9'], SHOP, 'a=1; b=2;c=3')).toBe('a=1; c=3; b=9')
  expect(sent(SHOP, [], SHOP, 'a=1;  b=2')).toBe('a=1;  b=2')
  expect(sent(SHOP, ['a=1'], SHOP, 'a=2')).toBe('a=1')
})

test('a target cannot have more than 50 kept', () => {
  const many = Array.from({ length: 5000 }, (_, n) => `c${n}=1`)
  expect(sent(SHOP, many, SHOP)?.split('; ')).toHaveLength(50)
})
