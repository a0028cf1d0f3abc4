import { Pace } from '@dogwatch/runtime/pace'
import { expect, test } from '@jest/globals'
import { dice } from '../../../runtime/test/support/dice.ts'
import { Cover } from '../results/cover.ts'
import { covers, type Scope, type Subject } from '../routing/route.ts'
import { Maintenance } from './times.ts'

const HOUR = 3_600_000
const TAGS = ['a', 'b', 'c', 'd']
const GUIDS = ['1', '2', '3', '4', '5']

interface Times {
  scope_id: string
  scope: Scope
  begins: number[]
  ends: number[]
}

/** Looks at every span for every subject. */
function naively(times: readonly Times[], subject: Subject): Cover {
  const own = times.filter(({ scope }) => covers(scope, subject))
  return Cover.of(own.flatMap(({ begins, ends }) => begins.map((from, n) => ({ from, until: ends[n] ?? from }))))
}

const intervals = (cover: Cover) => [...cover.between(-Infinity, Infinity)]

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  'a subject has the spans of the scopes that cover it (seed %i)',
  async (seed) => {
    const { below, one, some } = dice(seed)
    const scopes = Array.from({ length: 1 + below(6) }, (): Scope => {
      const roll = below(6)
      if (roll === 0) return { all: true }
      if (roll < 3) return { tags: some(TAGS, 3) }
      return { checks: [...some(GUIDS, 3), one(GUIDS)], heartbeats: below(2) === 0 ? [] : some(GUIDS, 2) }
    })
    const times = Array.from({ length: below(10) }, (): Times => {
      const scope_id = below(scopes.length)
      const begins = Array.from({ length: 1 + below(5) }, () => below(100)).toSorted((a, b) => a - b)
      const ends = begins.map((at) => at + 1 + below(10))
      return { scope_id: String(scope_id), scope: scopes[scope_id] as Scope, begins, ends }
    })
    const maintenance = await Maintenance.of(times)
    for (const guid of GUIDS) {
      for (const kind of ['check', 'heartbeat'] as const) {
        const subject = { kind, guid, tags: below(3) === 0 ? [] : some(TAGS, 4) }
        expect(intervals(await maintenance.timesOf(subject))).toEqual(intervals(naively(times, subject)))
      }
    }
  },
)

test('144,000 spans and 2,000 subjects take as many steps as spans and subjects, not as their product', async () => {
  const [WINDOWS, SPANS, SUBJECTS] = [100, 1440, 2000]
  const guids = Array.from({ length: SUBJECTS }, (_, n) => `check ${n}`)
  const times = Array.from({ length: WINDOWS }, (_, n): Times => {
    const begins = Array.from({ length: SPANS }, (__, hour) => hour * HOUR + n * 60_000)
    const scope: Scope = n % 2 === 0 ? { all: true } : { checks: guids.slice(SUBJECTS / 2), heartbeats: [] }
    return { scope_id: String(n), scope, begins, ends: begins.map((at) => at + 600_000) }
  })
  const pace = new Pace()
  const maintenance = await Maintenance.of(times, pace)
  const found = new Set<Cover>()
  for (const guid of guids) found.add(await maintenance.timesOf({ kind: 'check', guid, tags: [] }))
  const sets = found.size
  expect(sets).toBe(2)
  const names = (WINDOWS / 2) * (SUBJECTS / 2)
  const rounds = Math.ceil(Math.log2(WINDOWS))
  expect(pace.steps).toBeLessThan((2 + sets * rounds) * WINDOWS * SPANS + names + 3 * SUBJECTS)
})
