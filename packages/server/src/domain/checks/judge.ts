// Judging checks by what is stored of them: what changed goes into the transaction that caused it.
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  type CheckCase,
  type CheckKey,
  claimChecksToRejudge,
  judgeSoon,
  type LatestResult,
  listActiveMonitors,
  listCases,
  listFirstAfter,
  listLatestResults,
  listStreaks,
  lockChecksToJudge,
  putOffRejudging,
  updateRejudgeAt,
} from '../../store/check-health.ts'
import { endCheckIncident, insertIncidents, updateIncidentsEnded } from '../../store/incidents.ts'
import type { Tables } from '../../store/tables.ts'
import { type Happening, raise } from '../alerts/raise.ts'
import type { Deps } from '../deps.ts'
import { checkData, subjectOf } from './alert.ts'
import { AHEAD_MS, horizonOf, type HealthChange, type Judgement, judge } from './health.ts'

type Changed = CheckCase & { change: Exclude<HealthChange, { kind: 'none' }>; latest: LatestResult[] }

/** Two batches that are stored at the same time may miss each other's results; by then both are to be seen. */
const OVERLAP_MS = 30_000
/** Nearly always enough, and it spares the older partitions. */
const RECENT_MS = 7 * 86_400_000
const EVER = '-infinity'
/** Enough to see how each monitor saw it last. */
const VIEW = 40
/** How far back the beginning of a row of failures is looked for. */
const LONGEST_STREAK = 2000
const REJUDGED_AT_ONCE = 200
const PUT_OFF_MS = 60_000

/**
 * Judges checks by their stored results and writes what changed: incidents, events, deliveries. Comes after the results
 * in their transaction. While the time is in doubt they are only noted, to be judged by whichever process trusts it next.
 */
export async function judgeChecks(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random'>,
  keys: readonly CheckKey[],
): Promise<void> {
  if (keys.length === 0) return
  await lockChecksToJudge(trx, keys)
  const now = deps.clock.now()
  // Whoever trusts the time judges them, within seconds.
  if (!deps.clock.isTrusted()) return judgeSoon(trx, keys, fromDate(now))
  const [cases, paused] = partition(await listCases(trx, keys))
  await endQuietly(trx, paused, fromDate(now))
  const changed = await findChanges(trx, cases, now)
  await writeChanges(trx, deps, changed)
  await writeRejudgeAt(trx, keys, changed, now)
}

/** Nobody wants to hear of them: what is open of them ends, and is not told. */
async function endQuietly(trx: Transaction<Tables>, paused: readonly CheckCase[], now: string): Promise<void> {
  for (const one of paused) if (one.incident_id !== null) await endCheckIncident(trx, one, now, 'disabled')
}

function partition(cases: readonly CheckCase[]): [live: CheckCase[], paused: CheckCase[]] {
  return [cases.filter(({ is_live }) => is_live), cases.filter(({ is_live }) => !is_live)]
}

/**
 * One run of the chore: judges again what is due; returns how many checks that were. When a batch fails, each is judged by
 * itself, and one that fails holds up no other.
 */
export async function rejudgeChecks(deps: Deps): Promise<number> {
  let judged = 0
  for (let count = REJUDGED_AT_ONCE; count === REJUDGED_AT_ONCE; judged += count) {
    try {
      count = await rejudge(deps)
    } catch (error) {
      deps.log.error({ err: error }, 'checks are judged one by one, since one of them fails')
      count = await rejudgeEach(deps)
    }
  }
  return judged
}

function rejudge(deps: Deps): Promise<number> {
  return deps.database.work.transaction().execute(async (trx) => {
    const keys = await claimChecksToRejudge(trx, fromDate(deps.clock.now()), REJUDGED_AT_ONCE)
    await judgeChecks(trx, deps, keys)
    return keys.length
  })
}

async function rejudgeEach(deps: Deps): Promise<number> {
  const { work } = deps.database
  const keys = await work
    .transaction()
    .execute((trx) => claimChecksToRejudge(trx, fromDate(deps.clock.now()), REJUDGED_AT_ONCE))
  for (const key of keys) {
    try {
      await work.transaction().execute((trx) => judgeChecks(trx, deps, [key]))
    } catch (error) {
      deps.log.error({ err: error, check_id: key.check_id }, 'a check cannot be judged, and will be tried again')
      await putOffRejudging(work, key, fromDate(new Date(deps.clock.now().getTime() + PUT_OFF_MS)))
    }
  }
  return keys.length
}

