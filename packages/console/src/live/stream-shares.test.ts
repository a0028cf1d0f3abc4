import { expect, test } from '@jest/globals'
import { type StreamBounds, type StreamHolders, streamToEnd } from './stream-shares.ts'

const BOUNDS: StreamBounds = { of_process: 400, of_org: 100, of_person: 20, of_session: 12 }

const of = (person_id: number, network = `n${person_id}`, org_id = person_id): StreamHolders => ({
  session: `s${person_id}`,
  person_id,
  org_id,
  network,
})

/** The streams of a process to which all of these come, one after the other. */
function after(newcomers: readonly StreamHolders[], bounds = BOUNDS, streams = new Set<StreamHolders>()) {
  for (const newcomer of newcomers) {
    const ended = streamToEnd(streams, newcomer, bounds)
    if (ended) streams.delete(ended)
    streams.add({ ...newcomer })
  }
  return streams
}
const countOf = (streams: Iterable<StreamHolders>, person_id: number) =>
  [...streams].filter((one) => one.person_id === person_id).length
const times = (count: number, make: (index: number) => StreamHolders) =>
  Array.from({ length: count }, (_, n) => make(n))

test('while there is room, no stream ends', () => {
  expect(after(times(300, (n) => of(n))).size).toBe(300)
})

test.each([
  ['a session', 12, { ...BOUNDS }],
  ['a person', 3, { ...BOUNDS, of_person: 3 }],
  ['an organisation', 5, { ...BOUNDS, of_org: 5 }],
] as const)('%s that has too many loses its oldest stream, not its newest', (_, most, bounds) => {
  const all = times(most + 2, () => of(1))
  const left = [...after(all, bounds)]
  expect(left).toHaveLength(most)
  const [first, ...others] = left
  expect(streamToEnd(left, of(1), bounds)).toBe(first)
  expect(others).toHaveLength(most - 1)
})

test('accounts that take all streams leave one to every person who comes, and cannot take it back', () => {
  const attackers = (n: number) => of(1000 + (n % 40), `n${n % 10}`)
  const streams = after(times(800, attackers))
  expect(streams.size).toBe(400)
  const honest = times(60, (n) => of(n, `home${n}`))
  after(honest, BOUNDS, streams)
  after(times(800, attackers), BOUNDS, streams)
  expect(streams.size).toBe(400)
  expect(honest.map(({ person_id }) => countOf(streams, person_id))).toEqual(honest.map(() => 1))
})

test('many fresh accounts of one network, each with a single stream, do not take those of a person with several', () => {
  const streams = after(times(400, (n) => of(1000 + n, 'one network')))
  after(
    times(5, () => of(1)),
    BOUNDS,
    streams,
  )
  after(
    times(400, (n) => of(2000 + n, 'one network')),
    BOUNDS,
    streams,
  )
  expect(countOf(streams, 1)).toBe(5)
})

test('fresh accounts of several networks leave every person one stream', () => {
  const fresh = (n: number) => of(1000 + n, `n${n % 5}`)
  const streams = after([...times(5, () => of(1, 'home')), ...times(900, fresh)])
  expect(streams.size).toBe(400)
  expect(countOf(streams, 1)).toBe(1)
})

test('people behind one address who have a stream or two keep them while accounts elsewhere take twelve each', () => {
  const office = times(80, (n) => of(n % 40, 'office', 1))
  const streams = after([...office, ...times(1200, (n) => of(1000 + (n % 100), `n${n % 100}`))])
  expect([...streams].filter(({ network }) => network === 'office')).toHaveLength(80)
})
