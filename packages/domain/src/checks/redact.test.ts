import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { redact, secretsOf } from './redact.ts'

const header = (value: string) => secretsOf([{ headers: { 'X-Api-Key': value } }])

test('a secret that overlaps another leaves nothing of it', () => {
  const definition = { url: 'https://example.com/?key=before-the-s', headers: { 'X-Api-Key': 'secret-of-the-header' } }
  const text = 'it sent before-the-secret-of-the-header, and more'
  expect(redact(text, secretsOf([definition]))).toBe('it sent ***, and more')
})

test('a secret that overlaps itself leaves nothing of it', () => {
  expect(redact('it sent abababab, and more', header('ababab'))).toBe('it sent ***, and more')
})

test('each place of a secret is replaced, also side by side', () => {
  expect(redact('secretsecret and secret.', header('secret'))).toBe('****** and ***.')
})

test('a definition of very many secrets is listed as far as is needed to hide its texts whole', () => {
  const words = Array.from({ length: 1000 }, (_, n) => `word-${n}`)
  const headers = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`X-${n}`, words.join(`;${n}`)]))
  const secrets = secretsOf([{ url: 'https://example.com/', headers, post_data: JSON.stringify(words) }])
  expect([secrets.areTooMany, secrets.index.size < 550]).toEqual([true, true])
  expect(redact('an answer of its target', secrets)).toBe('***')
})

test('a text that makes the search costly is hidden whole', () => {
  const secrets = secretsOf([{ post_data: `${'a'.repeat(5000)}b` }])
  expect(redact('a'.repeat(10_000), secrets)).toBe('***')
})

describe('a secret is seen as it stands in', () => {
  const SECRET = `p&s"w'o<r>d é/+\\1`
  const asHtml = (quote: string, apostrophe: string) =>
    SECRET.replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe)
  const numbered = Array.from(SECRET, (one) => `&#x${one.codePointAt(0)?.toString(16)};`).join('')
  const json = JSON.stringify(SECRET).slice(1, -1)
  test.each([
    ['text', SECRET],
    ['capitals', SECRET.toUpperCase()],
    ['HTML', asHtml('&quot;', '&#39;')],
    ['HTML with numbers', asHtml('&#34;', '&#x27;')],
    ['HTML with numbers alone', numbered],
    ['an address', encodeURIComponent(SECRET)],
    ['an address in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['JSON', json],
    ['JSON of PHP', json.replaceAll('/', '\\/').replace('é', '\\u00e9')],
    ['JSON of Go', json.replace('&', '\\u0026').replace('<', '\\u003c').replace('>', '\\u003e')],
    ['JSON within HTML', json.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['a program', SECRET.replace('&', '\\x26')],
  ])('%s', (_, echoed) => {
    expect(redact(`it sent ${echoed}, and more`, header(SECRET))).toBe('it sent ***, and more')
  })

  test('a cookie that a program has decoded', () => {
    const secrets = secretsOf([{ headers: { Cookie: 'a=1; sid=s%3Aabc%2Bdef.ghi%3D' } }])
    expect(redact('{"sid":"s:abc+def.ghi="}', secrets)).toBe('{"sid":"***"}')
  })

  test('the value of a cookie that contains an equals sign', () => {
    expect(redact('its value is ab=cd=ef.', header('session=ab=cd=ef'))).toBe('its value is ***.')
  })

  test('a login that a program has read', () => {
    const secrets = header(`Basic ${Buffer.from('ana:hunter22').toString('base64')}`)
    expect(redact('user ana, password hunter22.', secrets)).toBe('user ana, password ***.')
  })

  test('an escape that ends or begins in the middle of a secret', () => {
    expect(redact('x%C3%A9%C3%A8secrets', header('èsecret'))).toBe('x***s')
    expect(redact('%secrets', header('secret'))).toBe('%***s')
  })
})

describe('a text that was cut', () => {
  const CUT = 200

  test('shows nothing of a secret that was cut', () => {
    const secret = fc.string({ unit: fc.constantFrom(...Array.from('ABCDEF&"é')), minLength: 6, maxLength: 150 })
    const asSent = fc.constantFrom(
      (text: string) => text,
      (text: string) => encodeURIComponent(text),
      (text: string) => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join(''),
    )
    fc.assert(
      fc.property(secret, asSent, fc.nat(CUT), (value, sent, before) => {
        const text = Array.from('x'.repeat(before) + sent(value).repeat(200))
          .slice(0, CUT)
          .join('')
        expect(redact(text, header(value), CUT).replace(/^x*/, '')).toMatch(/^(?:\*{3})*$/)
      }),
    )
  })

  test('looks the same whether a guess that it ends with is right or wrong', () => {
    const value = 'correct-horse-battery-staple'
    for (let length = 1; length < value.length; length++) {
      const ending = (guess: string) => `it sent ${guess}`.padStart(CUT, '.')
      const [right, wrong] = [value.slice(0, length), `${value.slice(0, length - 1)}!`]
      expect(redact(ending(right), header(value), CUT)).toBe(redact(ending(wrong), header(value), CUT))
    }
  })

  test('tells nothing of a long secret beyond its beginning', () => {
    const value = 'a-beginning-that-everyone-knows-and-'.repeat(4)
    const ending = (guess: string) => `it sent ${guess}${'.'.repeat(60)}`.padStart(CUT, '.')
    const [right, wrong] = [value.slice(0, 50), `${value.slice(0, 49)}!`]
    expect(redact(ending(right), header(value), CUT)).toBe(redact(ending(wrong), header(value), CUT))
  })

  test('keeps what is said of it, and a text that was not cut keeps its end', () => {
    const note = ' [match: not found in the first 1 MiB of the body; the rest is not read]'
    const begun = 'x'.repeat(CUT - note.length - 5) + 'secre'
    expect(redact(begun + note, header('secret'), CUT)).toMatch(/^x+\*{3} \[match: not found[^*]*\]$/)
    expect(redact('{"status":"down"}', header('secret'), CUT)).toBe('{"status":"down"}')
    expect(redact('x'.repeat(CUT), secretsOf([{ url: 'https://a.example/' }]), CUT)).toBe('x'.repeat(CUT))
  })
})
