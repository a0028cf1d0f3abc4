import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Ledger, text } from '../../test/ledger.ts'
import { neededOf, rulesOf } from './places.ts'
import { quorumSince, rulesNow } from './quorum.ts'

const INTERVAL_SEC = 20
const MONITORS = ['A', 'B', 'C', 'D']
const NOW = text(0)
const CHECK = {
  ...{ threshold: 1, interval_sec: 60, monitors: 3, down_places: 0, down_majority: true, up_successes: 0 },
  ...{
    down_since: null,
    online: ['A', 'B'],
    quorum: ['A', 'B'],
    quorum_since: null,
    quorum_turns: null,
    quorum_left: {},
  },
}

test.each<[string, Partial<Parameters<typeof quorumSince>[0]>, string | null]>([
  ['is not known to have changed while it is the same', {}, null],
  ['changed when that was recorded', { quorum_since: text(-9000) }, text(-9000)],
  ['changes now if a monitor left', { online: ['A'], quorum_since: text(-9000) }, NOW],
  ['changes now if one joined', { online: ['A', 'B', 'C'] }, NOW],
  ['of a check that was not judged has not changed', { quorum: null }, null],
  ['of an incident for which it is not recorded changes now', { quorum: null, down_since: text(-1) }, NOW],
  ['is none of a check without places', { down_majority: false, online: [] }, null],
])('a quorum %s', (_name, given, since) => {
  expect(quorumSince({ ...CHECK, ...given }, NOW)).toBe(since)
})

test('results from before a change are as far apart as the turns of that time, and only for a while', () => {
  const check = { ...CHECK, monitors: 1, online: ['A'], quorum: ['A'], quorum_since: text(0), quorum_turns: 5 }
  const gaps = [0, 2600, 2800].map((sec) => rulesNow(check, new Date(text(1000 * sec))).gap_ms)
  expect(gaps).toEqual([900_000, 900_000, 300_000])
})

/** Who is there for a while, and to whom the target looks broken. Each monitor that is there runs once in a round. */
const spells = fc.array(
  fc.record({
    rounds: fc.integer({ min: 8, max: 16 }),
    broken: fc.subarray(MONITORS),
    leaves: fc.constantFrom(...MONITORS, ''),
  }),
  { minLength: 1, maxLength: 5 },
)
const someRules = fc.record({
  threshold: fc.integer({ min: 1, max: 3 }),
  down_places: fc.integer({ min: 0, max: 4 }),
  down_majority: fc.boolean(),
  up_successes: fc.integer({ min: 0, max: 3 }),
})

test('when monitors join, leave and fall silent, those that watch decide, at once and from then on', () => {
  fc.assert(
    fc.property(
      spells,
      someRules.filter(({ down_places, down_majority }) => down_places > 0 || down_majority),
      (history, given) => {
        const places = given.down_majority ? 'majority' : given.down_places
        const rulesOfSize = (counted: number) =>
          rulesOf({ ...given, monitors: MONITORS.length, counted, interval_sec: INTERVAL_SEC })
        const ledger = new Ledger(rulesOfSize(MONITORS.length))
        const isDown = () => ledger.incidents.some(({ ended_at }) => ended_at === null)
        const there = new Set(MONITORS)
        let turn = 0
        for (const { rounds, broken, leaves } of history) {
          for (const end = turn + rounds * MONITORS.length; turn < end; turn++) {
            const monitor_id = MONITORS[turn % MONITORS.length] ?? ''
            if (!there.has(monitor_id)) continue
            const one = { at: text(1000 * INTERVAL_SEC * turn), monitor_id, success: !broken.includes(monitor_id) }
            ledger.receive(1000 * INTERVAL_SEC * turn, [one])
          }
          const watched = new Set(there)
          const isExpected = () => broken.filter((id) => watched.has(id)).length >= neededOf(places, watched.size)
          expect(isDown()).toBe(isExpected())
          // A monitor that left joins again. Until it has run, it has not watched.
          if (leaves !== '' && !there.delete(leaves)) there.add(leaves)
          watched.delete(there.has(leaves) ? '' : leaves)
          if (there.size === 0) return
          ledger.changeQuorum(1000 * INTERVAL_SEC * turn - 1, new Set(there), rulesOfSize(there.size))
          if (watched.size > 0) expect(isDown()).toBe(isExpected())
        }
      },
    ),
    { numRuns: 150 },
  )
})
