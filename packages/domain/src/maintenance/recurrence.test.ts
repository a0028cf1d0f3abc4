// Expanding recurrence rules: against another library, and what it costs.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { nextOccurrence, occurrences, type WindowSchedule } from './occurrences.ts'
import { Recurrence } from './recurrence.ts'
import { readRule } from './rule.ts'

const DAY_MS = 86_400_000
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Casablanca',
  'UTC',
]

function list(name: string, least: number, most: number, isSigned = false): fc.Arbitrary<string> {
  const number = fc.integer({ min: least, max: most })
  const one = isSigned ? fc.tuple(number, fc.boolean()).map(([n, isBack]) => (isBack ? -n : n)) : number
  return fc.uniqueArray(one, { minLength: 1, maxLength: 4 }).map((some) => `${name}=${some.join(',')}`)
}

function part(arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary })
}

/** Either every weekday is numbered or none, and a year has one kind of day only: docs/decisions/0008-recurrence-rules.md lists where libraries differ. */
function days(frequency: string): fc.Arbitrary<string> {
  const plain = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 4 })
  const numbered = fc.uniqueArray(
    fc
      .tuple(
        fc.integer({ min: -5, max: 5 }).filter((n) => n !== 0),
        fc.constantFrom(...WEEKDAYS),
      )
      .map(([n, day]) => `${n}${day}`),
    { minLength: 1, maxLength: 4 },
  )
  const isLong = frequency === 'MONTHLY' || frequency === 'YEARLY'
  const weekdays = (isLong ? fc.oneof(plain, numbered) : plain).map((some) => `BYDAY=${some.join(',')}`)
  const others = [
    ...(frequency === 'WEEKLY' ? [] : [list('BYMONTHDAY', 1, 31, true)]),
    ...(frequency === 'YEARLY' ? [list('BYYEARDAY', 1, 366, true)] : []),
  ]
  if (frequency === 'YEARLY') return fc.oneof(fc.constant(''), weekdays, ...others)
  return fc.tuple(part(weekdays), ...others.map(part)).map((some) => some.join(';'))
}

const RULE = fc.constantFrom('HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY').chain((frequency) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: frequency === 'HOURLY' ? 50 : 4 }).map((n) => `INTERVAL=${n}`),
      part(list('BYMONTH', 1, 12)),
      days(frequency),
      part(list('BYHOUR', 0, 23)),
      part(list('BYMINUTE', 0, 59)),
      part(fc.constantFrom(...WEEKDAYS).map((day) => `WKST=${day}`)),
      fc.oneof(
        fc.constant(''),
        fc.integer({ min: 1, max: 300 }).map((n) => `COUNT=${n}`),
        fc.constant('UNTIL=20271102T000000'),
      ),
    )
    .map((parts) =>
      [`FREQ=${frequency}`, ...parts]
        .flatMap((some) => some.split(';'))
        .filter((one) => one !== '')
        .join(';'),
    ),
)

function byLibrary({ starts_at, duration_sec, zone, rule }: WindowSchedule, from: number, until: number): number[] {
  const rruleString = `DTSTART:${starts_at.replaceAll(/[-:]/g, '')}00Z\nRRULE:${(rule ?? '').replace(/UNTIL=\w+/, '$&Z')}`
  const expanded = new RRuleTemporal({
    rruleString,
    maxIterations: 100_000,
    maxCandidateEvaluations: 100_000,
    cache: false,
  })
  const walls = expanded.between(new Date(from - 2 * DAY_MS), new Date(until + DAY_MS), true)
  const begins = walls.map(
    (wall) => Temporal.PlainDateTime.from(wall.toString().slice(0, 19)).toZonedDateTime(zone).epochMilliseconds,
  )
  return [...new Set(begins)]
    .filter((at) => at + duration_sec * 1000 > from && at < until)
    .toSorted((one, other) => one - other)
}

