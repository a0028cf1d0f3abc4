// Reminds people of checks and heartbeats that are still down, as often as they want.

import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  claimChecksToRemind,
  claimDownChecks,
  claimHeartbeatsToRemind,
  type DownCheck,
  type DownHeartbeat,
  isAnythingDown,
  listChecksToRemind,
  listHeartbeatsToRemind,
  type ReminderState,
  updateReminded,
} from '@dogwatch/store/alerting/reminders'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { type ActiveMonitor, listActiveMonitors } from '@dogwatch/store/checks/check-health'
import { listAsResults } from '@dogwatch/store/checks/judgements'
import type { Db, Trx } from '@dogwatch/store/database'
import type { HeartbeatPlace } from '@dogwatch/store/heartbeats/heartbeats'
import { countSinceDown } from '@dogwatch/store/results/counts'
import { type LatestResult, listLatestToJudge } from '@dogwatch/store/results/to-judge'
import { readAvailability } from '../availability.ts'
import { checkSubject, newest, subjectOf, viewOf, without } from '../checks/event-data.ts'
import { horizonOf } from '../checks/health.ts'
import { redactResultsOfChecks } from '../checks/redact.ts'
import { judgeChecks } from '../checks/update-health.ts'
import type { Deps } from '../deps.ts'
import { heartbeatAbout } from '../heartbeats/event-data.ts'
import { ONLINE_MS } from '../monitors/monitor.ts'
import { findHoldsOf } from '../routing/routing.ts'
import type { CheckData, HeartbeatData } from './event.ts'
import { type EventToRaise, raiseHeard } from './raise.ts'

/** Maximum number of incidents in one transaction. It is small, so that results that arrive during it do not wait long. */
const AT_ONCE = 50
/** Number of newest results that show how each monitor sees a check. */
const VIEWED = 100
const COUNTED = 10_000
const EVER = '-infinity'
/** Time that a monitor has to return after our own outage. One that is silent for longer is offline itself. */
const PATIENCE_MS = ONLINE_MS

export type Reminder =
  | { kind: 'none'; reason: string }
  | { kind: 'wait'; until: string }
  | { kind: 'send'; reminder: number }

/**
 * Decides when the next reminder about an open incident is due: one interval after the last alert, and only one reminder if
 * several would have been due.
 */
export function nextReminder(
  { told_at, reminders, resend_interval_sec }: Pick<ReminderState, 'told_at' | 'reminders' | 'resend_interval_sec'>,
  now: Date,
): Reminder {
  if (resend_interval_sec <= 0) return { kind: 'none', reason: 'reminders are off' }
  const due = Date.parse(told_at) + resend_interval_sec * 1000
  return now.getTime() < due
    ? { kind: 'wait', until: fromDate(new Date(due)) }
    : { kind: 'send', reminder: reminders + 1 }
}

/**
 * Runs the chore once: writes the reminders that are due, and returns their number. Writes none while the service is unreachable
 * or has just returned, because monitors and jobs need some minutes to report a recovery.
 */
export async function remind(deps: Deps): Promise<number> {
  const now = deps.clock.now()
  const lately = new Date(now.getTime() - PATIENCE_MS)
  const { isUp, outages } = await readAvailability(deps.database.machines, now, lately)
  if (!isUp) return 0
  const last = outages.at(-1)
  const since = last ? fromDate(new Date(last.ended)) : EVER
  return (await remindAll(deps, CHECKS, since)) + (await remindAll(deps, HEARTBEATS, since))
}

/** Returns the time until a reminder can be due, in milliseconds: 0 while anything is down, otherwise Infinity. */
export async function untilNextReminder({ database }: Pick<Deps, 'database'>): Promise<number> {
  return (await isAnythingDown(database.machines)) ? 0 : Infinity
}

interface Due {
  now: Date
  /** Time until which the service was unreachable. Earlier observations can be out of date. */
  since: string
}

interface Remindable<Key> {
  listDue(db: Db, due: Due): Promise<Key[]>
  /** Writes reminders for some of the due incidents, or only for the incident `only`. */
  remindSome(trx: Trx, deps: Deps, due: Due, only?: Key): Promise<ReminderCounts>
}

