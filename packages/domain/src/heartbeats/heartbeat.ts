// Decides what a ping changes, and when a heartbeat is overdue.
import { MOST_SKEW_MS } from '@dogwatch/runtime/clock'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Outage } from '../availability.ts'
import { MAX_REFUSED_MS } from '../lost-calls.ts'
import { expectedAfter, type PingSchedule } from './schedule.ts'

/**
 * Kind of report in a ping. `beat`: the run succeeded. `fail` and `exit_code`: the run failed. The other kinds do not end a run.
 */
export type PingKind = 'beat' | 'start' | 'fail' | 'log' | 'exit_code'

export interface Ping {
  kind: PingKind
  /** Exit code from 1 to 255 if the kind is `exit_code`, otherwise null. */
  exit_code: number | null
  /** Identifier of the run, for jobs that overlap. */
  rid: string | null
  /** Last part of the ping's body. */
  body: string | null
}

/** A ping from the database. */
export interface StoredPing extends Ping {
  created_at: string
}

export type HeartbeatState = 'new' | 'up' | 'down'

/** Record of a heartbeat. Times are UTC with six digits, so that they sort as text. */
export interface Heartbeat extends PingSchedule {
  grace_sec: number
  /** Whether the organisation or an operator has paused the heartbeat. Pings do not change the state of a paused heartbeat. */
  paused: boolean
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
}

/** Fields that a ping can change. */
export interface StateAfterPing {
  state: HeartbeatState
  down_since: string | null
  last_heartbeat_at: string | null
  /** Time at which the heartbeat becomes overdue. Null if it cannot become overdue. */
  due_at: string | null
}

export type HeartbeatChange =
  | { kind: 'none' }
  | {
      kind: 'down'
      since: string
      reason: 'overdue' | 'fail' | 'exit_code'
      exit_code?: number
      /** Outages of the service that moved the deadline, oldest first. */
      outages?: readonly Outage[]
    }
  | { kind: 'up'; since: string; ended_at: string }

export type Reception =
  /** A repetition of the previous ping within a second. */
  | { kind: 'repeat' }
  /** A ping that is judged after a later one. It is stored and changes nothing. */
  | { kind: 'overtaken'; duration_ms: number | null }
  | { kind: 'taken'; after: StateAfterPing; change: HeartbeatChange; duration_ms: number | null }

/** Time at which a ping arrived, and time at which it is judged. It can have waited in between. */
export interface PingTimes {
  at: Date
  now: Date
}

/** Earlier pings that matter to the current one. */
export interface Before {
  newest: StoredPing | undefined
  /** Newest ping of the same run, except log pings. */
  ofRun: Pick<StoredPing, 'kind' | 'created_at'> | undefined
}

const REPEAT_MS = 1000
/** Maximum lead of a ping's time over now. A ping further ahead dates from when the database's clock was wrong. */
const AHEAD_MS = 2 * MOST_SKEW_MS
/** Usual difference between the clocks of two servers. Pings that are closer together count in the order of their judgement. */
const SAME_TIME_MS = 1000

/** Whether a ping of this kind ends a run and reports its outcome. */
export function endsRun(kind: PingKind): boolean {
  return kind !== 'start' && kind !== 'log'
}

/**
 * Decides what a ping changes. A heartbeat's first success sends no alert. If a later ping was judged while this one waited (for
 * its body, or in a stalled process), the later one decides.
 */
export function receive(held: Heartbeat, before: Before, ping: Ping, times: PingTimes): Reception {
  const after = stateAfter(held, ping, times)
  if (after.state === held.state && isRepeat(before.newest, ping, times.at)) return { kind: 'repeat' }
  const duration_ms = endsRun(ping.kind) ? runTime(before.ofRun, times.at) : null
  if (endsRun(ping.kind) && isOvertaken(held, times)) return { kind: 'overtaken', duration_ms }
  return { kind: 'taken', after, change: changeOf(held, after, ping, fromDate(times.at)), duration_ms }
}

/**
 * Whether the latest judged ping arrived after the current one. Ignores a latest ping in the future, because its time comes from
 * another clock.
 */
function isOvertaken({ last_heartbeat_at }: Heartbeat, { at, now }: PingTimes): boolean {
  if (last_heartbeat_at === null) return false
  const last = Date.parse(last_heartbeat_at)
  return last - at.getTime() > SAME_TIME_MS && last - now.getTime() <= SAME_TIME_MS
}

export interface Deadline {
  /** Unix time at which the heartbeat is overdue if no ping arrives before, in milliseconds. */
  due: number
  /** Outages that moved the deadline, oldest first. */
  outages: readonly Outage[]
}

/** Share of the interval that a ping may come early, because run times vary and many jobs run more often than they must. */
const EARLY_SHARE = 1 / 4
/**
 * Maximum number of intervals (and grace periods) of the service's uptime before a silent job is found, however many outages
 * there are.
 */
