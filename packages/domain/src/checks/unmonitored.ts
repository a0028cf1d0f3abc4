// Notices live checks without recent results, and those that have results again.
import { leastLacking } from '@dogwatch/check-rules/abilities'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockSubject } from '@dogwatch/store/alerting/events'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { lockChecksToJudge, updateJudgedFrom } from '@dogwatch/store/checks/check-health'
import { endCheckIncident } from '@dogwatch/store/checks/incidents'
import { findSpanAfter, type KeySpan } from '@dogwatch/store/checks/key-spans'
import { listScheduleChanges, updateSchedules } from '@dogwatch/store/checks/schedules'
import {
  forgetUnassigned,
  listHeardChecks,
  listSilentChecks,
  listUnableChecks,
  listUnmonitored,
  listUnrunDown,
  lockLiveChecks,
  type Patience,
  type SilenceSearch,
  type SilentCheck,
  updateMonitored,
  updateUnmonitored,
  type WatchedCheck,
} from '@dogwatch/store/checks/unmonitored'
import type { Trx } from '@dogwatch/store/database'
import { updateJudgedAt } from '@dogwatch/store/processes/availability'
import { listNewestRuns } from '@dogwatch/store/results/newest'
import { type Availability, callableMs, calledUntil, readAvailability } from '../availability.ts'
import type { Deps } from '../deps.ts'
import { closeCoverage, closingKept } from '../events/close-kept.ts'
import type { CoverageData } from '../events/event.ts'
import { raise } from '../events/raise.ts'
import { ONLINE_MS } from '../monitors/monitor.ts'
import { StepSize } from '../steps.ts'
import { checkSubject } from './event-data.ts'

/**
 * Time without results before a check is unmonitored: two turns of each monitor, the timeout, and a minute for an agent's
 * requests and retries. No shorter than for an offline monitor, so that a monitor that dies causes only one alert.
 */
const PATIENCE: Patience = { turns: 2, timeout_sec: 10, slack_sec: 60, least_sec: ONLINE_MS / 1000 }
/**
 * Time without a request after which a monitor may have stopped, in milliseconds. A running agent makes a request every half
 * minute.
 */
const SEEN_MS = 60_000
/**
 * Subject that all these events of an organisation share, because checks that are found together come back one by one. Each event
 * lists all unmonitored checks, so that it can replace one that could not be delivered.
 */
const SUBJECT = 'coverage'

type State = CoverageData['state']

interface CoverageChange extends WatchedCheck, Pick<SilentCheck, 'is_covered' | 'down_since' | 'unable'> {
  /** Time of the check's newest result, by the server's clock. */
  ran_at: string | undefined
  /** Time since which the check is unmonitored. */
  since: string
}

/** Returns how long a check can be without a result while one of its monitors is online, in milliseconds. */
export function patienceMs({
  interval_sec,
  timeout_sec,
  monitors,
}: Pick<WatchedCheck, 'interval_sec' | 'timeout_sec' | 'monitors'>): number {
  const { turns, slack_sec, least_sec } = PATIENCE
  const run_sec = timeout_sec === 0 ? PATIENCE.timeout_sec : timeout_sec
  return Math.max(least_sec, turns * interval_sec * Math.max(monitors, 1) + run_sec + slack_sec) * 1000
}

/** Step size, in checks. Small installations need a single step. */
const STEP = { first: 4096, least: 256, most: 20_000, step_ms: 100 }
/**
 * Factor from the duration of a step to the rest after it. The rest limits the chore to a part of one connection's time, however
 * many checks there are.
 */
const REST = 2
const pacing = new WeakMap<Deps['database'], StepSize>()

/**
 * Runs the chore once: records which checks became unmonitored and which are monitored again, and raises the events. Goes through
 * all checks, some at a time. `checks`: size of a step.
 */
