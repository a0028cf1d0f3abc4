// However wrong the clocks of monitors are and in whatever order their results come, what is recorded is what happened.
import type { PastIncident } from '@dogwatch/store/checks/incidents'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  type Arrival,
  arrivals,
  INTERVAL_MS,
  type Timeline,
  timelines,
  trueIncidents,
  trueRuns,
} from '../../test/true-time.ts'
import { clockOffset, isCatchingUp, isDelayed, isPlausible, ranAt } from '../results/ran-at.ts'
import { correct, countingResults, judge } from './health.ts'
import { gapMs, type JudgedResult, PlaceJudge, type Rules, rowMs, rulesOf } from './places.ts'

/** Fields of a check whose results count wherever they were made. */
const EVERYWHERE = { down_places: 0, down_majority: false, online: [], quorum_left: {}, unable: {} }
const START = Date.parse('2026-11-20T12:00:00Z')
const PUT_OFF_MS = 300_000
const text = (ms: number) => new Date(START + Math.round(ms)).toISOString().replace('Z', '000Z')
const ms = (at: string) => Date.parse(at) - START

/** The server, of one check, in memory: all that decides is what the server itself is made of. */
class Server {
  readonly incidents: PastIncident[] = []
  /** Alerts, each with when it was sent. */
  readonly told: { kind: 'down' | 'up'; at: number; since: string }[] = []
  readonly #stored = new Map<string, JudgedResult>()
  readonly #catchingUp = new Set<number>()
  readonly #rules: Rules
  #isLive = true
  #judgedFrom: string | undefined
  #lateSince: number | undefined
  #lateFrom: string | undefined
  #rejudgeAt: number | undefined

  constructor({ threshold, watchers }: Timeline, rules?: Rules) {
    const gap_ms = gapMs({ interval_sec: INTERVAL_MS / 1000, monitors: watchers.length })
    this.#rules = rules ?? { threshold, gap_ms }
  }

