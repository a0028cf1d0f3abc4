// Secrets of a definition: hidden whole, put back unchanged, and only for the server that has them already.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BLANK_CHECK, type CheckFields } from './fields.ts'
import {
  HIDDEN,
  hideInUrl,
  hideSecrets,
  isSecretHeader,
  isSecretName,
  restoreSecrets,
  secretsIn,
  withStoredSecrets,
} from './secrets.ts'
import { readTarget } from './target.ts'

/** So much of a secret, and nothing of it, may stand in what is shown. */
const TELLING = 4
/** Secrets are in upper case and everything else in lower case, so that a part of one is found wherever it is. */
const secret = fc.string({
  unit: fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')),
  minLength: 6,
  maxLength: 30,
})
const word = fc.string({ unit: fc.constantFrom(...Array.from('bcdfgh')), minLength: 1, maxLength: 6 })
const odd = fc.string({ unit: fc.constantFrom(...Array.from('ab/@:?#&=;%+.\\$!~')), maxLength: 6 })
const secretName = fc.constantFrom('token', 'api_key', 'X-Api-Key', 'password', 'access%5Ftoken', 'sig', 'clientSecret')

const login = fc.oneof(
  fc.constant(''),
  fc.tuple(word, secret).map(([user, password]) => `${user}:${password}@`),
  secret.map((token) => `${token}@`),
  secret.map((token) => `${token}:@`),
  fc.tuple(word, secret, secret).map(([user, one, other]) => `${user}:${one}@${other}@`),
)
const pair = fc.oneof(
  fc.tuple(secretName, secret).map(([name, value]) => `${name}=${value}`),
  fc.tuple(secretName, secret, secret).map(([name, one, other]) => `${name}=${one};${other}`),
  fc.tuple(word, word).map(([name, value]) => `${name}=${value}`),
  word,
)
const query = fc
  .tuple(fc.array(pair, { maxLength: 5 }), fc.constantFrom('&', ';', '?', '#'))
  .map(([pairs, mark]) => (pairs.length === 0 ? '' : `?${pairs.join(mark)}`))
const url = fc
  .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://'), login, fc.constantFrom('', '/', '/bcd/fgh'), query)
  .map(([scheme, user, path, rest]) => `${scheme}${user}bcd.example:8443${path}${rest}`)
const headers = fc.dictionary(
  fc.constantFrom('Authorization', 'cookie', 'X-Api-Key', 'X-Trace', 'Referer'),
  fc.tuple(word, secret).map(([scheme, value]) => `${scheme} ${value}`),
)
const definition: fc.Arbitrary<CheckFields> = fc
  .record({ url, headers, post_data: fc.oneof(fc.constant(''), secret) })
  .map((some) => ({ ...BLANK_CHECK, ...some, headers: { Accept: 'text/html', ...some.headers } }))