describe('a rule', () => {
  test('occurs when another library says, over both changes of clocks', () => {
    const seed = Number(process.env.SEED ?? 7)
    const given = fc.tuple(
      RULE,
      fc.constantFrom(...ZONES),
      fc.constantFrom('2027-03-12', '2027-10-20'),
      fc.integer({ min: 0, max: 23 }),
    )
    let some = 0
    fc.assert(
      fc.property(given, ([rule, zone, day, hour]) => {
        const schedule = { rule, zone, duration_sec: 1800, starts_at: `2026-05-11T${String(hour).padStart(2, '0')}:30` }
        expect(readRule(rule).faults).toEqual([])
        const from = Date.parse(day)
        const found = occurrences(schedule, from, from + 40 * DAY_MS).map(({ begins }) => begins)
        some += found.length
        // Libraries search for a rule that never occurs until their bound.
        if (nextOccurrence({ ...schedule, rule: rule.replace(/;(COUNT|UNTIL)=\w+/, '') }, from) === undefined) return
        expect(found).toEqual(byLibrary(schedule, from, from + 40 * DAY_MS))
      }),
      { seed, numRuns: 300 },
    )
    expect(some).toBeGreaterThan(1000)
  })

  test.each([
    ['FREQ=YEARLY;BYDAY=MO,35TU;COUNT=3', ['2026-01-05', '2026-01-12', '2026-01-19']],
    ['FREQ=YEARLY;BYYEARDAY=5,6;BYDAY=MO;COUNT=2', ['2026-01-05', '2031-01-06']],
    ['FREQ=YEARLY;BYWEEKNO=20;COUNT=2', ['2026-05-14', '2027-05-20']],
    ['FREQ=WEEKLY;BYDAY=MO,TH;BYSETPOS=-1;COUNT=2', ['2026-01-01', '2026-01-08']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3', ['2026-01-30', '2026-02-27', '2026-03-31']],
    ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU;COUNT=2', ['2027-01-03', '2028-01-02']],
  ])('where libraries differ, follows the RFC: %s', (rule, expected) => {
    const schedule = { rule, zone: 'UTC', duration_sec: 60, starts_at: '2026-01-01T00:00' }
    const found = occurrences(schedule, Date.parse('2026-01-01'), Date.parse('2032-01-01'))
    expect(found.map(({ begins }) => new Date(begins).toISOString().slice(0, 10))).toEqual(expected)
  })

  test('with a COUNT occurs as often as that, also when it is asked for years later', () => {
    const schedule = { rule: 'FREQ=HOURLY;COUNT=40000', zone: 'UTC', duration_sec: 60, starts_at: '2021-01-01T00:00' }
    const last = Date.parse('2021-01-01') + 39_999 * 3_600_000
    expect(occurrences(schedule, last - 3_600_000, last + DAY_MS).map(({ begins }) => begins)).toEqual([
      last - 3_600_000,
      last,
    ])
    expect(nextOccurrence(schedule, last + 1)).toBeUndefined()
  })
})

describe('the steps of expanding a rule', () => {
  const YEARS_MS = 5 * 366 * DAY_MS
  test.each([
    'FREQ=HOURLY',
    'FREQ=HOURLY;COUNT=15000;BYDAY=MO,TU,WE,TH,FR',
    'FREQ=HOURLY;COUNT=1000000',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3;BYSETPOS=1,-1',
    'FREQ=YEARLY;INTERVAL=1000000;BYWEEKNO=53',
    'FREQ=HOURLY;INTERVAL=1000000;COUNT=1000000',
  ])('are one for each day at most, years after its start: %s', (text) => {
    const { rule } = readRule(text)
    if (!rule) throw new Error('it is a rule')
    const recurrence = new Recurrence(rule, 0, Infinity)
    recurrence.between(YEARS_MS, YEARS_MS + 60 * DAY_MS)
    // The period in which it begins is whole where positions are asked for.
    expect(recurrence.steps).toBeLessThanOrEqual((YEARS_MS + 60 * DAY_MS) / DAY_MS + 2 * 366)
  })
})
