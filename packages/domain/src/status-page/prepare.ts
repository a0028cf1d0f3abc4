// Keeps the past of status pages ready: the worker computes it again while visitors request the page.
import { FairQueue } from '@dogwatch/runtime/fair-queue'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  claimPageHistory,
  deleteOldHistories,
  findPageHistory,
  type HistoryRow,
  type PageHistory,
  updateHistoryAsked,
  upsertPageHistory,
} from '@dogwatch/store/status-histories'
import { listShownChecks, listShownHeartbeats } from '@dogwatch/store/status-pages'
import type { Deps } from '../deps.ts'
import { computeHistory, type PageSubjects } from './history.ts'

const MINUTE_MS = 60_000
/** Age of a page's past at which the worker computes it again. */
const EVERY_MS = MINUTE_MS
/**
 * Minimum time between two computations, as a multiple of their duration. A page that takes a second is computed at most every 20
 * s, so that it leaves time for other pages.
 */
const TIMES = 20
/** Time after the last visit of a page until the worker stops computing the page. */
const ASKED_MS = 5 * MINUTE_MS
/** Minimum time between two records of a visit. */
const NOTED_MS = MINUTE_MS / 2
/** Maximum age of a stored past that a process shows. If the past is older, the process computes it again itself. */
const OLD_MS = 10 * MINUTE_MS
const CLAIM_MS = 2 * MINUTE_MS
const FORGOTTEN_MS = 24 * 60 * MINUTE_MS
/** Number of pages that a process computes at once. A page that takes long delays only one of them. */
const AT_ONCE = 2
/** Maximum number of pages that one run of the chore computes, in each of its lanes. */
const MOST_PAGES = 200

const turns = new FairQueue({ at_once: AT_ONCE, waiting: 100 })

export interface PreparedHistory {
  history: PageHistory
  computed_at: string
}

/** Returns the prepared past of a page. Computes it if nothing usable is stored, and returns the stored one if that fails. */
export async function readHistory(
  deps: Pick<Deps, 'database' | 'clock' | 'log'>,
  org_id: number,
  shown: PageSubjects,
): Promise<PreparedHistory> {
  const { machines } = deps.database
  const now = deps.clock.now()
  const stored = await findPageHistory(machines, org_id)
  if (stored && isUsable(stored, shown, now)) {
    if (Math.abs(now.getTime() - Date.parse(stored.asked_at)) > NOTED_MS) {
      await updateHistoryAsked(machines, org_id, fromDate(now))
    }
    return stored
  }
  try {
    return await turns.run({ client: String(org_id) }, () => prepare(deps, org_id, shown, fromDate(now)))
  } catch (err) {
    if (!stored) throw err
    deps.log.warn({ err, org_id }, 'the history of a status page could not be computed: the page shows an older one')
    return stored
  }
}

function isUsable({ history, computed_at }: HistoryRow, { checks, heartbeats }: PageSubjects, now: Date): boolean {
  const age_ms = now.getTime() - Date.parse(computed_at)
  if (age_ms > OLD_MS || age_ms < -MINUTE_MS) return false
  const [known, heard] = [history.checks, history.heartbeats].map((all) => new Set(all.map(({ id }) => id)))
  return (
    checks.every(({ check_id }) => known?.has(check_id)) &&
    heartbeats.every(({ heartbeat_id }) => heard?.has(heartbeat_id))
  )
}

async function prepare(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  shown: PageSubjects,
  asked_at: string | null,
): Promise<PreparedHistory> {
  const [now, begun] = [clock.now(), clock.monotonicMs()]
  const history = await computeHistory(database, org_id, shown, now)
  const computed_at = fromDate(now)
  const took_ms = Math.round(clock.monotonicMs() - begun)
  await upsertPageHistory(database.machines, { org_id, history, computed_at, took_ms, asked_at })
  return { history, computed_at }
}

/**
 * Runs the chore once: computes the pasts that are due, starting with those that have been due for longest. Returns their number.
 */
export async function preparePages(deps: Pick<Deps, 'database' | 'clock' | 'log'>): Promise<number> {
  const counts = await Promise.all(Array.from({ length: AT_ONCE }, () => prepareSome(deps)))
  await deleteOldHistories(deps.database.machines, ago(deps, FORGOTTEN_MS))
  return counts.reduce((all, one) => all + one, 0)
}

async function prepareSome(deps: Pick<Deps, 'database' | 'clock' | 'log'>): Promise<number> {
  const { machines } = deps.database
  for (let count = 0; count < MOST_PAGES; count++) {
    const org_id = await claimPageHistory(machines, {
      now: ago(deps, 0),
      asked_since: ago(deps, ASKED_MS),
      every_ms: EVERY_MS,
      times: TIMES,
      claim_ms: CLAIM_MS,
    })
    if (org_id === undefined) return count
    try {
      const [checks, heartbeats] = await Promise.all([
        listShownChecks(machines, org_id),
        listShownHeartbeats(machines, org_id),
      ])
      await prepare(deps, org_id, { checks, heartbeats }, null)
    } catch (err) {
      // The claim of the page expires by itself. Until then, other pages have their turn.
      deps.log.error({ err, org_id }, 'could not compute the history of a status page; will retry')
    }
  }
  return MOST_PAGES
}

function ago({ clock }: Pick<Deps, 'clock'>, ms: number): string {
  return fromDate(new Date(clock.now().getTime() - ms))
}
