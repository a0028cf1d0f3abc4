// What an export writes of a result is what a page of results has of it, to the letter.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { toResult } from './wire.ts'
import { writeResults } from './written-results.ts'

const text = fc.oneof(fc.constantFrom('', '"\\\n\u2028', 'ready ✓', '\ud83d'), fc.string({ maxLength: 20 }))
const ms = fc.option(fc.nat(65_535))
const instant = fc.constantFrom('2026-11-20T09:00:00.000000Z', '2027-01-01T00:00:00.000001Z')
const row = fc.record({
  ran_at: instant,
  monitor_id: text,
  monitor_name: text,
  success: fc.boolean(),
  latency_ms: fc.nat(),
  http_status: fc.constantFrom(0, 200, 503),
  error: fc.option(text),
  response_sample: fc.option(text),
  dns_ms: ms,
  connect_ms: ms,
  tls_ms: ms,
  first_byte_ms: ms,
  transfer_ms: ms,
  retries: fc.option(fc.nat(5)),
  cert_expires_at: fc.option(instant),
})

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

test('results are written as their JSON', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const all = rows.map((one) => JSON.stringify(toResult(one)))
      expect(decode(writeResults('"é":[', rows))).toBe(`"é":[${all.join(',')}`)
    }),
    { numRuns: 500 },
  )
})

test('texts longer than usual, of characters of three and four bytes, are written to their end', () => {
  for (const response_sample of ['✓'.repeat(5000), '🐕'.repeat(5000), 'é'.repeat(300)]) {
    const [one] = fc.sample(row, 1)
    const rows = Array.from({ length: 40 }, () => ({ ...(one as NonNullable<typeof one>), response_sample }))
    expect(JSON.parse(decode(writeResults('[', rows)) + ']')).toEqual(
      rows.map((each) => JSON.parse(JSON.stringify(toResult(each)))),
    )
  }
})