test('what is shown has no part of any secret', () => {
  fc.assert(
    fc.property(definition, (given) => {
      // Parameters are written with capitals as well.
      const shown = JSON.stringify(hideSecrets(given)).replaceAll(/X-Api-Key|X-Trace|HTTPS/g, '')
      expect(shown).not.toMatch(new RegExp(`[A-Z]{${TELLING}}`))
      expect(secretsIn(hideSecrets(given)).every(({ value }) => value === HIDDEN)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('what is shown can be sent back, and is then what it was', () => {
  fc.assert(
    fc.property(definition, (given) => {
      expect(restoreSecrets(hideSecrets(given), given)).toEqual({ restored: given, faults: [] })
      expect(hideSecrets(hideSecrets(given))).toEqual(hideSecrets(given))
    }),
    { numRuns: 2_000 },
  )
})

test('of any target that a probe dials, scheme, host and port stay as they are, and its password is gone', () => {
  const start = fc.constantFrom('https://', 'http://', 'https:///', 'https://\\')
  const any = fc.tuple(start, odd, fc.constantFrom('', 'SWORDFISH'), odd, word, odd, odd)
  let read = 0
  fc.assert(
    fc.property(any, (parts) => {
      const text = parts.join('')
      const before = readTarget(text)
      if (!('url' in before)) return
      read++
      const shown = hideInUrl(text)
      expect(readTarget(shown)).toMatchObject({ scheme: before.scheme, host: before.host, port: before.port })
      expect(restoreSecrets({ ...BLANK_CHECK, url: shown }, { ...BLANK_CHECK, url: text }).restored.url).toBe(text)
      const { username, password } = before.url
      const hidden = readTarget(shown) as typeof before
      if (password !== '') expect(hidden.url.password).toBe(HIDDEN)
      else if (username !== '') expect(hidden.url.username).toBe(HIDDEN)
    }),
    { numRuns: 5_000 },
  )
  expect(read).toBeGreaterThan(500)
})

describe('a hidden value that comes back for another server is refused, and none of it is in what comes out', () => {
  const elsewhere: Readonly<Record<string, (one: CheckFields) => CheckFields>> = {
    scheme: (one) => ({ ...one, url: one.url.replace(/^https?/i, (text) => (/s$/i.test(text) ? 'http' : 'https')) }),
    host: (one) => ({ ...one, url: one.url.replace('bcd.example', 'fgh.example') }),
    port: (one) => ({ ...one, url: one.url.replace(':8443', ':8444') }),
    'Host header': (one) => ({ ...one, headers: { ...one.headers, Host: 'fgh.example' } }),
  }
  test.each(Object.entries(elsewhere))('%s', (_, move) => {
    fc.assert(
      fc.property(definition, (given) => {
        const shown = hideSecrets(given)
        const { restored, faults } = restoreSecrets(move(shown), given)
        expect(restored).toEqual(move(shown))
        expect(faults.map(({ field, header }) => [field, header])).toEqual(
          secretsIn(given).map(({ field, name }) => [field, field === 'headers' ? name : undefined]),
        )
      }),
    )
  })

  test('certificates that are no longer verified', () => {
    const given = { ...BLANK_CHECK, url: 'https://bcd.example/', headers: { Authorization: 'Bearer SWORDFISH' } }
    const shown = hideSecrets(given)
    expect(restoreSecrets({ ...shown, insecure_skip_verify: true }, given).faults).toEqual([
      {
        field: 'headers',
        header: 'Authorization',
        must: 'must be given again, because insecure_skip_verify was turned on',
      },
    ])
    const open = { ...given, insecure_skip_verify: true }
    expect(restoreSecrets(hideSecrets(open), open)).toEqual({ restored: open, faults: [] })
  })
})

test('a hidden value keeps that of the same name alone', () => {
  const stored = { ...BLANK_CHECK, url: 'https://a:ONE@b.example/?token=TWO&token=THREE', headers: { 'X-Key': 'FOUR' } }
  const restored = (some: Partial<CheckFields>) => restoreSecrets({ ...stored, ...some }, stored)
  expect(restored({ url: 'https://b.example/c?x=1&token=***&token=new' }).restored.url).toBe(
    'https://b.example/c?x=1&token=TWO&token=new',
  )
  expect(restored({ url: 'https://c:%2A%2A%2A@b.example/' }).restored.url).toBe('https://c:ONE@b.example/')
  expect(restored({ headers: { 'x-key': HIDDEN } }).restored.headers).toEqual({ 'x-key': 'FOUR' })
  for (const lost of [{ url: 'https://b.example/?key=***' }, { headers: { Cookie: HIDDEN } }, { post_data: HIDDEN }]) {
    const { faults } = restored(lost)
    expect(faults.map(({ must }) => must)).toEqual([
      expect.stringMatching(/, because there is no stored value to keep$/),
    ])
  }
  expect(restoreSecrets(hideSecrets(stored), undefined).faults).toHaveLength(4)
})

test('a guess is compared with nothing', () => {
  const stored = { ...BLANK_CHECK, url: 'https://a:ONE@b.example/', headers: { 'X-Key': 'FOUR', Cookie: 'FIVE' } }
  const guess = { ...stored, url: 'https://a:GUESS@c.example/', headers: { 'X-Key': 'GUESS', 'X-New': 'SIX' } }
  expect(withStoredSecrets(guess, stored)).toEqual({
    held: { ...stored, url: 'https://a:ONE@c.example/', headers: { 'X-Key': 'FOUR', 'X-New': 'SIX' } },
    fields: ['url', 'headers'],
  })
})

test.each([
  ['https://ana:hunter2@shop.example/a', 'https://ana:***@shop.example/a'],
  ['https://sk_live_1@shop.example', 'https://***@shop.example'],
  [
    'https://shop.example/?page=2&api_key=abc&x=1#access_token=d',
    'https://shop.example/?page=2&api_key=***&x=1#access_token=***',
  ],
  ['https://shop.example/a@b:c?to=a@b', 'https://shop.example/a@b:c?to=a@b'],
  ['tcp://shop.example:5432', 'tcp://shop.example:5432'],
  ['', ''],
])('%s is shown as %s', (given, shown) => {
  expect(hideInUrl(given)).toBe(shown)
})

test.each(['Authorization', 'token', 'access_token', 'apikey', 'X-Amz-Signature', 'pwd', 'PHPSESSION', 'pass', 'sig'])(
  'a parameter that is called %s is secret',
  (name) => {
    expect([isSecretName(name), isSecretHeader(name)]).toEqual([true, true])
  },
)

test.each(['page', 'author', 'keyword', 'design', 'passenger', 'q', 'sort'])(
  'a parameter that is called %s is not, and an unknown header is',
  (name) => {
    expect([isSecretName(name), isSecretHeader(name)]).toEqual([false, true])
  },
)

test.each(['accept', 'User-Agent', 'Host', 'Content-Type'])('a header that is called %s is not secret', (name) => {
  expect(isSecretHeader(name)).toBe(false)
})

test.each([
  ['https://a.example/?url=http://u:pw@x', 'https://a.example/?url=***'],
  ['https://a.example/?url=http%3A%2F%2Fu%3Apw%40x&page=1', 'https://a.example/?url=***&page=1'],
  ['https://a.example/?url=http://u:p;w@x', 'https://a.example/?url=***'],
  ['https://a.example/?redirect=%3Ftoken%3Dabc', 'https://a.example/?redirect=***'],
  ['https://a.example/?redirect=%253Ftoken%253Dabc', 'https://a.example/?redirect=***'],
  ['https://a.example/b;jsessionid=abc/c;v=1?page=1', 'https://a.example/b;jsessionid=***/c;v=1?page=1'],
  ['https://a.example/?%74oken%=abc', 'https://a.example/?%74oken%=***'],
  ['https://a.example/?data={"token":"abc"}', 'https://a.example/?data=***'],
  ['https://a.example/?data=%7B%22token%22%3A%22abc%22%7D#x', 'https://a.example/?data=***#x'],
  [
    'https://a.example/?code=abc&k=def&access=g&ticket=h&sig=i',
    'https://a.example/?code=***&k=***&access=***&ticket=***&sig=***',
  ],
  ['https://a.example/?page=1;token=abc', 'https://a.example/?page=1;token=***'],
  [
    'https://a.example/?to=//b.example/c&data={"page":1}&mail=a@b',
    'https://a.example/?to=//b.example/c&data={"page":1}&mail=a@b',
  ],
])('a secret is seen within %s', (given, shown) => {
  expect(hideInUrl(given)).toBe(shown)
  const stored = { ...BLANK_CHECK, url: given }
  expect(restoreSecrets({ ...stored, url: shown }, stored)).toEqual({ restored: stored, faults: [] })
})

test.each([
  ['smtp://ana:pw@a.example?starttls=yes', 'smtp://ana:***@a.example', 'it would be sent without encryption'],
  ['tcp://a.example:1?starttls=yes&send=x', 'tcp://a.example:1?send=***', 'it would be sent without encryption'],
  [
    'tcp://a.example:1?starttls=yes&send=x',
    'tcp://a.example:1?send=***&starttls=yes',
    'it would be sent without encryption',
  ],
  ['redis://:pw@a.example', 'rediss://:***@a.example', 'the scheme, host or port of the target has changed'],
])('the secret of %s is not kept for %s', (url, given, why) => {
  const { faults } = restoreSecrets({ ...BLANK_CHECK, url: given }, { ...BLANK_CHECK, url })
  expect(faults.map(({ must }) => must)).toEqual([expect.stringMatching(new RegExp(`, because ${why}$`))])
})

test.each([
  ['smtp://ana:pw@a.example', 'smtp://ana:***@a.example?starttls=yes'],
  ['tcp://a.example:1?send=x&expect=y&send=z', 'tcp://a.example:1?send=***&expect=other&send=***'],
])('the secret of %s is kept for %s', (url, given) => {
  const { restored, faults } = restoreSecrets({ ...BLANK_CHECK, url: given }, { ...BLANK_CHECK, url })
  expect(faults).toEqual([])
  expect(restored.url).not.toContain('***')
})
