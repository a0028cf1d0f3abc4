// The rule of a heartbeat, on made-up lives: pings of every kind, pauses, outages, sweeps, in any order.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { callableMs, type Outage } from '../availability.ts'
import { dueAt, endsRun, type Heartbeat, type Ping, type PingKind, receive, type StoredPing } from './heartbeat.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const KINDS: readonly PingKind[] = ['beat', 'start', 'fail', 'log', 'exit_code']

type Step =
  | { do: 'ping'; kind: PingKind; rid: string | null }
  | { do: 'wait'; ms: number }
  | { do: 'outage'; ms: number }
  | { do: 'sweep' }
  | { do: 'pause' }
  | { do: 'resume' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ping' as const),
      kind: fc.constantFrom(...KINDS),
      rid: fc.constantFrom(null, 'a', 'b'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 400, 999, 1000, 5000, 60_000, 90_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), ms: fc.integer({ min: 1, max: 100_000 }) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'sweep' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'pause' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'resume' } as const) },
)

interface Life {
  now: number
  held: Heartbeat
  due_at: string | null
  pings: StoredPing[]
  outages: Outage[]
  /** What was told, and `quiet` where an incident ended without a word. */
  told: ('down' | 'up' | 'quiet')[]
  durations: number[]
}

function born(): Life {
  return {
    now: START,
    held: { interval_sec: 60, grace_sec: 10, paused: false, state: 'new', down_since: null, last_heartbeat_at: null },
    due_at: null,
    pings: [],
    outages: [],
    told: [],
    durations: [],
  }
}

/** One step of a life, as the use cases take it. */
function live(life: Life, step: Step): void {
  if (step.do === 'wait') life.now += step.ms
  else if (step.do === 'outage') {
    life.outages.push({ began: life.now, ended: life.now + step.ms })
    life.now += step.ms
  } else if (step.do === 'ping') receivePing(life, step)
  else if (step.do === 'sweep') sweep(life)
  else if (step.do === 'pause') {
    if (!life.held.paused && life.held.state === 'down') life.told.push('quiet')
    life.held.paused = true
    life.due_at = null
  } else if (life.held.paused) {
    Object.assign(life.held, { paused: false, state: 'new', down_since: null, last_heartbeat_at: null })
  }
}

function receivePing(life: Life, { kind, rid }: { kind: PingKind; rid: string | null }): void {
  const ping: Ping = { kind, exit_code: kind === 'exit_code' ? 3 : null, rid, body: null }
  const ofRun = life.pings.findLast((ping) => ping.kind !== 'log' && ping.rid === rid)
  const now = new Date(life.now)
  const reception = receive(life.held, { newest: life.pings.at(-1), ofRun }, ping, { at: now, now })
  // None of them waits here.
  expect(reception.kind).not.toBe('overtaken')
  if (reception.kind !== 'taken') return
  life.pings.push({ ...ping, created_at: fromDate(now) })
  const { due_at, ...moved } = reception.after
  if (!endsRun(kind)) expect(moved).toEqual({ ...moved, ...pick(life.held) })
  Object.assign(life.held, moved)
  life.due_at = endsRun(kind) ? due_at : life.due_at
  if (reception.change.kind !== 'none') life.told.push(reception.change.kind)
  if (reception.duration_ms !== null) life.durations.push(reception.duration_ms)
}

function sweep(life: Life): void {
  const { held } = life
  if (life.due_at === null || Date.parse(life.due_at) > life.now || held.last_heartbeat_at === null) return
  const due = dueAt(held, held.last_heartbeat_at, life.outages)
  life.due_at = null
  if (due > life.now) life.due_at = fromDate(new Date(due))
  else {
    held.state = 'down'
    held.down_since = fromDate(new Date(due))
    life.told.push('down')
  }
}

const pick = ({ state, down_since, last_heartbeat_at }: Heartbeat) => ({ state, down_since, last_heartbeat_at })

const lives = (holds: (life: Life, steps: readonly Step[]) => void) =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const life = born()
      for (const one of steps) {
        live(life, one)
        holds(life, steps)
      }
    }),
    { numRuns: 500 },
  )

test('nobody is told up who was not told down, nor down twice', () => {
  lives(({ told, held }) => {
    let isOpen = false
    for (const one of told) {
      expect(isOpen).toBe(one !== 'down')
      isOpen = one === 'down'
    }
    if (!held.paused) expect(isOpen).toBe(held.state === 'down')
  })
})

