// The token of forms: masked anew for each answer, and still the one token that the session knows.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { csrfToken, isCsrfToken } from './csrf.ts'

const SESSION = 'a session of somebody'
/** Returns the token under a mask of zeros, without the mask. */
const unmasked = () =>
  Buffer.from(
    csrfToken(SESSION, 7, (bytes) => new Uint8Array(bytes)),
    'base64url',
  )
    .subarray(32)
    .toString('base64url')
const masked = () => csrfToken(SESSION, 7, randomBytes)

test('it stands in no two answers as the same text, not even in part', () => {
  const tokens = Array.from({ length: 200 }, masked)
  expect(new Set(tokens).size).toBe(200)
  for (const half of [0, 1]) {
    expect(
      new Set(
        tokens.map((token) =>
          Buffer.from(token, 'base64url')
            .subarray(32 * half, 32 * half + 32)
            .toString('hex'),
        ),
      ).size,
    ).toBe(200)
  }
  const bare = unmasked()
  for (const token of tokens) expect(token).not.toContain(bare)
})

test('each of them is taken, for its own session and organisation alone', () => {
  for (let i = 0; i < 20; i++) {
    const token = masked()
    expect(isCsrfToken(token, SESSION, 7)).toBe(true)
    expect(isCsrfToken(token, SESSION, 8)).toBe(false)
    expect(isCsrfToken(token, SESSION, undefined)).toBe(false)
    expect(isCsrfToken(token, 'another session', 7)).toBe(false)
  }
})

test('nothing else is', () => {
  const token = masked()
  const flipped = Buffer.from(token, 'base64url')
  flipped[40] = (flipped[40] ?? 0) ^ 1
  const others = [
    '',
    unmasked(),
    'x',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    token.slice(0, 43),
    token.slice(43),
    ` ${token}`,
    flipped.toString('base64url'),
  ]
  for (const given of others) expect([given, isCsrfToken(given, SESSION, 7)]).toEqual([given, false])
})