export async function sweepUnmonitored(deps: Deps, checks?: number): Promise<number> {
  const { machines } = deps.database
  await forgetUnassigned(machines)
  await endUnrun(deps)
  const steps = pacing.get(deps.database) ?? new StepSize(STEP)
  pacing.set(deps.database, steps)
  let told = 0
  let waiting: CoverageChange[] = []
  for (let after: CheckKey | null = null; ; ) {
    const from: CheckKey | null = after
    const { last, lost } = await steps.take(
      deps.clock,
      async (size) => {
        const span = await findSpanAfter(machines, from, checks ?? size)
        return { ...span, lost: await findSilent(deps, span) }
      },
      (span) => (span.last === null ? 0 : REST),
    )
    // An organisation receives one alert about all its checks, however many steps they take.
    const all = [...waiting, ...lost]
    waiting = all.filter(({ org_id }) => org_id === last?.org_id)
    const whole = all.filter(({ org_id }) => org_id !== last?.org_id)
    told += await recordByOrganisation(deps, 'unmonitored', whole)
    if (last === null) break
    after = last
  }
  return told + (await sweepHeard(deps))
}

async function findSilent(deps: Deps, span: KeySpan): Promise<CoverageChange[]> {
  const { machines } = deps.database
  const now = deps.clock.now()
  await noteSchedules(deps, now, span)
  const search = searchAt(now)
  const unable = await listUnableChecks(machines, search, span)
  const silent = [...(await listSilentChecks(machines, search, span)), ...unable]
  if (silent.length === 0) return []
  const oldest = Math.min(now.getTime(), ...silent.map(({ watched_since }) => Date.parse(watched_since)))
  const availability = await readAvailability(machines, now, new Date(oldest))
  if (!availability.isUp) return []
  return findLost(deps, silent, now, availability)
}

async function sweepHeard(deps: Deps): Promise<number> {
  const { machines } = deps.database
  const now = deps.clock.now()
  const heard = await listHeardChecks(machines, searchAt(now))
  if (heard.length === 0 || !(await readAvailability(machines, now, now)).isUp) return 0
  const found = heard.map(
    (check): CoverageChange => ({ ...check, since: check.unmonitored_since, is_covered: check.is_quiet }),
  )
  return recordByOrganisation(deps, 'monitored', found)
}

function searchAt(now: Date): SilenceSearch {
  const ago = (ms: number) => fromDate(new Date(now.getTime() - ms))
  return { now: fromDate(now), patience: PATIENCE, onlineSince: ago(ONLINE_MS), seenSince: ago(SEEN_MS) }
}

/**
 * Runs {@link sweepUnmonitored} as the chore of a worker, and records the run, so that readers know when no worker does so any
 * longer.
 */
export async function judgeUnmonitored(deps: Deps): Promise<number> {
  const told = await sweepUnmonitored(deps)
  await closeCoverage(deps)
  await updateJudgedAt(deps.database.machines, fromDate(deps.clock.now()))
  return told
}

async function noteSchedules(deps: Deps, now: Date, span: KeySpan): Promise<void> {
  const changes = await listScheduleChanges(deps.database.machines, fromDate(now), span)
  if (changes.length === 0) return
  await deps.database.machines.transaction().execute((trx) => updateSchedules(trx, changes, fromDate(now)))
}

/** Ends the open incidents of checks without an enabled monitor, because such checks cannot come up. Sends no alert. */
async function endUnrun(deps: Deps): Promise<void> {
  for (const check of await listUnrunDown(deps.database.machines)) {
    try {
      await deps.database.machines.transaction().execute(async (trx) => {
        await lockChecksToJudge(trx, [check])
        const now = fromDate(deps.clock.now())
        const { org_id, check_id } = check
        await closingKept(
          trx,
          deps,
          { org_id, check_ids: [check_id], reason: 'unassigned', kinds: ['down', 'flapping'] },
          () => endCheckIncident(trx, check, now, 'disabled'),
        )
        // The failures that took the check down are still stored, and must not take it down again.
        await updateJudgedFrom(trx, org_id, [check_id], now)
      })
    } catch (err) {
      deps.log.error({ err, ...check }, 'could not close the incident of a check without active monitors; will retry')
    }
  }
}

