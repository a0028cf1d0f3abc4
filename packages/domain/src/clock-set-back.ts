// Repairs the records after the database's clock was ahead for a while and was set back.
import { isOutOfReach } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  bringBackBudgets,
  bringBackToNow,
  listOrgIds,
  moveClosedIncidents,
  readAhead,
  readSetBack,
  type SetBackBy,
} from '@dogwatch/store/processes/clock-set-back'
import { type Lasting, moveBack, wakeWaiting } from '@dogwatch/store/processes/moved-times'
import { shiftFutureResults } from '@dogwatch/store/results/future-results'
import { AHEAD_MS } from './availability.ts'
import { OPEN_MS as CONFIRMATION_MS } from './channels/confirmation.ts'
import { RETRY_MS as GONE_MAIL_MS } from './channels/gone.ts'
import { WIPE_MS } from './checks/pause-delete-wipe.ts'
import type { Deps } from './deps.ts'
import { planAgain } from './maintenance/spread.ts'
import { GRACE_MS } from './organisations/suspension.ts'
import { RESET_MS } from './people/password.ts'
import { OPEN_MS as PENDING_MS } from './people/pending.ts'
import { OPEN_MS as SIGN_UP_MS } from './people/sign-up.ts'
import { RETRY_MS as REPORT_RETRY_MS } from './weekly-report/send.ts'

/** Columns of future times, and how far ahead each lies when it is written. */
const LASTING: readonly Lasting[] = [
  { table: 'channel_confirmations', column: 'expires_at', lasts_ms: CONFIRMATION_MS },
  { table: 'check_states', column: 'wipe_until', lasts_ms: WIPE_MS },
  { table: 'notification_channels', column: 'gone_mail_at', lasts_ms: GONE_MAIL_MS },
  { table: 'organisations', column: 'delete_at', lasts_ms: GRACE_MS },
  { table: 'password_resets', column: 'expires_at', lasts_ms: RESET_MS },
  { table: 'pending_sign_ins', column: 'expires_at', lasts_ms: PENDING_MS },
  { table: 'sign_up_links', column: 'expires_at', lasts_ms: SIGN_UP_MS },
  { table: 'weekly_reports', column: 'retry_at', lasts_ms: REPORT_RETRY_MS },
]

/** Interval between searches for traces of a clock that was ahead. */
const EVERY_MS = 60_000
/**
 * Interval and duration of the searches after a clock was set back, because processes that notice it later still write wrong
 * times.
 */
const AFTERMATH = { every_ms: 5000, for_ms: 120_000 }
interface LastRun {
  set_back_to: string | undefined
  /** Monotonic time at which a process noticed that the clock was set back. */
  noticed_ms: number
  at_ms: number
}
const lastRuns = new WeakMap<Deps['database'], LastRun>()

/** Returns the time until a run is due, in milliseconds. Returns 0 if the clock was set back. */
export async function untilSetBack({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const last = lastRuns.get(database)
  if (!last || last.set_back_to !== (await readSetBack(database.machines))) return 0
  const isAftermath = last.set_back_to !== undefined && last.at_ms - last.noticed_ms < AFTERMATH.for_ms
  return last.at_ms + (isAftermath ? AFTERMATH.every_ms : EVERY_MS) - clock.monotonicMs()
}

/** Maximum number of results in one transaction. */
const AT_ONCE = 20_000

/**
 * Runs the chore once. Sets times from a clock that was ahead to now, or moves them back by as much as it was ahead. Then plans
 * maintenance windows again and decides waiting alerts again.
 */
export async function takeBackFuture(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  const { machines } = deps.database
  const [set_back_to, at_ms] = [await readSetBack(machines), deps.clock.monotonicMs()]
  const last = lastRuns.get(deps.database)
  const noticed_ms = last?.set_back_to === set_back_to ? (last?.noticed_ms ?? at_ms) : at_ms
  lastRuns.set(deps.database, { set_back_to, noticed_ms, at_ms })
  const setBack = { now: fromDate(now), limit: fromDate(new Date(now.getTime() + AHEAD_MS)) }
  const ahead_ms = await readAhead(machines, setBack)
  // Heartbeats, monitors and open incidents are set to now, so that silence is noticed and reminders are sent.
  const moved = await machines.transaction().execute((trx) => bringBackToNow(trx, setBack))
  if (ahead_ms !== undefined) {
    await machines.transaction().execute((trx) => bringBackBudgets(trx, { ...setBack, ahead_ms }))
    const incidents = await machines.transaction().execute((trx) => moveClosedIncidents(trx, { ...setBack, ahead_ms }))
    const results = await shiftResults(deps, { ...setBack, ahead_ms })
    if (incidents > 0) moved.closed_incidents = incidents
    if (results > 0) moved.results = results
    const by = { ...setBack, ahead_ms }
    const back = await machines.transaction().execute((trx) => moveBack(trx, by, LASTING))
    const windows = await planAgain(deps, setBack.limit)
    const woken = await machines.transaction().execute((trx) => wakeWaiting(trx, setBack))
    for (const [table, count] of [...Object.entries(back), ...Object.entries(woken)])
      moved[table] = (moved[table] ?? 0) + count
    if (windows > 0) moved.maintenance_windows = windows
  }
  if (Object.keys(moved).length > 0) {
    const ahead_sec = Math.round((ahead_ms ?? 0) / 1000)
    deps.log.warn({ moved, ahead_sec }, 'the database clock was ahead; times recorded meanwhile have been set to now')
  }
}

/** Moves back results dated in the future. Skips the organisations of a node that does not respond. */
async function shiftResults({ database, log }: Pick<Deps, 'database' | 'log'>, by: SetBackBy): Promise<number> {
  let sum = 0
  const left_out: number[] = []
  for (const org_id of await listOrgIds(database.machines)) {
    try {
      for (let some = AT_ONCE; some >= AT_ONCE; sum += some) {
        some = await database.machines.transaction().execute((trx) => shiftFutureResults(trx, org_id, by, AT_ONCE))
      }
    } catch (error) {
      if (!isOutOfReach(error)) throw error
      if (left_out.length === 0) log.warn({ err: error, org_id }, 'could not move back results dated in the future')
      left_out.push(org_id)
    }
  }
  if (left_out.length > 0)
    log.warn({ org_ids: left_out }, 'results dated in the future could not be moved back for some organisations')
  return sum
}