  receive({ monitor, at, sent_at, remaining, results }: Arrival): void {
    const facts = { received_at: new Date(START + at), sent_at: text(sent_at), remaining }
    const offset = clockOffset(facts) ?? 0
    const timed = results.map(({ ran_at, success }) => {
      const told = START + Math.round(ran_at)
      expect(isPlausible(told, facts)).toBe(true)
      return { key: `${told} ${monitor}`, ran: ranAt(told, offset, facts) - START, success }
    })
    const catchingUp = isCatchingUp(
      timed.map(({ ran }) => START + ran),
      facts,
    )
    const wasCatchingUp = this.#catchingUp.has(monitor)
    if (catchingUp) this.#catchingUp.add(monitor)
    else this.#catchingUp.delete(monitor)
    for (const { key, ran, success } of timed) {
      if (!this.#stored.has(key)) this.#stored.set(key, { at: text(ran), monitor_id: `m${monitor}`, success })
    }
    const oldest = text(Math.min(...timed.map(({ ran }) => ran)))
    const isLate = isDelayed(
      timed.map(({ ran }) => START + ran),
      facts,
    )
    const hasEndedSince = isLate && this.incidents.some(({ ended_at }) => ended_at !== null && ended_at > oldest)
    if (timed.some(({ success }) => !success) || this.#open() || hasEndedSince) {
      if (catchingUp) {
        this.#lateSince ??= at
        this.#lateFrom = this.#lateFrom === undefined || oldest < this.#lateFrom ? oldest : this.#lateFrom
      }
      this.#judge(at, oldest)
    }
    if (wasCatchingUp && !catchingUp && this.#lateSince !== undefined) this.#rejudgeAt = at
  }

  /** The chore. */
  look(at: number): void {
    if (this.#rejudgeAt !== undefined && this.#rejudgeAt <= at) this.#judge(at, undefined)
  }

  pause(at: number): void {
    this.#isLive = false
    this.#break(at, true)
  }

  resume(at: number): void {
    this.#isLive = true
    this.#break(at, false)
  }

  edit(at: number): void {
    this.#break(at, false)
  }

  unassign(at: number): void {
    if (this.#open()) this.#break(at, true)
  }

  #break(at: number, ends: boolean): void {
    const open = this.#open()
    if (open && ends) Object.assign(open, { ended_at: text(at), end_reason: 'disabled' })
    this.#judgedFrom = text(at)
    this.#lateSince = this.#lateFrom = this.#rejudgeAt = undefined
  }

  #open(): PastIncident | undefined {
    return this.incidents.find(({ ended_at }) => ended_at === null)
  }

  #judge(at: number, fresh: string | undefined): void {
    if (!this.#isLive) return
    const isPutOff = this.#lateSince !== undefined && this.#catchingUp.size > 0 && at < this.#lateSince + PUT_OFF_MS
    const from = [fresh, this.#lateFrom].filter((one) => one !== undefined).sort()[0]
    const open = this.#open()
    const health = {
      down_since: open?.began_at ?? null,
      last_ended_at:
        this.incidents
          .flatMap(({ ended_at }) => ended_at ?? [])
          .sort()
          .at(-1) ?? null,
    }
    const results = [...this.#stored.values()]
      .filter((one) => one.at >= (this.#judgedFrom ?? ''))
      .sort((a, b) => (`${a.at} ${a.monitor_id}` < `${b.at} ${b.monitor_id}` ? 1 : -1))
    const late = new Set(isPutOff ? [...this.#catchingUp].map((monitor) => `m${monitor}`) : [])
    const recorded = this.#recorded(text(ms(results.at(-1)?.at ?? text(0)) - rowMs(this.#rules)))
    const before = { from: isPutOff ? undefined : from, recorded, hasOtherRules: false }
    const seen = countingResults({ ...health, ...EVERYWHERE }, results, late)
    const { change, spans } = judge(health, seen, this.#rules, new Date(START + at), true, before)
    if (change.kind === 'down') {
      const incident_id = `i${this.incidents.length}`
      this.incidents.push({ incident_id, began_at: change.since, ended_at: null, end_reason: null })
      this.told.push({ kind: 'down', at, since: change.since })
    }
    if (change.kind === 'up' && open) {
      Object.assign(open, { ended_at: change.ended_at, end_reason: change.reason })
      this.told.push({ kind: 'up', at, since: change.ended_at })
    }
    this.#rejudgeAt = isPutOff ? (this.#lateSince ?? at) + PUT_OFF_MS : undefined
    if (isPutOff || from === undefined) return
    this.#lateSince = this.#lateFrom = undefined
    this.#correct(spans, from)
  }

  #recorded(from: string): PastIncident[] {
    return this.incidents
      .filter(({ ended_at }) => ended_at === null || ended_at >= from)
      .sort((a, b) => (a.began_at < b.began_at ? -1 : 1))
  }

  #correct(spans: Parameters<typeof correct>[0], from: string): void {
    const recorded = this.#recorded(from)
    const { missed, moved } = correct(spans, recorded, from)
    for (const { incident_id, ...bounds } of moved) {
      Object.assign(this.incidents.find((one) => one.incident_id === incident_id) ?? {}, bounds)
    }
    for (const one of missed) {
      this.incidents.push({ incident_id: `i${this.incidents.length}`, ...one, end_reason: 'recovered' })
    }
  }
}

/** Lets a timeline happen, and looks at what is due as often as the chore does. */
function play(timeline: Timeline, rules?: Rules): Server {
  const server = new Server(timeline, rules)
  const runs = trueRuns(timeline)
  const { deed } = timeline
  const end = (timeline.runs + 20) * INTERVAL_MS
  const events: { at: number; happen: () => void }[] = arrivals(timeline, runs).map((arrival) => ({
    at: arrival.at,
    happen: () => server.receive(arrival),
  }))
  for (let at = 0; at < end; at += 5000) events.push({ at, happen: () => server.look(at) })
  if (deed?.kind === 'edit') events.push({ at: deed.at, happen: () => server.edit(deed.at) })
  if (deed?.kind === 'pause') {
    events.push({ at: deed.at, happen: () => server.pause(deed.at) })
    events.push({ at: deed.at + deed.for_ms, happen: () => server.resume(deed.at + deed.for_ms) })
  }
  if (deed?.kind === 'unassign') events.push({ at: deed.at, happen: () => server.unassign(deed.at) })
  for (const { happen } of events.sort((a, b) => a.at - b.at)) happen()
  return server
}

/** What the network may take, and what a clock may be off without being corrected for it. */
const NOISE_MS = 4000

/** Both began, and both ended, within one interval. */
function isSame(one: Span, other: Span | undefined): boolean {
  const isNear = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? a === b : Math.abs(a - b) <= INTERVAL_MS + NOISE_MS
  return other !== undefined && isNear(one.began, other.began) && isNear(one.ended, other.ended)
}

interface Span {
  began: number
  ended: number | undefined
}

function recordedBy(server: Server): Span[] {
  return server.incidents
    .map(({ began_at, ended_at }) => ({ began: ms(began_at), ended: ended_at === null ? undefined : ms(ended_at) }))
    .sort((a, b) => a.began - b.began)
}

test('incidents are those of somebody who knows true time, within one interval', () => {
  fc.assert(
    fc.property(timelines, (timeline) => {
      const monitors = timeline.watchers.length
      const gap_ms = gapMs({ interval_sec: INTERVAL_MS / 1000, monitors })
      const wanted = trueIncidents(timeline, trueRuns(timeline), gap_ms)
      const found = recordedBy(play(timeline))
      const unlike = found.filter((one, i) => !isSame(one, wanted[i]))
      if (found.length !== wanted.length || unlike.length > 0) expect(found).toEqual(wanted)
    }),
    { numRuns: 100 },
  )
})

test('incidents of one check never overlap, and alerts take turns', () => {
  fc.assert(
    fc.property(timelines, (timeline) => {
      const server = play(timeline)
      const found = recordedBy(server)
      for (const [i, one] of found.entries()) {
        const next = found[i + 1]
        if (next) expect(one.ended ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(next.began)
      }
      if (timeline.deed) return
      expect(server.told.map(({ kind }) => kind)).toEqual(server.told.map((_, i) => (i % 2 === 0 ? 'down' : 'up')))
    }),
    { numRuns: 60 },
  )
})

const confirmed = fc.record({
  down_places: fc.integer({ min: 0, max: 3 }),
  down_majority: fc.boolean(),
  up_successes: fc.integer({ min: 0, max: 3 }),
})

test('checks that wait for several places or successes end in the state that true time shows', () => {
  fc.assert(
    fc.property(timelines, confirmed, (timeline, fields) => {
      if (timeline.deed) return
      const { threshold, watchers } = timeline
      const rules = rulesOf({ ...fields, threshold, interval_sec: INTERVAL_MS / 1000, monitors: watchers.length })
      const wanted = new PlaceJudge(rules)
      wanted.begin(null)
      for (const { monitor, at, success } of trueRuns(timeline)) {
        wanted.take({ at: text(at), monitor_id: `m${monitor}`, success })
      }
      const server = play(timeline, rules)
      const isOpen = server.incidents.some(({ ended_at }) => ended_at === null)
      expect(isOpen).toBe(wanted.isDown)
      expect(server.told.map(({ kind }) => kind)).toEqual(server.told.map((_, i) => (i % 2 === 0 ? 'down' : 'up')))
    }),
    { numRuns: 100 },
  )
})