/** Numbers of claimed incidents, of reminders, and of due incidents whose reminder is held for now. */
interface ReminderCounts {
  claimed: number
  told: number
  held: number
}

const CHECKS: Remindable<CheckKey> = {
  listDue: (db, due) => listChecksToRemind(db, checksDue(due)),
  remindSome: remindOfChecks,
}
const HEARTBEATS: Remindable<HeartbeatPlace> = {
  listDue: (db, due) => listHeartbeatsToRemind(db, heartbeatsDue(due)),
  remindSome: remindOfHeartbeats,
}

function checksDue({ now, since }: Due) {
  return { now: fromDate(now), since, until: horizonOf(now) }
}

function heartbeatsDue({ now, since }: Due) {
  return { now: fromDate(now), since, patience_sec: PATIENCE_MS / 1000 }
}

async function remindAll<Key extends object>(deps: Deps, which: Remindable<Key>, since: string): Promise<number> {
  for (let sum = 0; ; ) {
    const some = await remindInOneTransaction(deps, which, since).catch((err: unknown) => {
      deps.log.error({ err }, 'could not write a batch of reminders; writing each on its own')
      return undefined
    })
    if (!some) return sum + (await remindOneByOne(deps, which, since))
    sum += some.told
    if (some.claimed < AT_ONCE || some.told + some.held === 0) return sum
  }
}

/** Writes each reminder in a separate transaction, so that one that fails is logged and does not stop the others. */
async function remindOneByOne<Key extends object>(deps: Deps, which: Remindable<Key>, since: string): Promise<number> {
  let sum = 0
  for (const key of await which.listDue(deps.database.machines, { now: deps.clock.now(), since })) {
    try {
      sum += (await remindInOneTransaction(deps, which, since, key)).told
    } catch (err) {
      const place: object = key
      deps.log.error({ err, ...place }, 'could not store a reminder; will retry')
    }
  }
  return sum
}

async function remindInOneTransaction<Key>(
  deps: Deps,
  which: Remindable<Key>,
  since: string,
  only?: Key,
): Promise<ReminderCounts> {
  const due = { now: deps.clock.now(), since }
  return deps.database.machines.transaction().execute((trx) => which.remindSome(trx, deps, due, only))
}

async function remindOfChecks(
  trx: Trx,
  deps: Deps,
  given: Due,
  only?: CheckKey,
): ReturnType<Remindable<CheckKey>['remindSome']> {
  const { now } = given
  const until = horizonOf(now)
  const keys = await claimChecksToRemind(trx, { ...checksDue(given), limit: AT_ONCE, only })
  if (keys.length === 0) return { claimed: 0, told: 0, held: 0 }
  // Results that are stored by now can have ended the incident.
  await judgeChecks(trx, deps, keys)
  const all = dueOf(await claimDownChecks(trx, keys), now)
  const due = await withoutHeld(trx, deps, all, subjectOf)
  const limits = due.map(() => VIEWED)
  const found = await listLatestToJudge(trx, due, { until, since: EVER, limits })
  const results = [...(await redactResultsOfChecks(trx, found)), ...(await listAsResults(trx, without(due, found)))]
  const latest = Map.groupBy(results, ({ check_id }) => check_id)
  const monitors = Map.groupBy(await listActiveMonitors(trx, due), ({ check_id }) => check_id)
  // If all results that were read are failures, there can be more in a row. A success among them ends the row.
  const long = due.filter(({ check_id }) => isFull(latest.get(check_id) ?? []))
  const counts = await countSinceDown(trx, long, { until, limit: COUNTED })
  const events = due.map((check): EventToRaise => {
    const { org_id, check_id, incident_id } = check
    const reminder = checkReminder(check, latest.get(check_id) ?? [], monitors.get(check_id) ?? [], now)
    const data = { ...reminder, failures: counts.get(check_id) ?? reminder.failures }
    return { org_id, type: 'check.reminder', subject: subjectOf(check), check_id, incident_id, data }
  })
  const told = await writeReminders(trx, deps, due, events)
  return { claimed: keys.length, told, held: all.length - told }
}

