// Text from outside: what can be stored, and what a person may name a thing.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DomainError } from './errors.ts'
import { isStorable, requireName, toStorable } from './text.ts'

const anything = fc.string({ unit: 'binary', maxLength: 40 })
/** Any sequence of UTF-16 code units, lone surrogates among them. */
const ragged = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd800, 0xdbff, 0xdc00, 0xdfff)), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

describe('what a machine found', () => {
  const cases: Record<string, [given: string, want: string]> = {
    'plain text stays': ['connect ECONNREFUSED', 'connect ECONNREFUSED'],
    'nothing stays nothing': ['', ''],
    'U+0000 goes': ['a\0b\0', 'ab'],
    'a lone high surrogate is replaced': ['a\ud800b', 'a\ufffdb'],
    'a lone low surrogate is replaced': ['a\udc00b', 'a\ufffdb'],
    'a pair in the wrong order is two of them': ['\udc00\ud800', '\ufffd\ufffd'],
    'a pair stays': ['\u{1f415}', '\u{1f415}'],
    'surrogates that U+0000 kept apart come together': ['\ud83d\0\udc15', '\u{1f415}'],
    'other control characters stay': ['a\r\n\t\u001bb', 'a\r\n\t\u001bb'],
    'U+FFFE and U+FFFF stay': ['\ufffe\uffff', '\ufffe\uffff'],
  }
  test.each(Object.entries(cases))('%s', (_, [given, want]) => expect(toStorable(given)).toBe(want))

  test('the outcome is always storable, and a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anything, ragged), (text) => {
        const stored = toStorable(text)
        expect(isStorable(stored)).toBe(true)
        expect(toStorable(stored)).toBe(stored)
        if (isStorable(text)) expect(stored).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('storable is what survives UTF-8 and holds no U+0000', () => {
    fc.assert(
      fc.property(fc.oneof(anything, ragged), (text) => {
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text
        expect(isStorable(text)).toBe(survives && !text.includes('\0'))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what a person names', () => {
  const taken: Record<string, [text: string, options?: Parameters<typeof requireName>[2]]> = {
    plain: ['shop'],
    'one character': ['x'],
    'any script': ['Кіт 店 🐕 é'],
    'blanks around it': [' shop '],
    'exactly the most': ['x'.repeat(200)],
    'exactly another most': ['x'.repeat(254), { max: 254 }],
    'blank where it may be': ['', { mayBeBlank: true }],
    'spaces where it may be': ['  ', { mayBeBlank: true }],
    'quotes, markup, SQL': [`'"><script>;--`],
  }
  test.each(Object.entries(taken))('%s is taken as it is', (_, [text, options]) => {
    expect(requireName('name', text, options)).toBe(text)
  })

  const CONTROL = 'name must not contain control characters or invalid Unicode'
  const refused: Record<string, [text: string, line: string, options?: Parameters<typeof requireName>[2]]> = {
    empty: ['', 'name must not be blank'],
    spaces: ['   ', 'name must not be blank'],
    'no-break spaces': ['\u00a0\u2003', 'name must not be blank'],
    'one too many': ['x'.repeat(201), 'name must be 200 characters or fewer'],
    'one too many of another most': ['x'.repeat(255), 'name must be 254 characters or fewer', { max: 254 }],
    'a line break': ['a\nb', CONTROL],
    'a carriage return': ['a\rb', CONTROL],
    'a tab': ['a\tb', CONTROL],
    'U+0000': ['a\0b', CONTROL],
    DEL: ['a\u007fb', CONTROL],
    NEL: ['a\u0085b', CONTROL],
    'a lone surrogate': ['a\ud800', CONTROL],
    'a line break where blank may be': ['\n', CONTROL, { mayBeBlank: true }],
  }
  test.each(Object.entries(refused))('%s is refused', (_, [text, line, options]) => {
    expect(() => requireName('name', text, options)).toThrow(new DomainError('invalid', line))
  })

  test('what is taken is storable and on one line', () => {
    fc.assert(
      fc.property(fc.oneof(anything, ragged), (text) => {
        try {
          requireName('name', text)
        } catch {
          return
        }
        expect(isStorable(text)).toBe(true)
        expect(text).not.toMatch(/[\r\n]/)
      }),
    )
  })
})
