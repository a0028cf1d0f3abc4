// Decides whether anything may be deleted by age now, and by which time: the database's, checked against the calendar.
import { MOST_SKEW_MS } from '@dogwatch/runtime/clock'
import { LogThrottle } from '@dogwatch/runtime/log'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { type GatedTime, gatedTime } from '@dogwatch/store/gated-time'
import { readDatabaseTime } from '@dogwatch/store/processes/time'
import { insertMissingRetention, readHeldShare } from '@dogwatch/store/results/retention'
import { confirmOrgs, lockCalendar, updateCalendar } from '@dogwatch/store/results/retention-calendar'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type DeletionHold, dayOf, turn } from './calendar.ts'

const DAY_MS = 86_400_000
const QUIET_MS = 3_600_000
const throttles = new WeakMap<Deps, LogThrottle>()

export interface Gate {
  now: Date
  /** Reason why deletions are held. Absent while they proceed. */
  held: DeletionHold | undefined
  /** Returns the time `ms` ago, before which rows are old enough to delete. Throws while deletions are held. */
  ago(ms: number): GatedTime
}

/**
 * Looks at the calendar, advances it by at most a day, and logs when it stands still. All deletions by age pass here, because a
 * clock that is ahead for a moment must not erase what is missed when it is right again.
 */
export async function openGate(deps: Deps): Promise<Gate> {
  const gate = await deps.database.machines.transaction().execute(async (trx) => {
    const now = await readTrustedTime(trx, deps)
    const before = await lockCalendar(trx, fromDate(now))
    const { calendar, held } = turn(before, now)
    await updateCalendar(trx, calendar)
    const ago = (ms: number): GatedTime => {
      if (held)
        throw new Error(
          'deletions are paused, because the database date jumped; run dogwatch retention confirm to resume deletions',
        )
      return gatedTime(fromDate(new Date(Date.parse(calendar.safe_at ?? calendar.seen_at) - ms)))
    }
    return { now, held, ago }
  })
  const throttle = throttles.get(deps) ?? new LogThrottle(deps.clock, QUIET_MS)
  throttles.set(deps, throttle)
  if (gate.held) {
    const word = 'run dogwatch retention confirm to resume deletions'
    const wait = gate.held.remaining_sec === undefined ? 'until an operator confirms it' : 'until a day has passed'
    throttle.run(() => deps.log.error(gate.held, `the database date jumped, so nothing is deleted ${wait}; ${word}`))
  }
  return gate
}

/**
 * Returns the database's time in a transaction that deletes. Throws if this process, whose own clock carries that time,
 * disagrees, because one of them is wrong then.
 */
export async function readTrustedTime(trx: Trx, { clock }: Pick<Deps, 'clock'>): Promise<Date> {
  const now = await readDatabaseTime(trx)
  const off_ms = now.getTime() - clock.now().getTime()
  if (clock.isTrusted() && Math.abs(off_ms) <= MOST_SKEW_MS) return now
  throw new Error(
    `nothing is deleted while the time is in doubt; the clock of this process differs from the database clock by ${Math.round(off_ms)} ms`,
  )
}

/** Returns the share of an organisation's results whose deletion waits for an operator, or undefined if none does. */
export function readHeld({ database }: Pick<Deps, 'database'>, org_id: number): Promise<number | undefined> {
  return readHeldShare(database.people, org_id)
}

export interface RetentionConfirmation {
  /** Day, in UTC, that decides which rows are deleted now. */
  day: string
  org_ids: number[]
}

/**
 * Confirms, for an operator, that the present date is right. Deletions proceed for one organisation or for all, however far they
 * go.
 */
export async function confirmRetention(deps: Deps, org_id?: number): Promise<RetentionConfirmation> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const now = await readTrustedTime(trx, deps)
    await insertMissingRetention(trx, fromDate(now))
    const calendar = await lockCalendar(trx, fromDate(now))
    const org_ids = await confirmOrgs(trx, fromDate(new Date(now.getTime() + DAY_MS)), org_id)
    if (org_id !== undefined && org_ids.length === 0) throw new DomainError('missing', 'no such organisation')
    const day = dayOf(now)
    if (org_id === undefined)
      await updateCalendar(trx, { ...calendar, day, observed_sec: 0, safe_at: now.toISOString(), steady_sec: 0 })
    return { day, org_ids }
  })
}
