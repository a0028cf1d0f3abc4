// The rules of a heartbeat: what a ping changes, and when a missing ping makes it overdue.
import { MOST_SKEW_MS } from '../../runtime/clock.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import type { Outage } from '../availability.ts'
import { MAX_REFUSED_MS } from '../lost-calls.ts'
import { expectedAfter, type Schedule } from './schedule.ts'

/** What a ping reports. `beat`: the run succeeded; `fail` and `exit_code`: it failed; the others do not end a run. */
export type PingKind = 'beat' | 'start' | 'fail' | 'log' | 'exit_code'

export interface Ping {
  kind: PingKind
  /** 1 to 255, only with `exit_code`. */
  exit_code: number | null
  /** Names the run, for jobs that overlap. */
  rid: string | null
  /** The end of the ping's body. */
  body: string | null
}

/** An earlier ping. */
export interface StoredPing extends Ping {
  created_at: string
}

export type HeartbeatState = 'new' | 'up' | 'down'

/** A heartbeat's record. Times are UTC with six digits, so that they sort as text. */
export interface Heartbeat extends Schedule {
  grace_sec: number
  /** Paused by its owner or the platform: pings do not change its state meanwhile. */
  paused: boolean
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
}

/** What a ping may change. */
export interface StateAfterPing {
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
  /** When it would be overdue; null when it cannot be. */
  due_at: string | null
}

export type HeartbeatChange =
  | { kind: 'none' }
  | {
      kind: 'down'
      since: string
      reason: 'overdue' | 'fail' | 'exit_code'
      exit_code?: number
      /** The service's own outages that moved the deadline, oldest first. */
      outages?: readonly Outage[]
    }
  | { kind: 'up'; since: string; ended_at: string }

export type Reception =
  /** The same as the ping before it, within a second. */
  | { kind: 'repeat' }
  /** A later ping was judged before this one. This one is stored and changes nothing. */
  | { kind: 'overtaken'; duration_ms: number | null }
  | { kind: 'taken'; after: StateAfterPing; change: HeartbeatChange; duration_ms: number | null }

/** When a ping was received, and when it is judged: it may have waited in between. */
export interface PingTimes {
  at: Date
  now: Date
}

/** The earlier pings that matter to this one. */
export interface Before {
  newest: StoredPing | undefined
  /** The newest ping of the same run, except log pings. */
  ofRun: Pick<StoredPing, 'kind' | 'created_at'> | undefined
}

const REPEAT_MS = 1000
/** A ping with a time further ahead than this was taken while the database's clock was wrong. */
const AHEAD_MS = 2 * MOST_SKEW_MS
/** Two servers' clocks may differ by this much: pings that are closer to each other count in the order in which they are judged. */
const SAME_TIME_MS = 1000

/** Whether a ping of this kind ends a run and says how it went. */
export function endsRun(kind: PingKind): boolean {
  return kind !== 'start' && kind !== 'log'
}

/**
 * Decides what a ping changes. A heartbeat's first success sends no alert. A ping may have waited here (its body was slow, or the
 * process stood still) while a later one was judged: then the later one decides.
 */
export function receive(held: Heartbeat, before: Before, ping: Ping, times: PingTimes): Reception {
  const after = stateAfter(held, ping, times)
  if (after.state === held.state && isRepeat(before.newest, ping, times.at)) return { kind: 'repeat' }
  const duration_ms = endsRun(ping.kind) ? runTime(before.ofRun, times.at) : null
  if (endsRun(ping.kind) && isOvertaken(held, times)) return { kind: 'overtaken', duration_ms }
  return { kind: 'taken', after, change: changeOf(held, after, ping, fromDate(times.at)), duration_ms }
}

/** Whether the latest judged ping was received after this one. A time ahead of the present comes from another clock. */
function isOvertaken({ last_heartbeat_at }: Heartbeat, { at, now }: PingTimes): boolean {
  if (last_heartbeat_at === null) return false
  const last = Date.parse(last_heartbeat_at)
  return last - at.getTime() > SAME_TIME_MS && last - now.getTime() <= SAME_TIME_MS
}

export interface Deadline {
  /** When the heartbeat is overdue unless a ping arrives before, in milliseconds since the Unix epoch. */
  due: number
  /** The outages that moved it, oldest first. */
  outages: readonly Outage[]
}

/** A job may ping this much of its interval early: run times vary, and many jobs run more often than they must. */
const EARLY_SHARE = 1 / 4
/** However many outages there are, a silent job is found within this many intervals (and graces) of callable time. */
const MAX_INTERVALS = 3

/** `deadlineOf` without its reasons. */
export function dueAt(...given: Parameters<typeof deadlineOf>): number {
  return deadlineOf(...given).due
}

/**
 * When a heartbeat is overdue. `outages` are those of the service that ended after its last ping: oldest first, none overlaps
 * another. `refused_at`: when its newest ping came that was refused for reasons of our own.
 *
 * The time of each outage is added to the deadline. If the job may have pinged during an outage, its ping is lost, and the
 * next one comes an interval later: so the deadline is at least a whole interval and grace after the end of that outage. The
 * job may have pinged if the outage ended later than an interval after the last ping, less its grace or a quarter of the
 * interval, whichever is more.
 *
 * Many short outages could put a deadline off for ever. So it is never later than three intervals and graces of time in
 * which pings could be taken, which is enough for a job that loses two pings in a row.
 *
 * A refused ping moves the deadline as it would have if it had been taken. A job that is refused again and again has an hour
 * beyond its usual deadline, or the three intervals, whichever is more.
 */
