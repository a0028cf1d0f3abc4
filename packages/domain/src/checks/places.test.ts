import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Ledger, text } from '../../test/ledger.ts'
import { downSpansIn, judge } from './health.ts'
import { gapMs, type JudgedResult, nameOfRules, PlaceJudge, type Rules, rulesOf } from './places.ts'

const INTERVAL_SEC = 20

interface Given {
  threshold?: number
  monitors?: number
  down_places?: number
  down_majority?: boolean
  up_successes?: number
}

const rules = ({
  threshold = 1,
  monitors = 3,
  down_places = 0,
  down_majority = false,
  up_successes = 0,
}: Given): Rules =>
  rulesOf({ threshold, monitors, interval_sec: INTERVAL_SEC, down_places, down_majority, up_successes })

const MAJORITY = rules({ down_majority: true })

/** `A+ B- C+`: who ran it, a turn after the other, and what came of it; `.` is a turn that nobody took, `9.` are nine. */
function runs(story: string): JudgedResult[] {
  let turn = 0
  return story
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => {
      if (word.endsWith('.')) {
        turn += Number(word.slice(0, -1) || 1)
        return []
      }
      return [{ at: text(1000 * INTERVAL_SEC * turn++), monitor_id: word.slice(0, -1), success: word.endsWith('+') }]
    })
}

const turn = (n: number): string => text(1000 * INTERVAL_SEC * n)

/** The whole history at once. */
function spansOf(results: readonly JudgedResult[], by: Rules): { began_at: string; ended_at: string | null }[] {
  const fold = new PlaceJudge(by)
  fold.begin(null)
  for (const one of results) fold.take(one)
  return fold.spans.map(({ began_at, ended_at }) => ({ began_at, ended_at }))
}

/** In turns, `0 4` or `0 -`. */
function told(story: string, by: Rules): string[] {
  const turnOf = (at: string) => String((Date.parse(at) - Date.parse(text(0))) / 1000 / INTERVAL_SEC)
  return spansOf(runs(story), by).map(
    ({ began_at, ended_at }) => `${turnOf(began_at)} ${ended_at ? turnOf(ended_at) : '-'}`,
  )
}

describe('down when failing from several places', () => {
  const NEVER: string[] = []
  const cases: { name: string; by?: Given; story: string; want: string[] }[] = [
    {
      name: 'one of three is no majority, however often it fails',
      story: 'A+ B+ C+ A+ B- C+ A+ B- C+ A+ B- C+',
      want: NEVER,
    },
    {
      name: 'two of three are one, since the second of them fails',
      story: 'A+ B+ C+ A+ B- C- A+ B- C-',
      want: ['5 -'],
    },
    { name: 'it is up once fewer fail', story: 'A+ B+ C+ A- B- C+ A- B+ C+', want: ['4 7'] },
    { name: 'a place that stays failing ends nothing', story: 'A+ B+ C+ A- B- C+ A- B- C+ A- B- C+', want: ['4 -'] },
    {
      name: 'failures in a row count for each place by itself',
      by: { threshold: 2, down_majority: true },
      story: 'A+ B+ C+ A- B- C+ A+ B+ C+ A- B- C+ A- B- C+',
      want: ['10 -'],
    },
    { name: 'a number of places', by: { down_places: 3 }, story: 'A+ B+ C+ A- B- C+ A- B- C- A-', want: ['8 -'] },
    {
      name: 'of one place, successes of others end nothing',
      by: { down_places: 1 },
      story: 'A+ B+ C+ A- B+ C+ A- B+ C+ A+',
      want: ['3 9'],
    },
    {
      name: 'more places than there are means all of them',
      by: { down_places: 9 },
      story: 'A+ B+ C+ A- B- C+ A- B- C-',
      want: ['8 -'],
    },
    {
      name: 'with one monitor it is as ever',
      by: { down_majority: true, monitors: 1 },
      story: 'A+ A- A- A+',
      want: ['1 3'],
    },
    {
      name: 'after a break, nobody decides alone before the others have had their turn',
      story: 'A- B+ C+ A- B+ C+',
      want: NEVER,
    },
    { name: 'where the others do not come, it is judged without them', story: 'A- 2. A- 2. A-', want: ['3 -'] },
  ]
  test.each(cases)('$name', ({ by = { down_majority: true }, story, want }) => {
    expect(told(story, rules(by))).toEqual(want)
  })
})

test('a check that was down before a break is not up before enough of its monitors have had their turn', () => {
  const after = (story: string) => {
    const fold = new PlaceJudge(MAJORITY)
    fold.begin(text(-600_000))
    for (const one of runs(story)) fold.take(one)
    return fold.spans.map(({ ended_at }) => ended_at)
  }
  expect(after('C+ A- B-')).toEqual([null])
  expect(after('C+ A+')).toEqual([turn(1)])
})