test('a paused one is never told of, and only one that is up, running and pinged is ever due', () => {
  lives(({ held, due_at }) => {
    if (due_at !== null) expect(held).toMatchObject({ state: 'up', paused: false })
    if (due_at !== null) expect(held.last_heartbeat_at).not.toBeNull()
    expect(held.down_since !== null).toBe(held.state === 'down')
  })
  lives((life) => {
    const before = [life.told.length, pick(life.held).state]
    if (!life.held.paused) return
    receivePing(life, { kind: 'fail', rid: null })
    sweep(life)
    expect([life.told.length, life.held.state]).toEqual(before)
  })
})

test('one that is up is due sooner or later: a sweep that comes late enough always takes it down', () => {
  lives((life) => {
    if (life.held.state !== 'up' || life.held.paused) return
    const later: Life = structuredClone(life)
    // Once to learn of outages, once to judge.
    for (let i = 0; i < 2; i++) {
      later.now += 100_000_000
      sweep(later)
    }
    expect(later.held.state).toBe('down')
  })
})

/** Outages one after the other, none touching the next, around a heartbeat whose last ping came in when it could. */
const outagesAround = fc
  .record({
    pieces: fc.array(fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 })), {
      maxLength: 8,
    }),
    interval_sec: fc.integer({ min: 1, max: 300 }),
    grace_sec: fc.nat(60),
    lead: fc.nat(400_000),
  })
  .map(({ pieces, interval_sec, grace_sec, lead }) => {
    const outages: Outage[] = []
    let now = START - lead
    for (const [between, length] of pieces) {
      outages.push({ began: now + between, ended: now + between + length })
      now += between + length
    }
    const last = outages.find(({ began, ended }) => began <= START && START < ended)?.ended ?? START
    return { outages, last, times: { interval_sec, grace_sec }, allowed_ms: (interval_sec + grace_sec) * 1000 }
  })

const due = (times: { interval_sec: number; grace_sec: number }, last: number, outages: readonly Outage[]) =>
  dueAt(times, fromDate(new Date(last)), outages)

test('without an outage a heartbeat is due after exactly interval and grace', () => {
  expect(due({ interval_sec: 60, grace_sec: 5 }, START, [])).toBe(START + 65_000)
})

test('what is due has been callable for at least interval and grace, and never for more than three of both', () => {
  fc.assert(
    fc.property(outagesAround, ({ outages, last, times, allowed_ms }) => {
      const callable = callableMs(last, due(times, last, outages), outages)
      expect(callable).toBeGreaterThanOrEqual(allowed_ms)
      expect(callable).toBeLessThanOrEqual(3 * allowed_ms)
    }),
  )
})

test('a silent job is found within interval and grace after the last outage that began before it was due', () => {
  fc.assert(
    fc.property(outagesAround, ({ outages, last, times, allowed_ms }) => {
      const at = due(times, last, outages)
      const counted = outages.filter(({ began, ended }) => ended > last && began < at)
      const alone = last + allowed_ms + counted.reduce((sum, one) => sum + one.ended - Math.max(one.began, last), 0)
      expect(at).toBeLessThanOrEqual(Math.max(alone, (counted.at(-1)?.ended ?? last) + allowed_ms))
    }),
  )
})

test('an outage long before the job is expected again adds its own length and no more', () => {
  const outage = { began: START + 10_000, ended: START + 30_000 }
  expect(due({ interval_sec: 60, grace_sec: 5 }, START, [outage])).toBe(START + 85_000)
})

test('a refused ping moves the deadline as if it had been taken, by an hour or three intervals at most', () => {
  const refusals = fc.tuple(outagesAround, fc.integer({ min: -100_000, max: 8_000_000 }))
  fc.assert(
    fc.property(refusals, ([{ last, times, allowed_ms }, after]) => {
      const refused = last + after
      const at = dueAt(times, fromDate(new Date(last)), [], fromDate(new Date(refused)))
      const most = last + Math.max(3 * allowed_ms, allowed_ms + 3_600_000)
      const moved = after > 1000 ? Math.min(refused + allowed_ms, most) : 0
      expect(at).toBe(Math.max(last + allowed_ms, moved))
    }),
  )
})