const MAX_INTERVALS = 3

/** Returns only the time of {@link deadlineOf}, without the outages that moved it. */
export function dueAt(...given: Parameters<typeof deadlineOf>): number {
  return deadlineOf(...given).due
}

/** Fields of a heartbeat that decide whether it has a deadline. */
export type HeldHeartbeat = Pick<Heartbeat, 'paused' | 'last_heartbeat_at'> & { state: string }

/** Returns the deadline of a heartbeat after an edit, or null if it cannot be overdue. */
export function dueAfterEdit(
  { state, paused, last_heartbeat_at }: HeldHeartbeat,
  wanted: Parameters<typeof deadlineOf>[0],
): string | null {
  if (state !== 'up' || paused || last_heartbeat_at === null) return null
  return fromDate(new Date(dueAt(wanted, last_heartbeat_at)))
}

/**
 * Returns when a heartbeat is overdue. `outages`: outages of the service that ended after the last ping, oldest first, without
 * overlaps. `refused_at`: time of its newest ping that was refused for reasons of our own.
 */
export function deadlineOf(
  heartbeat: PingSchedule & Pick<Heartbeat, 'grace_sec'>,
  last_heartbeat_at: string,
  outages: readonly Outage[] = [],
  refused_at?: string,
): Deadline {
  const after = (at_ms: number) => expectedAfter(heartbeat, at_ms)
  const [last, grace] = [Date.parse(last_heartbeat_at), heartbeat.grace_sec * 1000]
  const next = after(last)
  // The time of each outage is added to the deadline. If the job may have pinged during an outage, that ping is lost and the next
  // one comes an interval later. So the deadline is at least an interval and a grace period after the end of that outage. The job
  // may have pinged if the outage ended later than an interval after the last ping, less the grace period or a quarter of the
  // interval, whichever is more.
  const expected = next - Math.max(grace, (next - last) * EARLY_SHARE)
  let due = next + grace
  // Many short outages must not postpone the deadline for ever. So it is never later than three intervals and grace periods of
  // the service's uptime, which is enough for a job that loses two pings in a row.
  let latest = last + MAX_INTERVALS * grace
  for (let at = last, n = 0; n < MAX_INTERVALS; n++) {
    const following = after(at)
    latest += following - at
    at = following
  }
  // A refused ping moves the deadline as it would have if it had been accepted. A job that is refused again and again has an hour
  // beyond its usual deadline, or the three intervals, whichever is more.
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
    // An outage that begins when the heartbeat is already overdue changes nothing.
    if (lost <= 0 || outage.began >= due) continue
    counted.push(outage)
    due += lost
    latest += lost
    if (outage.ended > expected) due = Math.max(due, Math.min(after(outage.ended) + grace, latest))
  }
  return { due, outages: counted }
}

/**
 * Returns a refused ping as the outage that it was for its job. Returns undefined if it is not newer than the last ping, because
 * it was accepted after all.
 */
function refusalAfter(last: number, refused_at: string | undefined): Outage | undefined {
  if (refused_at === undefined) return undefined
  const began = Date.parse(refused_at)
  return began - last > SAME_TIME_MS ? { began, ended: began + 1 } : undefined
}

function inOrder(outages: readonly Outage[], refused: Outage): readonly Outage[] {
  return [...outages, refused].sort((a, b) => a.began - b.began)
}

/**
 * Delay after which an unjudged heartbeat proves that no worker is sweeping, in milliseconds. A sweep starts every five seconds
 * and never waits longer than a minute.
 */
const UNJUDGED_MS = 180_000

/**
 * Returns the deadline of an overdue heartbeat that no worker has judged, so that its state is unknown. Returns null while
 * workers do their job.
 */
export function unjudgedSince({ state, due_at }: { state: string; due_at: string | null }, now: Date): string | null {
  if (state !== 'up' || due_at === null) return null
  return now.getTime() - Date.parse(due_at) > UNJUDGED_MS ? due_at : null
}

/**
 * Returns the time since which a ping is late but still in its grace period, or null. Late is between up and down, and sends no
 * alert.
 */
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
  // Another server's clock can be a little ahead of ours.
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

/** Whether two pings are equal and less than a second apart, so that one of them says nothing new. */
export function isSamePing(a: { ping: Ping; at: Date }, b: { ping: Ping; at: Date }): boolean {
  return (
    a.ping.kind === b.ping.kind &&
    a.ping.exit_code === b.ping.exit_code &&
    a.ping.rid === b.ping.rid &&
    a.ping.body === b.ping.body &&
    Math.abs(a.at.getTime() - b.at.getTime()) < REPEAT_MS
  )
}

/** Returns the time from the start of the run to now, in milliseconds. Returns null if no start was reported. */
function runTime(ofRun: Before['ofRun'], now: Date): number | null {
  return ofRun?.kind === 'start' ? Math.max(0, now.getTime() - Date.parse(ofRun.created_at)) : null
}
