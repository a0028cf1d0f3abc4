// isDateTime and Postgres must agree: what the one lets in, the other reads, to the microsecond.

import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { seedFromEnvironment } from '../../runtime/test/support/dice.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

const TEXTS = 20_000

interface Parts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  fraction: string
  /** Minutes east, or the letter. */
  zone: { hours: number; minutes: number; sign: '+' | '-' } | 'Z' | 'z'
  t: 'T' | 't'
}

/** A number of its usual range, with the edges and what lies just past them well represented. */
const around = (min: number, max: number) =>
  fc.oneof({ weight: 6, arbitrary: fc.integer({ min, max }) }, fc.constantFrom(min, max), fc.constant(max + 1))

const parts: fc.Arbitrary<Parts> = fc.record({
  year: fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 1, 1900, 2000, 2024, 2026, 9999)),
  month: around(1, 12),
  day: fc.oneof(around(1, 31), fc.integer({ min: 0, max: 31 })),
  hour: around(0, 23),
  minute: around(0, 59),
  second: around(0, 60),
  fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/), fc.constantFrom('.999999', '.9999999', '.0')),
  zone: fc.oneof(
    fc.constantFrom('Z' as const, 'z' as const),
    fc.record({ hours: around(0, 23), minutes: around(0, 59), sign: fc.constantFrom('+' as const, '-' as const) }),
  ),
  t: fc.constantFrom('T' as const, 't' as const),
})

/** Half of them moved to the last second of a day in UTC, where a leap second stands. */
const withLeapSeconds = fc.oneof(
  { weight: 4, arbitrary: parts },
  parts.map((some): Parts => {
    const minutes = (1439 + offsetOf(some) + 1440) % 1440
    return { ...some, hour: Math.floor(minutes / 60), minute: minutes % 60, second: 60 }
  }),
)

let testDatabase: TestDatabase
let client: pg.Client
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  client = new pg.Client({ connectionString: testDatabase.url })
  await client.connect()
  await client.query(`
    create function read(given text) returns bigint language plpgsql as $$
    begin
      return extract(epoch from given::timestamptz) * 1000000;
    exception when others then
      return null;
    end $$`)
})
afterAll(async () => {
  await client.end()
  await testDatabase.drop()
})

/** Microseconds since the epoch as Postgres reads each text; null where it does not. */
async function readByPostgres(texts: readonly string[]): Promise<(bigint | null)[]> {
  const { rows } = await client.query<{ micros: string | null }>(
    'select read(given)::text as micros from unnest($1::text[]) with ordinality as t (given, place) order by place',
    [texts],
  )
  return rows.map(({ micros }) => (micros === null ? null : BigInt(micros)))
}

test('a date-time that is let in is read by Postgres as the instant it names, its digits cut and never rounded', async () => {
  const all = fc.sample(withLeapSeconds, { numRuns: TEXTS, seed: seedFromEnvironment() })
  const letIn = all.filter((some) => isDateTime(write(some)))
  expect(letIn.length).toBeGreaterThan(TEXTS / 4)
  const read = await readByPostgres(letIn.map((some) => toMicroseconds(write(some))))
  const wrong = letIn.flatMap((some, i) =>
    read[i] === instant(some) ? [] : [{ given: write(some), asked: toMicroseconds(write(some)), read: read[i] }],
  )
  expect(wrong).toEqual([])
})

test('cutting twice changes nothing', () => {
  fc.assert(
    fc.property(withLeapSeconds.map(write).filter(isDateTime), (text) => {
      const once = toMicroseconds(text)
      expect(toMicroseconds(once)).toBe(once)
      expect(isDateTime(once)).toBe(true)
    }),
    { numRuns: 2000, seed: seedFromEnvironment() },
  )
})

test('what is refused of the form is no time of RFC 3339 either, or no time that fits', async () => {
  const refused = fc
    .sample(withLeapSeconds, { numRuns: TEXTS, seed: seedFromEnvironment() + 1 })
    .filter((some) => !isDateTime(write(some)))
  const read = await readByPostgres(refused.map(write))
  // Postgres is looser in these alone: hour 24, a leap second at any time, and years before 1 or after 9999.
  const unexplained = refused.filter(
    (some, i) => read[i] !== null && some.hour !== 24 && some.second !== 60 && !isAtTheEndOfTime(some),
  )
  expect(unexplained.map(write)).toEqual([])
})

function write({ year, month, day, hour, minute, second, fraction, zone, t }: Parts): string {
  const [y = '', ...rest] = [year, month, day, hour, minute, second].map((part) => String(part).padStart(2, '0'))
  const offset = typeof zone === 'string' ? zone : `${zone.sign}${two(zone.hours)}:${two(zone.minutes)}`
  return `${y.padStart(4, '0')}-${rest[0]}-${rest[1]}${t}${rest[2]}:${rest[3]}:${rest[4]}${fraction}${offset}`
}

function two(part: number): string {
  return String(part).padStart(2, '0')
}

function offsetOf({ zone }: Parts): number {
  if (typeof zone === 'string') return 0
  return (zone.sign === '-' ? -1 : 1) * (zone.hours * 60 + zone.minutes)
}

/** By the calendar alone, in whole numbers: not by the code under test, and not by Postgres. */
function instant(some: Parts): bigint {
  const minutes = (daysSinceEpoch(some) * 24 + some.hour) * 60 + some.minute - offsetOf(some)
  const micros = some.fraction.slice(1, 7).padEnd(6, '0')
  return (BigInt(minutes) * 60n + BigInt(some.second)) * 1_000_000n + BigInt(micros)
}

function daysSinceEpoch({ year, month, day }: Parts): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

function isAtTheEndOfTime({ year, month, day }: Parts): boolean {
  return (year === 1 && month === 1 && day === 1) || (year === 9999 && month === 12 && day === 31) || year === 0
}
