// Places behind the credential: who gets one, and whose slow request gives way.
import { expect, test } from '@jest/globals'
import type { Connection } from './implement.ts'
import { type PlaceBounds, Places } from './places.ts'

const BOUNDS: PlaceBounds = { places: 16, of_caller: Infinity, share: 1 }

function setUp() {
  let now = 0
  const places = new Places(BOUNDS, () => now)
  /** Takes places for an owner until it is refused; returns them, the oldest first. */
  const fill = (owner: string, isAwaited: boolean): Client[] => {
    for (const taken: Client[] = []; ; ) {
      const client = newClient(isAwaited)
      try {
        places.take({ caller: owner, owner }, client)
      } catch {
        return taken
      }
      taken.push(client)
    }
  }
  const take = (owner: string): Client => {
    const client = newClient(false)
    places.take({ caller: owner, owner }, client)
    return client
  }
  return { fill, take, pass: (ms: number) => (now += ms) }
}

interface Client extends Connection {
  isCut: () => boolean
}

function newClient(isAwaited: boolean, over = new AbortController()): Client {
  const cut = () => over.abort()
  return {
    closed: () => over.signal,
    isAwaited: () => isAwaited,
    cut,
    rest: () => {},
    bodySize: () => Infinity,
    lineUp: () => {},
    isCut: () => over.signal.aborted,
  }
}

/** Enough owners that nothing is left. */
const CROWD = Array.from({ length: 16 }, (_, n) => `slow ${n}`)

test('a client that is gone already takes no place', () => {
  const places = new Places({ ...BOUNDS, places: 1 })
  const gone = new AbortController()
  gone.abort()
  for (let n = 0; n < 5; n++) {
    expect(() => places.take({ caller: 'a', owner: 'a' }, newClient(false, gone))).toThrow('rate limit exceeded')
  }
  expect(() => places.take({ caller: 'a', owner: 'a' }, newClient(false))).not.toThrow()
})

test('where slow clients of many organisations have every place, the oldest of who has most gives way to one that has none', () => {
  const { fill, take, pass } = setUp()
  const slow = CROWD.map((owner) => fill(owner, true))
  // Every request has a moment to arrive, whoever sends it.
  expect(() => take('honest')).toThrow('overloaded')
  pass(300)
  take('honest')
  expect(slow.map((clients) => clients.map((client) => client.isCut())).flat()).toEqual([
    true,
    ...Array<boolean>(15).fill(false),
  ])
})

test('an organisation with slow clients gives way to one that has fewer places, and not to one that has more', () => {
  const { fill, take, pass } = setUp()
  const own = fill('honest', false)
  const slow = fill('slow', true)
  expect([own.length, slow.length]).toEqual([8, 4])
  for (const owner of CROWD) fill(owner, false)
  pass(6000)
  expect(() => take('honest')).toThrow('rate limit exceeded')
  take('newcomer')
  expect(slow.map((client) => client.isCut())).toEqual([true, false, false, false])
})

test('what waits for us is never cut', () => {
  const { fill, take, pass } = setUp()
  const clients = CROWD.flatMap((owner) => fill(owner, false))
  pass(60_000)
  expect(() => take('honest')).toThrow('overloaded')
  expect(clients.some((client) => client.isCut())).toBe(false)
})
