// Identifiers: their alphabets, their width, and that they use the chance they are given.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newGuid, newMonitorId, newRequestId } from './ids.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

const chance = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

test('a monitor id is twelve characters of lower-case Crockford base32', () => {
  fc.assert(fc.property(chance(12), (bytes) => /^[0-9a-hjkmnp-tv-z]{12}$/.test(newMonitorId(() => bytes))))
})

test('each character of a monitor id is five bits of one byte, so all are as likely', () => {
  const seen = new Map<string, number>()
  for (let byte = 0; byte < 256; byte++) {
    const [first = ''] = newMonitorId(() => new Uint8Array(12).fill(byte))
    seen.set(first, (seen.get(first) ?? 0) + 1)
  }
  expect([...seen.keys()].sort()).toEqual(Array.from(CROCKFORD))
  expect(new Set(seen.values())).toEqual(new Set([8]))
})

test('a guid is a lower-case UUID of version 4, and 122 of its bits are chance', () => {
  fc.assert(
    fc.property(chance(16), (bytes) => {
      const guid = newGuid(() => bytes)
      expect(guid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const back = Buffer.from(guid.replaceAll('-', ''), 'hex')
      const differing = bytes.map((byte, i) => byte ^ (back[i] ?? 0))
      expect([...differing].every((bits, i) => (i === 6 ? bits < 256 && (bits & 0x0f) === 0 : true))).toBe(true)
      expect([...differing].every((bits, i) => (i === 8 ? (bits & 0x3f) === 0 : i === 6 || bits === 0))).toBe(true)
    }),
  )
})

test('a guid leaves the bytes that it was given alone', () => {
  const bytes = new Uint8Array(16).fill(255)
  newGuid(() => bytes)
  expect(bytes).toEqual(new Uint8Array(16).fill(255))
})

test('a request id is r- and sixteen hex digits', () => {
  fc.assert(fc.property(chance(8), (bytes) => /^r-[0-9a-f]{16}$/.test(newRequestId(() => bytes))))
})

test('ten thousand of each are all different', () => {
  for (const make of [newMonitorId, newGuid, newRequestId]) {
    expect(new Set(Array.from({ length: 10_000 }, () => make(randomBytes))).size).toBe(10_000)
  }
})