describe('a monitor that goes away', () => {
  const gone = 'A- . C+ '.repeat(9)
  test('while it was failing does not bring the check up: one of two is failing, and nobody has shown that it is well', () => {
    expect(told(`A+ B+ C+ A- B- C+ ${gone}`, MAJORITY)).toEqual(['4 -'])
  })
  test('and a success of the other one that was failing does', () => {
    expect(told(`A+ B+ C+ A- B- C+ ${gone} A+`, MAJORITY)).toEqual(['4 33'])
  })
  test('and its own success does, when it is back', () => {
    expect(told(`A+ B+ C+ A- B- C+ ${gone} A- B+`, MAJORITY)).toEqual(['4 34'])
  })
  test('with all that were failing leaves those that see it well', () => {
    expect(told(`A+ B+ C+ A- B- C+ ${'2. C+ '.repeat(15)}`, MAJORITY)).toEqual(['4 20'])
  })
  test('while it was well does not take the check down: that takes a failure', () => {
    const [before, after] = ['A+ B+ C+ A- B+ C+ ', 'A- B+ . '.repeat(9)]
    expect(told(before + after, MAJORITY)).toEqual([])
    // Three places are wanted, and only two are left: all of them.
    expect(told(`A+ B+ C+ A- B- C+ ${'A- B- . '.repeat(9)}`, rules({ down_places: 3 }))).toEqual(['21 -'])
  })
  test('and comes back has its failures counted anew', () => {
    const by = rules({ down_majority: true, threshold: 2 })
    expect(told(`A+ B+ C+ A- B- C+ ${'. . C+ '.repeat(20)} A- B- C+`, by)).toEqual([])
  })
})

describe('successes before up', () => {
  const by = rules({ up_successes: 3, threshold: 2 })
  test('come in a row, over all monitors; it was up since the first of them', () => {
    expect(told('A+ B- C- A+ B+ C- A+ B+ C+ A+', by)).toEqual(['1 6'])
  })
  test('are not in a row over a gap', () => {
    expect(told('A+ B- C- A+ B+ 99. C+ A+ B+', by)).toEqual(['1 104'])
  })
  test('count for each place by itself', () => {
    expect(told('A+ B+ C+ A- B- C+ A+ B- C+ A+ B- C+', rules({ up_successes: 2, down_majority: true }))).toEqual([
      '4 6',
    ])
  })
})

test('a rule that was changed while the check was down applies at the next result', () => {
  const results = runs('A+ B+ C+ A- B+ C+ A- B+ C+').toReversed()
  const health = { down_since: turn(3), last_ended_at: null }
  const recorded = [{ began_at: turn(3), ended_at: null }]
  const judged = (hasOtherRules: boolean) =>
    judge(health, results, MAJORITY, new Date(turn(9)), true, { from: turn(8), recorded, hasOtherRules }).change
  expect(judged(true)).toMatchObject({ kind: 'up', reason: 'threshold' })
  expect(new Set([nameOfRules(MAJORITY), nameOfRules(rules({})), nameOfRules(rules({ up_successes: 2 }))]).size).toBe(3)
})

// Histories: who runs it and what comes of it, with monitors that go away and come back, and gaps without anybody.
const MONITORS = ['A', 'B', 'C', 'D']
const spell = fc.record({
  turns: fc.integer({ min: 1, max: 12 }),
  /** Who is there, and to whom the target looks broken. */
  there: fc.subarray(MONITORS),
  broken: fc.subarray(MONITORS),
  noise: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
})
const histories = fc.array(spell, { minLength: 1, maxLength: 14 }).map((spells) => {
  let turns = 0
  return spells.flatMap(({ turns: count, there, broken, noise }) =>
    Array.from({ length: count * 2 }, (_, n): JudgedResult[] => {
      const at = text(1000 * INTERVAL_SEC * turns)
      const monitor_id = MONITORS[turns++ % MONITORS.length] ?? ''
      if (!there.includes(monitor_id)) return []
      return [{ at, monitor_id, success: broken.includes(monitor_id) ? noise[n % 12] === true && n % 5 === 0 : true }]
    }).flat(),
  )
})
const anyRules = fc
  .record({
    threshold: fc.integer({ min: 1, max: 3 }),
    monitors: fc.constant(MONITORS.length),
    down_places: fc.integer({ min: 0, max: 4 }),
    down_majority: fc.boolean(),
    up_successes: fc.integer({ min: 0, max: 3 }),
  })
  .map(rules)
const END = 1_000_000_000