async function findChanges(trx: Transaction<Tables>, cases: readonly CheckCase[], now: Date): Promise<Changed[]> {
  const until = horizonOf(now)
  const since = fromDate(new Date(now.getTime() - RECENT_MS))
  const read = async (some: readonly CheckCase[], reach: { since: string; atLeast: number }): Promise<Latest> => {
    if (some.length === 0) return new Map()
    const limits = some.map(({ threshold }) => Math.max(threshold, reach.atLeast))
    return byCheck(await listLatestResults(trx, some, { until, since: reach.since, limits }))
  }
  const latest = await read(cases, { since, atLeast: 1 })
  // There may be more, further back, and they may decide.
  const undecided = cases.filter(({ check_id, threshold }) => {
    const own = latest.get(check_id) ?? []
    return own.length < threshold && !own.some(({ success }) => success)
  })
  takeOver(latest, await read(undecided, { since: EVER, atLeast: 1 }))
  const moving = cases.filter((one) => verdictOf(one, latest, now).change.kind !== 'none')
  // Also for a view of all its monitors, which the few that decide may not show.
  takeOver(latest, await read(moving, { since: EVER, atLeast: VIEW }))
  const older = moving.filter((one) => verdictOf(one, latest, now).wantsOlder)
  const streaks = byCheck(await listStreaks(trx, older, until, LONGEST_STREAK))
  return moving.flatMap((one): Changed[] => {
    const { change } = verdictOf(one, latest, now)
    if (change.kind === 'none') return []
    const [streak] = streaks.get(one.check_id) ?? []
    return [{ ...one, change: streak ? sinceBegin(change, streak) : change, latest: latest.get(one.check_id) ?? [] }]
  })
}

type Change = Changed['change']

/** The change as it is when the newest results are seen back to where they differ. */
function sinceBegin(change: Change, streak: { began_at: string; length: number }): Change {
  if (change.kind === 'down') return { ...change, since: streak.began_at, failures: streak.length }
  return change.reason === 'recovered' ? { ...change, ended_at: streak.began_at } : change
}

type Latest = Map<number, LatestResult[]>

function verdictOf(one: CheckCase, latest: Latest, now: Date): Judgement {
  return judge(one, latest.get(one.check_id) ?? [], one.threshold, now)
}

function takeOver(latest: Latest, wider: Latest): void {
  for (const [check_id, results] of wider) latest.set(check_id, results)
}

async function writeChanges(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random'>,
  changed: readonly Changed[],
): Promise<void> {
  if (changed.length === 0) return
  const told_at = fromDate(deps.clock.now())
  const monitors = byCheck(await listActiveMonitors(trx, changed))
  const happenings: Happening[] = []
  const opened = []
  const ended = []
  for (const one of changed) {
    const { org_id, check_id, change } = one
    const incident_id = one.incident_id ?? newGuid(deps.random)
    if (change.kind === 'down') opened.push({ org_id, check_id, incident_id, began_at: change.since, told_at })
    else ended.push({ org_id, incident_id, ended_at: change.ended_at, end_reason: change.reason })
    const type = change.kind === 'down' ? 'check.down' : 'check.up'
    const data = checkData({ ...one, incident_id }, one.latest, monitors.get(check_id) ?? [], change)
    happenings.push({ org_id, type, subject: subjectOf(one), check_id, incident_id, data: { ...data } })
  }
  await insertIncidents(trx, opened)
  await updateIncidentsEnded(trx, ended)
  await raise(trx, deps, happenings)
}

async function writeRejudgeAt(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  changed: readonly Changed[],
  now: Date,
): Promise<void> {
  const ahead = byCheck(await listFirstAfter(trx, keys, horizonOf(now)))
  const moved = new Set(changed.map(({ check_id }) => check_id))
  const overlap = now.getTime() + OVERLAP_MS
  const checks = keys.map(({ org_id, check_id }) => {
    const next = ahead.get(check_id)?.[0]
    const times = [...(moved.has(check_id) ? [overlap] : []), ...(next ? [Date.parse(next.ran_at) - AHEAD_MS] : [])]
    return { org_id, check_id, rejudge_at: times.length > 0 ? fromDate(new Date(Math.min(...times))) : null }
  })
  await updateRejudgeAt(trx, checks, fromDate(now))
}

function byCheck<Row extends CheckKey>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ check_id }) => check_id)
}
