// The rule of a heartbeat, on made-up lives: calls of every kind, pauses, outages, sweeps, in any order.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fromDate } from '../../runtime/timestamps.ts'
import { callableMs, type Outage } from '../availability.ts'
import { dueAt, endsRun, type Heartbeat, type Ping, receive, type Signal, type SignalKind } from './heartbeat.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const KINDS: readonly SignalKind[] = ['beat', 'start', 'fail', 'log', 'exit_code']

type Step =
  | { do: 'call'; kind: SignalKind; rid: string | null }
  | { do: 'wait'; ms: number }
  | { do: 'outage'; ms: number }
  | { do: 'sweep' }
  | { do: 'pause' }
  | { do: 'resume' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
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
  pings: Ping[]
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
  } else if (step.do === 'call') call(life, step)
  else if (step.do === 'sweep') sweep(life)
  else if (step.do === 'pause') {
    if (!life.held.paused && life.held.state === 'down') life.told.push('quiet')
    life.held.paused = true
    life.due_at = null
  } else if (life.held.paused) {
    Object.assign(life.held, { paused: false, state: 'new', down_since: null, last_heartbeat_at: null })
  }
}

function call(life: Life, { kind, rid }: { kind: SignalKind; rid: string | null }): void {
  const signal: Signal = { kind, exit_code: kind === 'exit_code' ? 3 : null, rid, body: null }
  const ofRun = life.pings.findLast((ping) => ping.kind !== 'log' && ping.rid === rid)
  const now = new Date(life.now)
  const reception = receive(life.held, { newest: life.pings.at(-1), ofRun }, signal, now)
  if (reception.kind === 'repeat') return
  life.pings.push({ ...signal, created_at: fromDate(now) })
  const { due_at, ...moved } = reception.standing
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

test('a paused one is never told of, and only one that is up, running and called is ever due', () => {
  lives(({ held, due_at }) => {
    if (due_at !== null) expect(held).toMatchObject({ state: 'up', paused: false })
    if (due_at !== null) expect(held.last_heartbeat_at).not.toBeNull()
    expect(held.down_since !== null).toBe(held.state === 'down')
  })
  lives((life) => {
    const before = [life.told.length, pick(life.held).state]
    if (!life.held.paused) return
    call(life, { kind: 'fail', rid: null })
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

test('what is due has been callable for exactly interval and grace', () => {
  const gaps = fc.array(fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 100_000 })), { maxLength: 8 })
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 1, max: 300 }),
      fc.nat(60),
      fc.nat(400_000),
      (pieces, interval_sec, grace_sec, lead) => {
        const outages: Outage[] = []
        let now = START - lead
        for (const [between, length] of pieces) {
          outages.push({ began: now + between, ended: now + between + length })
          now += between + length
        }
        // The last call came in when it could.
        const last = outages.find(({ began, ended }) => began <= START && START < ended)?.ended ?? START
        const due = dueAt({ interval_sec, grace_sec }, fromDate(new Date(last)), outages)
        expect(callableMs(last, due, outages)).toBe((interval_sec + grace_sec) * 1000)
        expect(callableMs(last, due - 1, outages)).toBeLessThan((interval_sec + grace_sec) * 1000)
      },
    ),
  )
})

test('a run time is never negative and never longer than the life', () => {
  lives(({ durations, now }) => {
    for (const ms of durations) expect(ms).toBeGreaterThanOrEqual(0)
    for (const ms of durations) expect(ms).toBeLessThanOrEqual(now - START)
  })
})

test('a clock a little behind another server moves nothing back', () => {
  const held: Heartbeat = { ...born().held, state: 'up', last_heartbeat_at: fromDate(new Date(START)) }
  const beat: Signal = { kind: 'beat', exit_code: null, rid: null, body: null }
  const reception = receive(held, { newest: undefined, ofRun: undefined }, beat, new Date(START - 200))
  expect(reception).toMatchObject({ standing: { last_heartbeat_at: held.last_heartbeat_at } })
})
