// Who is held when there is no place for everybody: pure but for timers that are never waited for.
import { afterEach, expect, test } from '@jest/globals'
import { Holds } from './holds.ts'

const LONG_MS = 60_000

let holds: Holds
afterEach(() => holds.end())

const never = new AbortController().signal
const agent = (org_id: number | null, n: number) => ({ id: `${org_id ?? 'fleet'}-${n}`, org_id })

/** Holds a request, and notes when it is answered. */
function hold(org_id: number | null, n: number): { isHeld: boolean; answers: boolean[] } {
  const answers: boolean[] = []
  const waiting = holds.wait(agent(org_id, n), LONG_MS, never)
  void waiting?.then((isNews) => answers.push(isNews))
  return { isHeld: waiting !== undefined, answers }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an organisation that is alone has all places, and whatever has none is answered at once', () => {
  holds = new Holds(8)
  const held = Array.from({ length: 10 }, (_, n) => hold(1, n).isHeld)
  expect(held).toEqual([...Array<boolean>(8).fill(true), false, false])
})

test('one with many agents gives places to another until both have as many', async () => {
  holds = new Holds(8)
  const greedy = Array.from({ length: 8 }, (_, n) => hold(1, n))
  const honest = Array.from({ length: 5 }, (_, n) => hold(2, n))
  await turn()
  expect(honest.map(({ isHeld }) => isHeld)).toEqual([true, true, true, true, false])
  // The oldest were answered, without news.
  expect(greedy.map(({ answers }) => answers)).toEqual([[false], [false], [false], [false], [], [], [], []])
  expect(holds.size).toBe(8)
})

test('a monitor has one place, however often it asks', async () => {
  holds = new Holds(8)
  const [first, second] = [hold(1, 1), hold(1, 1)]
  await turn()
  expect([first.answers, second.answers, holds.size]).toEqual([[false], [], 1])
})

test('each monitor of the shared fleet has a share of its own', () => {
  holds = new Holds(4)
  for (let n = 0; n < 4; n++) hold(1, n)
  expect([hold(null, 1).isHeld, hold(null, 2).isHeld]).toEqual([true, true])
  expect(holds.size).toBe(4)
})

test('a place is free again when its client is gone, and when its monitor is rung for', async () => {
  holds = new Holds(1)
  const gone = new AbortController()
  void holds.wait(agent(1, 1), LONG_MS, gone.signal)
  gone.abort()
  const next = hold(1, 2)
  holds.ring(agent(1, 2).id)
  await turn()
  expect(next).toEqual({ isHeld: true, answers: [true] })
  expect(hold(1, 3).isHeld).toBe(true)
})
