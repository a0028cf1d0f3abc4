// Slots behind the credential: who gets one, and whose slow request gives way.
import { randomBytes } from 'node:crypto'
import { silentLog } from '@dogwatch/runtime/log'
import { Metrics } from '@dogwatch/runtime/metrics'
import { expect, test } from '@jest/globals'
import { fakeClock } from '../../runtime/test/support/fake-clock.ts'
import type { Connection } from './connection.ts'
import { EarlyRefusals } from './early-refusals.ts'
import { lanesFor, RouteLanes } from './lanes.ts'
import { Shedder } from './shed.ts'

function setUp(most = 16) {
  const clock = fakeClock()
  const lanes = lanesFor(4)
  const uploads = { ...lanes.uploads, share: { most, free_share: 1, limit: 'uploads' } }
  const shedder = new Shedder({
    lanes: { ...lanes, uploads },
    routes: new RouteLanes(),
    delay_ms: () => 0,
    refusals: new EarlyRefusals(randomBytes),
    ...{ clock, metrics: new Metrics(), random: randomBytes, log: silentLog },
  })
  const take = (owner: string, client = newClient(false)): Client => {
    shedder.share('uploads', { caller: owner, owner }, client)
    return client
  }
  /** Takes slots for an owner until it is refused; returns them, the oldest first. */
  const fill = (owner: string, isAwaited: boolean): Client[] => {
    for (const taken: Client[] = []; ; ) {
      try {
        taken.push(take(owner, newClient(isAwaited)))
      } catch {
        return taken
      }
    }
  }
  return { fill, take, pass: (ms: number) => clock.forward(ms / 1000) }
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
    resize: () => {},
    isCut: () => over.signal.aborted,
  }
}

/** Enough owners that nothing is left. */
const CROWD = Array.from({ length: 16 }, (_, n) => `slow ${n}`)

test('a client that is gone already takes no slot', () => {
  const { take } = setUp(1)
  const gone = new AbortController()
  gone.abort()
  for (let n = 0; n < 5; n++) expect(() => take('a', newClient(false, gone))).toThrow('rate limit exceeded')
  expect(() => take('a')).not.toThrow()
})

test('where slow clients of many organisations have every slot, the oldest of who has most gives way to one that has none', () => {
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

test('an organisation with slow clients gives way to one that has fewer slots, and not to one that has more', () => {
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