async function remindOfHeartbeats(
  trx: Trx,
  deps: Deps,
  given: Due,
  only?: HeartbeatPlace,
): ReturnType<Remindable<HeartbeatPlace>['remindSome']> {
  const { now } = given
  const claimed = await claimHeartbeatsToRemind(trx, { ...heartbeatsDue(given), limit: AT_ONCE, only })
  const all = dueOf(claimed, now)
  const due = await withoutHeld(trx, deps, all, subjectOfHeartbeat)
  const events = due.map((heartbeat): EventToRaise => {
    const { org_id, incident_id } = heartbeat
    const subject = subjectOfHeartbeat(heartbeat)
    return { org_id, type: 'heartbeat.reminder', subject, incident_id, data: { ...heartbeatReminder(heartbeat, now) } }
  })
  const told = await writeReminders(trx, deps, due, events)
  return { claimed: claimed.length, told, held: all.length - told }
}

function subjectOfHeartbeat({ subject, heartbeat_id }: DownHeartbeat): string {
  return subject ?? `heartbeat:${heartbeat_id}`
}

/** Returns the incidents whose alerts nothing holds. Postpones the reminders of the others by one interval. */
async function withoutHeld<One extends ReminderState & { org_id: number }>(
  trx: Trx,
  deps: Deps,
  due: readonly One[],
  subjectOf: (one: One) => string,
): Promise<One[]> {
  const now = deps.clock.now()
  const held: One[] = []
  for (const [org_id, own] of Map.groupBy(due, (one) => one.org_id)) {
    const holds = await findHoldsOf(trx, deps, org_id, own.map(subjectOf))
    held.push(...own.filter((one) => holds.has(subjectOf(one))))
  }
  await updateReminded(trx, held, { told_at: fromDate(now), reminders: 0 })
  return due.filter((one) => !held.includes(one))
}

function isFull(latest: readonly LatestResult[]): boolean {
  return latest.length >= VIEWED && !latest.some(({ success }) => success)
}

function dueOf<One extends ReminderState>(down: readonly One[], now: Date): One[] {
  return down.filter((one) => nextReminder(one, now).kind === 'send')
}

/** Writes the reminders that any channel receives, and returns their number. Postpones the other reminders by one interval. */
async function writeReminders(
  trx: Trx,
  deps: Deps,
  due: readonly (ReminderState & { org_id: number })[],
  events: readonly EventToRaise[],
): Promise<number> {
  const told_at = fromDate(deps.clock.now())
  const unheard = await raiseHeard(trx, deps, events)
  const putOff = new Set(events.flatMap((event, n) => (unheard.has(event) ? [n] : [])))
  const toTell = due.filter((_, n) => !putOff.has(n))
  const toPutOff = due.filter((_, n) => putOff.has(n))
  await updateReminded(trx, toPutOff, { told_at, reminders: 0 })
  await updateReminded(trx, toTell, { told_at, reminders: 1 })
  return toTell.length
}

function checkReminder(
  check: DownCheck,
  latest: readonly LatestResult[],
  monitors: readonly ActiveMonitor[],
  now: Date,
): CheckData {
  return {
    org: { name: check.org_name },
    check: checkSubject(check),
    state: 'down',
    previous_state: 'down',
    incident_id: check.incident_id,
    ...howLong(check, now),
    reminder: check.reminders + 1,
    ...newest(check, latest),
    monitors: viewOf(check, latest, monitors),
  }
}

function heartbeatReminder(heartbeat: DownHeartbeat, now: Date): HeartbeatData {
  const { exit_code, outages, last_heartbeat_at } = heartbeat
  return {
    org: { name: heartbeat.org_name },
    heartbeat: heartbeatAbout(heartbeat),
    state: 'down',
    previous_state: 'down',
    incident_id: heartbeat.incident_id,
    ...howLong(heartbeat, now),
    reminder: heartbeat.reminders + 1,
    reason: (heartbeat.reason ?? 'overdue') as HeartbeatData['reason'],
    ...(exit_code !== null && { exit_code }),
    ...(outages !== null && { outages }),
    ...(last_heartbeat_at !== null && { last_heartbeat_at }),
  }
}

function howLong({ down_since }: ReminderState, now: Date): { since: string; duration_sec: number } {
  const duration_sec = Math.max(0, Math.round((now.getTime() - Date.parse(down_since)) / 1000))
  return { since: down_since, duration_sec }
}
