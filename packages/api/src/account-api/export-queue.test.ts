// Turns of exports: pure but for timers, with bounds of milliseconds.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { type ExportBounds, type ExportPlace, ExportQueue } from './export-queue.ts'

const BOUNDS: ExportBounds = {
  most: 2,
  most_of_org: 1,
  waiting: 3,
  waiting_of_org: 2,
  wait_ms: 60_000,
  patience_ms: 60_000,
  pace: { bytes_per_sec: 1000, over_ms: 60_000 },
  reads: 1,
  reads_of_org: 1,
}

/** Notes in which order exports get their places. */
function noting(queue: ExportQueue) {
  const order: string[] = []
  const places = new Map<string, ExportPlace>()
  const enter = (org_id: number, name: string) =>
    queue.enter(org_id).then((place) => {
      order.push(name)
      places.set(name, place)
    })
  return { order, enter, leave: (name: string) => places.get(name)?.leave() }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('one organisation that has its share leaves the other places to others', async () => {
  const { order, enter } = noting(new ExportQueue(BOUNDS))
  await enter(1, 'greedy 1')
  void enter(1, 'greedy 2').catch(() => {})
  await enter(2, 'honest')
  expect(order).toEqual(['greedy 1', 'honest'])
})

test('organisations take turns: whoever has two waiting does not hold back one that came later', async () => {
  const { order, enter, leave } = noting(new ExportQueue({ ...BOUNDS, most: 1 }))
  await enter(1, 'a 1')
  void enter(1, 'a 2').catch(() => {})
  void enter(1, 'a 3').catch(() => {})
  void enter(2, 'b 1').catch(() => {})
  leave('a 1')
  await turn()
  leave('a 2')
  await turn()
  leave('b 1')
  await turn()
  expect(order).toEqual(['a 1', 'a 2', 'b 1', 'a 3'])
})

test('an organisation with its share of those that wait is told so, and costs others no place in the line', async () => {
  const { enter } = noting(new ExportQueue(BOUNDS))
  await enter(1, 'a 1')
  void enter(1, 'a 2').catch(() => {})
  void enter(1, 'a 3').catch(() => {})
  await expect(enter(1, 'a 4')).rejects.toMatchObject({ kind: 'limited', retry_after_sec: 60 })
})

test('the line is bounded, and its end is a 503 that says when to come back', async () => {
  const queue = new ExportQueue({ ...BOUNDS, most: 1 })
  const { enter } = noting(queue)
  await enter(1, 'a')
  for (const org of [2, 3, 4]) void enter(org, `waiting ${org}`).catch(() => {})
  await expect(enter(5, 'late')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '60' } })
  expect(queue.state()).toEqual({ running: 1, waiting: 3 })
})

test('the wait is bounded, and whoever gave up holds no place in the line', async () => {
  const queue = new ExportQueue({ ...BOUNDS, wait_ms: 20 })
  const { enter } = noting(queue)
  await enter(1, 'a')
  await expect(enter(1, 'too long')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '60' } })
  expect(queue.state()).toEqual({ running: 1, waiting: 0 })
})

test('a client that goes away waits no longer', async () => {
  const queue = new ExportQueue(BOUNDS)
  const { enter } = noting(queue)
  await enter(1, 'a')
  const gone = new AbortController()
  const waiting = queue.enter(1, gone.signal)
  gone.abort()
  await expect(waiting).rejects.toMatchObject({ reason: 'given up' })
  expect(queue.state()).toEqual({ running: 1, waiting: 0 })
})

test('a client that takes nothing loses its place as soon as another waits for it, and not before', async () => {
  const queue = new ExportQueue({ ...BOUNDS, most: 1, patience_ms: 20 })
  const idle = await queue.enter(1)
  let isCut = false
  idle.onCut(() => {
    isCut = true
    idle.leave()
  })
  idle.hand(1)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(isCut).toBe(false)
  await queue.enter(2)
  expect(isCut).toBe(true)
})

test('a place that is left twice is one place', async () => {
  const queue = new ExportQueue(BOUNDS)
  const place = await queue.enter(1)
  place.leave()
  place.leave()
  await queue.enter(2)
  expect(queue.state()).toEqual({ running: 1, waiting: 0 })
})

describe('the pace of a client', () => {
  const PACED = { ...BOUNDS, most: 1, patience_ms: 20_000, pace: { bytes_per_sec: 1000, over_ms: 30_000 } }
  let now: number
  let queue: ExportQueue
  beforeEach(() => {
    now = 0
    queue = new ExportQueue({ ...PACED, wait_ms: 30 }, () => now)
  })

  /** An export whose client takes a piece of so many bytes in every ten seconds. */
  async function reading(bytes: number, pieces: number, besides_ms = 0): Promise<() => boolean> {
    const place = await queue.enter(1)
    let isCut = false
    place.onCut(() => {
      isCut = true
      place.leave()
    })
    for (let n = 0; n < pieces; n++) {
      place.hand(bytes)
      now += 10_000
      place.taken()
      // It waits for us.
      now += besides_ms
    }
    return () => isCut
  }
  const another = () =>
    queue.enter(2).then(
      () => 'a place',
      () => 'none',
    )

  test('that drips costs it its place when another waits, however often it takes something', async () => {
    const isCut = await reading(9_000, 3)
    expect(isCut()).toBe(false)
    expect(await another()).toBe('a place')
    expect(isCut()).toBe(true)
  })

  test('that is as quick as it must be keeps its place, and so does one that was slow for a moment', async () => {
    const isCut = await reading(10_000, 3)
    expect([await another(), isCut()]).toEqual(['none', false])
    queue = new ExportQueue({ ...PACED, wait_ms: 30 }, () => now)
    const isCutToo = await reading(1, 2)
    expect([await another(), isCutToo()]).toEqual(['none', false])
  })

  test('does not count while it waits for us', async () => {
    const isCut = await reading(10_000, 3, 60_000)
    expect([await another(), isCut()]).toEqual(['none', false])
  })
})
