// Tokens: their form, their checksum, and what the database keeps of them.
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { hashToken, looksLikeToken, newToken, type TokenKind } from './tokens.ts'

const KINDS: readonly TokenKind[] = ['pat', 'key', 'enroll', 'beat']

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const kind = fc.constantFrom(...KINDS)
const made = fc.record({ kind, bytes: secret }).map(({ kind, bytes }) => ({ kind, token: newToken(kind, () => bytes) }))

test('a token is dogwatch_, its kind, 43 characters of secret and 6 of checksum', () => {
  fc.assert(
    fc.property(made, ({ kind, token }) => {
      expect(token).toMatch(new RegExp(`^dogwatch_${kind}_[0-9A-Za-z]{49}$`))
      expect(looksLikeToken(kind, token)).toBe(true)
    }),
  )
})

test('a known secret makes a known token, so that an old one is told for ever', () => {
  const token = newToken('key', () => new Uint8Array(32))
  expect(token).toBe(`dogwatch_key_${'0'.repeat(43)}1qECRT`)
  expect(newToken('key', () => new Uint8Array(32).fill(255))).toMatch(/^dogwatch_key_[0-9A-Za-z]{49}$/)
})

test('32 random bytes are asked for, once, and different ones make different tokens', () => {
  const asked: number[] = []
  newToken('pat', (bytes) => {
    asked.push(bytes)
    return randomBytes(bytes)
  })
  expect(asked).toEqual([32])
  fc.assert(
    fc.property(secret, secret, (one, other) => {
      fc.pre(Buffer.compare(one, other) !== 0)
      expect(newToken('pat', () => one)).not.toBe(newToken('pat', () => other))
    }),
  )
})

test('a token of one kind is none of another, not even with the kind written over', () => {
  fc.assert(
    fc.property(made, kind, ({ kind, token }, other) => {
      fc.pre(other !== kind)
      expect(looksLikeToken(other, token)).toBe(false)
      expect(looksLikeToken(other, token.replace(`_${kind}_`, `_${other}_`))).toBe(false)
    }),
  )
})

describe('a slip of the pen is told', () => {
  const character = fc.oneof(
    fc.stringMatching(/^[0-9A-Za-z]$/),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  )

  test('any one character changed', () => {
    fc.assert(
      fc.property(made, fc.nat(), character, ({ kind, token }, at, other) => {
        const place = at % token.length
        fc.pre(token[place] !== other)
        expect(looksLikeToken(kind, token.slice(0, place) + other + token.slice(place + 1))).toBe(false)
      }),
      { numRuns: 5000 },
    )
  })

  test('the case of any one letter', () => {
    fc.assert(
      fc.property(made, ({ kind, token }) => {
        for (const [place, letter] of Array.from(token).entries()) {
          const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
          if (other === letter) continue
          expect(looksLikeToken(kind, token.slice(0, place) + other + token.slice(place + 1))).toBe(false)
        }
      }),
    )
  })

  test('two neighbours in the wrong order', () => {
    fc.assert(
      fc.property(made, fc.nat(), ({ kind, token }, at) => {
        const place = at % (token.length - 1)
        const [one = '', other = ''] = [token[place], token[place + 1]]
        fc.pre(one !== other)
        expect(looksLikeToken(kind, token.slice(0, place) + other + one + token.slice(place + 2))).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  const token = newToken('key', () => new Uint8Array(32).fill(7))
  const cases: Record<string, string> = {
    nothing: '',
    'a character too few': token.slice(0, -1),
    'a character too many': `${token}0`,
    'a blank in front': ` ${token}`,
    'a line break behind': `${token}\n`,
    'upper case': token.toUpperCase(),
    'without its prefix': token.slice('dogwatch_'.length),
    twice: token + token,
  }
  test.each(Object.entries(cases))('%s', (_, text) => expect(looksLikeToken('key', text)).toBe(false))
})

test('anything may be asked, and nothing throws', () => {
  fc.assert(fc.property(kind, fc.string({ unit: 'binary' }), (kind, text) => !looksLikeToken(kind, text)))
})

test('the hash is the SHA-256 of the text', () => {
  expect(hashToken('dogwatch_key_x')).toEqual(createHash('sha256').update('dogwatch_key_x', 'utf8').digest())
})
