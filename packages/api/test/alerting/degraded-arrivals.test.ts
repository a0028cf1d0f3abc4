// Whether a check is degraded is decided by what is stored, whatever order it arrived in.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type World, world } from '../support/world.ts'
import { type Outcome, resultOf, story } from './degraded-story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const outcome = fc.constantFrom<Outcome>(80, 80, 900, 900, 900, 'F')
const histories = fc.record({
  all: fc.array(outcome, { minLength: 3, maxLength: 14 }),
  after: fc.integer({ min: 1, max: 3 }),
  dice: fc.infiniteStream(fc.nat(1000)),
})

/** Uploads a history in batches, in any order and some results twice. Resolves with what is recorded at the end, in minutes. */
async function arriveAnyhow(
  { all, after, dice }: typeof histories extends fc.Arbitrary<infer One> ? One : never,
  isJudgedMidway: boolean,
) {
  const one = await story(w, { degraded_over_ms: 500, degraded_after: after, down_interval_sec: 100 })
  const begin = w.clock.now().getTime()
  w.clock.forward(60 * all.length + (isJudgedMidway ? 0 : 600))
  const roll = (): number => Number(dice.next().value)
  const found = all.map((given, index) => ({ die: roll(), sent: resultOf(one.guid, given, begin + index * 60_000) }))
  const shuffled = found.toSorted((a, b) => a.die - b.die)
  const left = shuffled.flatMap(({ die, sent }) => (die % 4 === 0 ? [sent, sent] : [sent]))
  while (left.length > 0) {
    const batch = left.splice(0, 1 + (roll() % 4))
    await one.monitor.client.upload(batch as Parameters<typeof one.monitor.client.upload>[0])
    if (isJudgedMidway && roll() % 3 === 0) await w.judgeLate()
  }
  await w.judgeLate()
  const minute = (at: string | null): number | null => (at === null ? null : (Date.parse(at) - begin) / 60_000)
  return (await one.rows()).map(({ began_at, ended_at }) => [minute(began_at), minute(ended_at)])
}

test('late batches in any order, with repeats, come to the same degradations as the ordered history', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      expect(await arriveAnyhow(history, false)).toEqual(spansOf(history.all, history.after))
    }),
    { numRuns: 12 },
  )
})

test('a check that is judged again and again while its results arrive ends in the state of the ordered history', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const open = (spans: readonly (readonly (number | null)[])[]) =>
        spans.filter(([, ended]) => ended === null).length
      // What people were told is never taken back, so what is over may be more than the history shows.
      expect(open(await arriveAnyhow(history, true))).toBe(open(spansOf(history.all, history.after)))
    }),
    { numRuns: 12 },
  )
})

/** The rule once more, by walking through the history. */
function spansOf(all: readonly Outcome[], after: number): [began: number, ended: number | null][] {
  const spans: [number, number | null][] = []
  let slow: number[] = []
  for (const [index, outcome] of all.entries()) {
    if (outcome === 'F') continue
    if (outcome === 900) {
      slow.push(index)
      if (slow.length === after) spans.push([slow[0] ?? 0, null])
    } else {
      const last = spans.at(-1)
      if (slow.length >= after && last) last[1] = index
      slow = []
    }
  }
  return spans
}
