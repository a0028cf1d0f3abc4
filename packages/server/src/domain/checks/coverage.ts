// Whether the runs of a check arrive. When and by whom it is to be run is known, so silence is noticed.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import { lockChecksToJudge } from '../../store/check-health.ts'
import {
  forgetUnassigned,
  listHeardChecks,
  listNewestRuns,
  listSilentChecks,
  listUnmonitored,
  listUnrunDown,
  lockLiveChecks,
  type Patience,
  updateMonitored,
  updateUnmonitored,
  type WatchedCheck,
} from '../../store/coverage.ts'
import { lockSubject } from '../../store/events.ts'
import { endCheckIncident } from '../../store/incidents.ts'
import type { Tables } from '../../store/tables.ts'
import type { CoverageData } from '../alerts/event.ts'
import { raise } from '../alerts/raise.ts'
import { type Availability, callableMs, readAvailability } from '../availability.ts'
import type { Deps } from '../deps.ts'
import { checkSubject } from './alert.ts'

/** Three rounds of its monitors, so that one of them may be away; less than five minutes worry nobody. */
const PATIENCE: Patience = { rounds: 3, least_sec: 300 }
/** Where a round takes longer than that, the older results of the few that it concerns are looked up by themselves. */
const LOOK_BACK_MS = 2 * 86_400_000
/** A monitor that was not seen for so long may be gone: that is settled first, and told once for all its checks. */
const SEEN_MS = 60_000
/**
 * What all these events of an org have in common, since what is found at once comes back by and by. Each lists all that
 * is unmonitored, so that it may take the place of one that could not be delivered.
 */
const SUBJECT = 'coverage'

type State = CoverageData['state']

interface Found extends WatchedCheck {
  /** When its newest result ran. */
  ran_at: string | undefined
  /** Since when it is unmonitored. */
  since: string
}

/** How long no result of a check may arrive, in milliseconds. */
export function patienceMs({ interval_sec, monitors }: Pick<WatchedCheck, 'interval_sec' | 'monitors'>): number {
  return Math.max(PATIENCE.least_sec, PATIENCE.rounds * interval_sec * Math.max(monitors, 1)) * 1000
}

/** One run of the chore: tells of checks that nobody runs any more, and of those that are run again. Returns how many. */
export async function sweepCoverage(deps: Deps): Promise<number> {
  const { work } = deps.database
  const now = deps.clock.now()
  await forgetUnassigned(work)
  await endUnrun(deps)
  const [silent, heard] = [await findSilent(deps, now), await findHeard(deps, now)]
  if (silent.length + heard.length === 0) return 0
  const oldest = Math.min(...silent.map(silentFrom), ...heard.map(silentFrom))
  const availability = await readAvailability(work, now, new Date(oldest))
  if (!availability.isUp) return 0
  const lost = silent.filter((check) => isSilent(check, now, availability))
  // One that was heard late is not heard again.
  const found = heard.filter((check) => !isSilent(check, now, availability))
  return (await tellAll(deps, 'unmonitored', lost)) + (await tellAll(deps, 'monitored', found))
}

/** What nobody runs any more cannot come up: what is open of it ends, and is not told. */
async function endUnrun(deps: Deps): Promise<void> {
  for (const check of await listUnrunDown(deps.database.work)) {
    try {
      await deps.database.work.transaction().execute(async (trx) => {
        await lockChecksToJudge(trx, [check])
        await endCheckIncident(trx, check, fromDate(deps.clock.now()), 'disabled')
      })
    } catch (err) {
      deps.log.error({ err, ...check }, 'an incident that nobody can end could not be closed, and will be tried again')
    }
  }
}

async function findSilent(deps: Deps, now: Date): Promise<Found[]> {
  const { work } = deps.database
  const ago = (ms: number) => fromDate(new Date(now.getTime() - ms))
  const search = { now: fromDate(now), lookBack: ago(LOOK_BACK_MS), seenSince: ago(SEEN_MS), patience: PATIENCE }
  const silent = await listSilentChecks(work, search)
  const runs = await listNewestRuns(work, silent, fromDate(now))
  const newest = new Map(runs.map(({ check_id, ran_at }) => [check_id, ran_at]))
  return silent.map((check) => {
    const ran_at = newest.get(check.check_id)
    // Of one width: the order of the text is the order of time.
    return {
      ...check,
      ran_at,
      since: ran_at !== undefined && ran_at > check.watched_since ? ran_at : check.watched_since,
    }
  })
}

async function findHeard(deps: Deps, now: Date): Promise<Found[]> {
  const heard = await listHeardChecks(deps.database.work, fromDate(now))
  return heard.map((check) => ({ ...check, since: check.unmonitored_since }))
}

/** From when on a check was silent: of one that was heard, since it was. */
function silentFrom({ ran_at, since }: Found): number {
  return Date.parse(ran_at !== undefined && ran_at > since ? ran_at : since)
}

function isSilent(check: Found, now: Date, { outages }: Availability): boolean {
  return callableMs(silentFrom(check), now.getTime(), outages) >= patienceMs(check)
}

/** One org that cannot be told keeps no other from it. */
async function tellAll(deps: Deps, state: State, found: readonly Found[]): Promise<number> {
  let told = 0
  for (const [org_id, checks] of Map.groupBy(found, (check) => check.org_id)) {
    try {
      told += await deps.database.work.transaction().execute((trx) => tell(trx, deps, org_id, state, checks))
    } catch (err) {
      deps.log.error({ err, org_id, state }, 'an org could not be told of its checks, and will be told later')
    }
  }
  return told
}

/** Of several processes that find the same, one notes it and tells. */
async function tell(
  trx: Transaction<Tables>,
  deps: Deps,
  org_id: number,
  state: State,
  found: readonly Found[],
): Promise<number> {
  // What another process finds meanwhile is told after it, and in the order in which it is noted.
  await lockSubject(trx, org_id, SUBJECT)
  const ids = found.map(({ check_id }) => check_id)
  await lockChecksToJudge(
    trx,
    ids.map((check_id) => ({ org_id, check_id })),
  )
  // Read again: a definition may have been wiped since they were found.
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
  const news = checks.filter(({ check_id }) => noted.has(check_id))
  if (news.length === 0) return 0
  const others = (await listUnmonitored(trx, org_id)).filter(({ check_id }) => !noted.has(check_id))
  const data = { ...coverageData(state, news, others) }
  await raise(trx, deps, [{ org_id, type: `check.${state}`, subject: SUBJECT, data }])
  return news.length
}

function coverageData(
  state: State,
  news: readonly Found[],
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
    })),
    still_unmonitored: others.map(({ guid, name, since }) => ({ guid, name, since })),
    state,
  }
}