export function deadlineOf(
  heartbeat: Schedule & Pick<Heartbeat, 'grace_sec'>,
  last_heartbeat_at: string,
  outages: readonly Outage[] = [],
  refused_at?: string,
): Deadline {
  const after = (at_ms: number) => expectedAfter(heartbeat, at_ms)
  const [last, grace] = [Date.parse(last_heartbeat_at), heartbeat.grace_sec * 1000]
  const next = after(last)
  const expected = next - Math.max(grace, (next - last) * EARLY_SHARE)
  let due = next + grace
  let latest = last + MAX_INTERVALS * grace
  for (let at = last, n = 0; n < MAX_INTERVALS; n++) {
    const following = after(at)
    latest += following - at
    at = following
  }
  const beyond = Math.max(0, MAX_REFUSED_MS - (latest - due))
  const counted: Outage[] = []
  const refused = refusalAfter(last, refused_at)
  for (const outage of refused ? inOrder(outages, refused) : outages) {
    if (outage === refused) {
      const until = Math.min(after(refused.began) + grace, latest + beyond)
      if (until > due) counted.push(refused)
      due = Math.max(due, until)
      continue
    }
    const lost = outage.ended - Math.max(outage.began, last)
    // An outage that begins when the heartbeat is overdue already changes nothing.
    if (lost <= 0 || outage.began >= due) continue
    counted.push(outage)
    due += lost
    latest += lost
    if (outage.ended > expected) due = Math.max(due, Math.min(after(outage.ended) + grace, latest))
  }
  return { due, outages: counted }
}

/** A refused ping as the outage that it was to its job. It had been noted before it was taken after all if it is not newer. */
function refusalAfter(last: number, refused_at: string | undefined): Outage | undefined {
  if (refused_at === undefined) return undefined
  const began = Date.parse(refused_at)
  return began - last > SAME_TIME_MS ? { began, ended: began + 1 } : undefined
}

function inOrder(outages: readonly Outage[], refused: Outage): readonly Outage[] {
  return [...outages, refused].sort((a, b) => a.began - b.began)
}

/** The sweep looks every five seconds and waits for nobody longer than a minute: after this, no worker is sweeping. */
const UNJUDGED_MS = 180_000

/**
 * Since when an overdue heartbeat has not been judged, so that nobody knows whether it is up; null while workers do
 * their job.
 */
export function unjudgedSince({ state, due_at }: { state: string; due_at: string | null }, now: Date): string | null {
  if (state !== 'up' || due_at === null) return null
  return now.getTime() - Date.parse(due_at) > UNJUDGED_MS ? due_at : null
}

/** Since when a ping is late that may still come in time; null when none is. Late is between up and down, and nobody is told of it. */
export function lateSince(
  heartbeat: { enabled: boolean; platform_enabled: boolean; state: string; grace_sec: number; due_at: string | null },
  now: Date,
): string | null {
  const { enabled, platform_enabled, state, grace_sec, due_at } = heartbeat
  if (!enabled || !platform_enabled || state !== 'up' || due_at === null) return null
  const expected = new Date(Date.parse(due_at) - grace_sec * 1000)
  return expected <= now ? fromDate(expected) : null
}

function stateAfter(held: Heartbeat, { kind }: Ping, times: PingTimes): StateAfterPing {
  const isHeard = endsRun(kind)
  const [last, at] = [held.last_heartbeat_at, fromDate(times.at)]
  // Another server's clock may be a little ahead of ours.
  const isBefore = last === null || at > last || Date.parse(last) - times.now.getTime() > AHEAD_MS
  const last_heartbeat_at = isHeard && isBefore ? at : last
  const state = held.paused || !isHeard ? held.state : kind === 'beat' ? 'up' : 'down'
  const isDue = state === 'up' && !held.paused && last_heartbeat_at !== null
  return {
    state,
    // The previous incident may have ended with the latest ping: the next one must not begin before that.
    down_since: state === 'down' ? (held.down_since ?? last_heartbeat_at ?? at) : null,
    last_heartbeat_at,
    due_at: isDue ? fromDate(new Date(dueAt(held, last_heartbeat_at))) : null,
  }
}

function changeOf(
  held: Heartbeat,
  { state, down_since }: StateAfterPing,
  { exit_code }: Ping,
  at: string,
): HeartbeatChange {
  if (state === held.state) return { kind: 'none' }
  if (state === 'up' && held.down_since !== null) {
    return { kind: 'up', since: held.down_since, ended_at: at > held.down_since ? at : held.down_since }
  }
  if (state !== 'down' || down_since === null) return { kind: 'none' }
  return exit_code === null
    ? { kind: 'down', since: down_since, reason: 'fail' }
    : { kind: 'down', since: down_since, reason: 'exit_code', exit_code }
}

function isRepeat(newest: StoredPing | undefined, ping: Ping, now: Date): boolean {
  return (
    newest !== undefined && isSamePing({ ping: newest, at: new Date(Date.parse(newest.created_at)) }, { ping, at: now })
  )
}

/** Whether two pings are alike and less than a second apart, so that one of them says nothing new. */
export function isSamePing(a: { ping: Ping; at: Date }, b: { ping: Ping; at: Date }): boolean {
  return (
    a.ping.kind === b.ping.kind &&
    a.ping.exit_code === b.ping.exit_code &&
    a.ping.rid === b.ping.rid &&
    a.ping.body === b.ping.body &&
    Math.abs(a.at.getTime() - b.at.getTime()) < REPEAT_MS
  )
}

/** From the start of the run to now; null when no start was reported. */
function runTime(ofRun: Before['ofRun'], now: Date): number | null {
  return ofRun?.kind === 'start' ? Math.max(0, now.getTime() - Date.parse(ofRun.created_at)) : null
}