/** Returns the checks that were silent for long enough, without counting time when the service itself was unreachable. */
async function findLost(
  deps: Deps,
  silent: readonly SilentCheck[],
  now: Date,
  { outages }: Availability,
): Promise<CoverageChange[]> {
  const { rows: runs, away } = await listNewestRuns(deps.database.machines, silent, fromDate(now))
  const newest = new Map(runs.map(({ check_id, at }) => [check_id, at]))
  return silent.flatMap((check): CoverageChange[] => {
    if (away.has(check.org_id)) return []
    const { watched_since, is_off } = check
    const ran_at = newest.get(check.check_id)
    // Timestamps have a fixed width: they sort as text.
    const since = ran_at !== undefined && ran_at > watched_since ? ran_at : watched_since
    // Only monitors that are online decide here. The newest result may come from another monitor: the online ones were silent for
    // at least as long.
    const from = Date.parse(is_off ? watched_since : since)
    const patience_ms = is_off ? ONLINE_MS : patienceMs(check)
    const called = calledUntil(from, check.refused_at, now)
    const isExcused = outages.length > 0 || called > from
    const isLost = !isExcused || callableMs(called, now.getTime(), outages) >= patience_ms
    return isLost ? [{ ...check, ran_at, since }] : []
  })
}

/** Records the changes of each organisation separately, so that an error with one does not delay the others. */
async function recordByOrganisation(deps: Deps, state: State, found: readonly CoverageChange[]): Promise<number> {
  let told = 0
  for (const [org_id, checks] of Map.groupBy(found, (check) => check.org_id)) {
    try {
      told += await deps.database.machines
        .transaction()
        .execute((trx) => recordChange(trx, deps, org_id, state, checks))
    } catch (err) {
      deps.log.error({ err, org_id, state }, "could not write an alert about an organisation's checks; will retry")
    }
  }
  return told
}

/** Records the changes of an organisation and raises the event. If several processes find the same changes, only one does so. */
async function recordChange(
  trx: Trx,
  deps: Deps,
  org_id: number,
  state: State,
  found: readonly CoverageChange[],
): Promise<number> {
  // Changes that another process finds in the meantime are reported after these, in the order of their recording.
  await lockSubject(trx, org_id, SUBJECT)
  const ids = found.map(({ check_id }) => check_id)
  await lockChecksToJudge(trx, found)
  // Read again: a definition may have been wiped in the meantime.
  const live = new Map((await lockLiveChecks(trx, org_id, ids)).map((check) => [check.check_id, check]))
  const checks = found.flatMap((check) => {
    const now = live.get(check.check_id)
    return now ? [{ ...check, ...now }] : []
  })
  const noted = new Set(
    state === 'unmonitored'
      ? await updateUnmonitored(trx, org_id, checks)
      : await updateMonitored(
          trx,
          org_id,
          checks.map(({ check_id }) => check_id),
        ),
  )
  const news = checks.filter(({ check_id, is_covered }) => noted.has(check_id) && !is_covered)
  if (news.length === 0) return noted.size
  const told = new Set(news.map(({ check_id }) => check_id))
  const others = (await listUnmonitored(trx, org_id)).filter(({ check_id }) => !told.has(check_id))
  const data = { ...coverageData(state, news, others) }
  await raise(trx, deps, [{ org_id, type: `check.${state}`, subject: SUBJECT, data }])
  return noted.size
}

function coverageData(
  state: State,
  news: readonly CoverageChange[],
  others: Awaited<ReturnType<typeof listUnmonitored>>,
): CoverageData {
  const [first] = news
  return {
    org: { name: first?.org_name ?? '' },
    ...(first && news.length === 1 && { check: checkSubject(first) }),
    checks: news.map((check) => ({
      ...checkSubject(check),
      ...(check.ran_at !== undefined && { last_result_at: check.ran_at }),
      since: check.since,
      ...(check.down_since !== null && { down_since: check.down_since }),
      ...(check.unable && { missing_abilities: leastLacking(check.unable.needs, check.unable.monitors) }),
    })),
    still_unmonitored: others.map(({ guid, name, since }) => ({ guid, name, since })),
    state,
  }
}