test('beside outages a refused ping makes no deadline earlier, and puts none off for ever', () => {
  fc.assert(
    fc.property(fc.tuple(outagesAround, fc.nat(1_000_000)), ([{ outages, last, times, allowed_ms }, after]) => {
      const at = dueAt(times, fromDate(new Date(last)), outages, fromDate(new Date(last + after)))
      expect(at).toBeGreaterThanOrEqual(due(times, last, outages))
      expect(callableMs(last, at, outages)).toBeLessThanOrEqual(Math.max(3 * allowed_ms, allowed_ms + 3_600_000))
    }),
  )
})

test('a job that keeps its times is never overdue, even if two of its pings in a row are lost in outages', () => {
  // Up to its grace early or late each time, over any number of outages.
  const job = fc.record({
    interval_sec: fc.integer({ min: 2, max: 300 }),
    grace_share: fc.double({ min: 0, max: 0.9, noNaN: true }),
    drifts: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
    outages: fc.array(
      fc.tuple(fc.double({ min: 0.01, max: 2, noNaN: true }), fc.double({ min: 0.01, max: 2, noNaN: true })),
      {
        maxLength: 10,
      },
    ),
  })
  fc.assert(
    fc.property(job, ({ interval_sec, grace_share, drifts, outages: pieces }) => {
      const grace_sec = Math.floor(interval_sec * grace_share)
      const outages: Outage[] = []
      let end = START
      for (const [between, length] of pieces) {
        const began = end + Math.ceil(between * interval_sec * 1000)
        end = began + Math.ceil(length * interval_sec * 1000)
        outages.push({ began, ended: end })
      }
      let [last, pinged, lost] = [START, START, 0]
      for (const drift of drifts) {
        pinged += interval_sec * 1000 - 1 + Math.trunc(drift * Math.max(0, grace_sec * 1000 - 1))
        if (outages.some(({ began, ended }) => began <= pinged && pinged < ended)) lost++
        else {
          if (lost <= 2) expect(due({ interval_sec, grace_sec }, last, outages)).toBeGreaterThanOrEqual(pinged)
          last = pinged
          lost = 0
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('a run time is never negative and never longer than the life', () => {
  lives(({ durations, now }) => {
    for (const ms of durations) expect(ms).toBeGreaterThanOrEqual(0)
    for (const ms of durations) expect(ms).toBeLessThanOrEqual(now - START)
  })
})

const UP: Heartbeat = { ...born().held, state: 'up', last_heartbeat_at: fromDate(new Date(START)) }
const DOWN: Heartbeat = { ...UP, state: 'down', down_since: fromDate(new Date(START)) }
const NOTHING = { newest: undefined, ofRun: undefined }
const saying = (kind: 'beat' | 'fail'): Ping => ({ kind, exit_code: null, rid: null, body: null })
/** Received so many milliseconds after the latest ping, and judged so long after it. */
const times = (at_ms: number, now_ms: number) => ({ at: new Date(START + at_ms), now: new Date(START + now_ms) })

test('a clock a little behind another server moves nothing back', () => {
  const reception = receive(UP, NOTHING, saying('beat'), times(-200, -200))
  expect(reception).toMatchObject({ kind: 'taken', after: { last_heartbeat_at: UP.last_heartbeat_at } })
})

test.each([
  ['a failure', 'a success', UP, 'fail'],
  ['a success', 'a failure', DOWN, 'beat'],
] as const)('%s that waited while %s came after it moves nothing', (_, __, held, kind) => {
  expect(receive(held, NOTHING, saying(kind), times(-3000, 2000)).kind).toBe('overtaken')
  expect(receive(held, NOTHING, saying(kind), times(-20_000, 1000)).kind).toBe('overtaken')
})

test('a failure that another server dates just before the latest ping counts, and no incident begins before that ping', () => {
  const reception = receive(UP, NOTHING, saying('fail'), times(-900, 0))
  const since = UP.last_heartbeat_at
  expect(reception).toMatchObject({ kind: 'taken', after: { down_since: since }, change: { kind: 'down', since } })
})

test.each([3000, 60_000])('a ping that lies %i ms ahead of the present overtook none', (ahead_ms) => {
  const reception = receive(UP, NOTHING, saying('fail'), times(-ahead_ms, -ahead_ms))
  expect(reception).toMatchObject({ kind: 'taken', change: { kind: 'down' } })
})