function inOrder(history: readonly JudgedResult[], by: Rules): Ledger {
  const ledger = new Ledger(by)
  for (const one of history) ledger.receive(Date.parse(one.at) - Date.parse(text(0)), [one])
  return ledger
}

const bounds = (ledger: Ledger) => ledger.incidents.map(({ began_at, ended_at }) => ({ began_at, ended_at }))

test('results that arrive one by one, of which few are read, are judged like the whole history at once', () => {
  fc.assert(
    fc.property(histories, anyRules, (history, by) => {
      expect(bounds(inOrder(history, by))).toEqual(by.confirm ? spansOf(history, by) : plain(history, by))
    }),
    { numRuns: 300 },
  )
})

/** Judges by the sentence of the rule: down from the first of so many failures in a row, until the next success. */
function plain(history: readonly JudgedResult[], { threshold, gap_ms }: Rules) {
  const spans: { began_at: string; ended_at: string | null }[] = []
  let row: string[] = []
  for (const { at, success } of history) {
    const isDown = spans.at(-1)?.ended_at === null
    if (success) {
      if (isDown) spans.splice(-1, 1, { began_at: spans.at(-1)?.began_at ?? '', ended_at: at })
      row = []
      continue
    }
    const isAfterGap = Date.parse(at) - Date.parse(row.at(-1) ?? at) > gap_ms
    row = isAfterGap ? [at] : [...row, at]
    if (!isDown && row.length === threshold) spans.push({ began_at: row[0] ?? '', ended_at: null })
  }
  return spans
}

test('while one of three monitors has been failing for long, few results are read', () => {
  const story = `A+ B+ C+ ${'A- B+ C+ '.repeat(400)}B-`
  const ledger = inOrder(runs(story), MAJORITY)
  expect(bounds(ledger)).toEqual([{ began_at: turn(1203 + 0), ended_at: null }])
  expect(ledger.read).toBeLessThan(60)
})

test('without places, and with one success, results are judged as ever', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 4 }), (history, threshold) => {
      const by = rules({ threshold })
      const spans = downSpansIn(history.toReversed(), by, null, true)
      expect(spans.map(({ began_at, ended_at }) => ({ began_at, ended_at }))).toEqual(plain(history, by))
      expect(spans.every(({ failures }) => failures >= threshold)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a majority of one monitor is that monitor', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 4 }), (history, threshold) => {
      const own = history.map((one) => ({ ...one, monitor_id: 'A' }))
      expect(spansOf(own, rules({ threshold, monitors: 1, down_majority: true }))).toEqual(
        plain(own, rules({ threshold })),
      )
    }),
    { numRuns: 100 },
  )
})

test('in whatever order results arrive, and however often, the next results leave the state that the ordered history has', () => {
  const arrivals = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray([...history.keys()], { minLength: history.length }),
      fc.array(fc.nat(), { maxLength: 5 }),
    ),
  )
  fc.assert(
    fc.property(arrivals, anyRules, ([history, order, again], by) => {
      const ledger = new Ledger(by)
      for (const index of [...order, ...again.map((n) => n % Math.max(history.length, 1))]) {
        const one = history[index]
        // Judged again with all that is stored, as when the last of what was late is there.
        if (one) ledger.receive(END, [one, ...history.slice(0, 1)])
      }
      // Each monitor goes on seeing what it saw last.
      const last = MONITORS.flatMap((id) => history.findLast(({ monitor_id }) => monitor_id === id) ?? [])
      const end = Date.parse(history.at(-1)?.at ?? text(0)) - Date.parse(text(0))
      const rest = [1, 2, 3].flatMap((n) => last.map((one, i) => ({ ...one, at: text(end + 1000 * (10 * n + i)) })))
      for (const next of rest) ledger.receive(END, [next, ...history.slice(0, 1)])
      const whole = [...history, ...rest]
      const isDown = (by.confirm ? spansOf(whole, by) : plain(whole, by)).at(-1)?.ended_at === null
      expect(bounds(ledger).some(({ ended_at }) => ended_at === null)).toBe(isDown)
    }),
    { numRuns: 200 },
  )
})

test('incidents never overlap', () => {
  fc.assert(
    fc.property(histories, anyRules, (history, by) => {
      const spans = spansOf(history, by)
      for (const [i, { began_at, ended_at }] of spans.entries()) {
        if (ended_at !== null) expect(ended_at >= began_at).toBe(true)
        const next = spans[i + 1]
        if (next) expect(ended_at !== null && ended_at <= next.began_at).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

test('gaps and rounds count for all monitors together', () => {
  expect(gapMs({ interval_sec: INTERVAL_SEC, monitors: 3 })).toBe(MAJORITY.gap_ms)
})
