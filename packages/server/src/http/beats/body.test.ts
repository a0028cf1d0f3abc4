// The end of a body as text that can be stored.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { KEPT_BYTES, tailText } from './body.ts'

test.each([
  ['nothing', Buffer.alloc(0), null],
  ['text', Buffer.from('grüße €'), 'grüße €'],
  ['a U+0000', Buffer.from('a\0b'), 'ab'],
  ['nothing but U+0000', Buffer.from('\0\0'), null],
  ['no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
  ['half a character at its end', Buffer.from([0x61, 0xe2, 0x82]), 'a\ufffd'],
  ['half a character at its beginning, uncut', Buffer.from([0x82, 0xac, 0x61]), '\ufffd\ufffda'],
])('%s', (_, bytes, want) => {
  expect(tailText(bytes)).toBe(want)
})

test.each([1, 2, 3])('a character cut at byte %i of its four is left out', (cut) => {
  // The cut falls behind `cut` bytes of the first character.
  const bytes = Buffer.concat([Buffer.from('🐕'), Buffer.alloc(KEPT_BYTES - 4 + cut, 'x')])
  expect(tailText(bytes)).toBe('x'.repeat(KEPT_BYTES - 4 + cut))
})

test('what is stored can be stored, is short, and ends as the body ended', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(piece, fc.nat(60), piece, (begin, less, end) => {
      // Long enough that the cut may fall into the beginning.
      const body = Buffer.concat([begin, Buffer.alloc(KEPT_BYTES - less, 'x'), end])
      const text = tailText(body) ?? ''
      expect(text).not.toContain('\0')
      expect(text.isWellFormed()).toBe(true)
      expect(text.length).toBeLessThanOrEqual(KEPT_BYTES)
      expect(body.toString('utf8').replaceAll('\0', '').endsWith(text)).toBe(true)
    }),
  )
})
