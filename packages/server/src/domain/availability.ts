// When the service could not be reached: silence during that time is our own fault.
import { MOST_SKEW_MS } from '../runtime/clock.ts'
import { fromDate } from '../runtime/timestamps.ts'
import {
  extendOutage,
  listOutages,
  listRecordedAfter,
  type OutageRow,
  readLeastAlive,
  readPresence,
  takeBackRecorded,
  touchPresence,
} from '../store/processes/availability.ts'
import type { Database, Db } from '../store/database.ts'
import { noteRefusedPings } from '../store/heartbeats/refused-pings.ts'
import { noteRefusedRequests } from '../store/monitors/refused-requests.ts'
import { type ServerProcess, stepAside, updateNotAlive } from '../store/processes/processes.ts'
import type { Deps } from './deps.ts'
import { type LostCalls, MAX_REFUSED_MS, type Refused } from './lost-calls.ts'

/** How often a process that takes requests reports its presence. */
export const PRESENCE_MS = 2000
/** A longer pause was an outage: a process that is merely busy is not that late. */
const GAP_MS = PRESENCE_MS + 1000
/**
 * Without a report for longer than this, the service cannot be reached now. Deadlines are minutes long, so a shorter
 * pause does not matter.
 */
const STALE_MS = 3 * PRESENCE_MS
/** A process that starts may have been away itself, unless another one reported all the while. */
const GAP_AT_START_MS = PRESENCE_MS + 500

/** Two processes that trust their time cannot be further apart. A report further ahead came from a wrong clock. */
export const AHEAD_MS = 2 * MOST_SKEW_MS

/**
 * A process that was silent for this long counts as gone for good: it was killed, or its machine is lost. By then
 * balancers have noticed; until then nobody's silence is judged.
 */
export const GONE_MS = 60_000

/** What a process that takes requests knows about its own presence. */
export interface OwnPresence {
  self: ServerProcess
  port: number | undefined
  /** Where people reach it. */
  public_url?: string
  /** When it last reported that it takes pings; undefined when it has not, or has said since that it takes none. */
  told_at: string | undefined
}

/** An outage in milliseconds since the Unix epoch. */
export interface Outage {
  began: number
  ended: number
}

export interface Availability {
  /** Whether the service can be reached now. While it cannot, nobody's silence can be judged. */
  isUp: boolean
  /**
   * Until when the service is known to have been reachable, except for its outages; in milliseconds since the Unix
   * epoch.
   */
  seen_until: number
  /** Outages that ended after the given instant. */
  outages: readonly Outage[]
}

/**
 * Reports that the service can be reached. Records an outage if no process has reported for long, and if this process
 * has not (`own`): pings that were sent to it meanwhile waited or were lost, whatever the others did. A process that
 * doubts the time takes no pings and reports that instead, because it puts off the deadline of each heartbeat whose
 * ping it refuses.
 */
export async function tellPresence(
  deps: Pick<Deps, 'database' | 'clock'>,
  { isStart = false, lost, own }: { isStart?: boolean; lost?: LostCalls; own?: OwnPresence } = {},
): Promise<void> {
  // First, so that nothing is judged up to now before the losses are known.
  if (lost) await tellRefused(deps, lost)
  if (!deps.clock.isTrusted()) {
    if (own && (await stepAside(deps.database, own.self.process_id, GAP_MS))) own.told_at = undefined
    return
  }
  if (lost) await tellOwnOutage(deps, lost)
  const now = fromDate(deps.clock.now())
  const self = own && { ...own.self, port: own.port, public_url: own.public_url, told_at: own.told_at, isStart }
  const bounds = { gap_ms: isStart ? GAP_AT_START_MS : GAP_MS, ahead_ms: AHEAD_MS, gone_ms: GONE_MS }
  const findsAhead = await touchPresence(deps.database, { now, ...bounds, ...(self && { self }) })
  if (own) own.told_at = now
  if (findsAhead) await takeBackAhead(deps)
}

/**
 * Takes back what a wrong clock recorded of the future. What a late report found ahead of itself may be the present: it is held
 * against the time after it was read, and left alone where it was recorded anew.
 */
async function takeBackAhead({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  const found = await listRecordedAfter(database, fromDate(new Date(clock.now().getTime() + AHEAD_MS)))
  const now = clock.now()
  const wrong = found.filter(({ at }) => Date.parse(at) - now.getTime() > AHEAD_MS)
  if (wrong.length > 0 && clock.isTrusted()) await takeBackRecorded(database, wrong, fromDate(now))
}

/** Reports that this process takes no pings from now on, so that nobody waits for it. */
export async function endPresence({ database }: Pick<Deps, 'database'>, own: OwnPresence): Promise<void> {
  own.told_at = undefined
  await updateNotAlive(database, own.self.process_id)
}

/**
 * Pings came that cannot be taken, by the tokens of their heartbeats. None of these is to be found silent for it, so each has a
 * whole interval and its grace from then on (`deadlineOf`). All others are judged as ever.
 */
export async function putOff({ database }: { database: Database }, refused: readonly Refused[]): Promise<void> {
  const pings = refused.map(({ caller, at }) => ({ token: caller, refused_at: fromDate(new Date(at)) }))
  await noteRefusedPings(database, pings)
}

/** Notes which calls this process refused to their callers alone: each of them is excused, and nobody else. */
async function tellRefused(deps: Pick<Deps, 'database' | 'clock'>, lost: LostCalls): Promise<void> {
  // Processes that trust the database's time judge by it, while this one may not believe it.
  const now = deps.clock.asTold().getTime()
  await lost.handPings(now, (refused) => putOff(deps, refused))
  await lost.handRequests(now, (refused) => noteRefusedRequests(deps.database, refused.map(toRequest)))
}

function toRequest({ caller, at }: Refused) {
  return { key_hash: caller, refused_at: fromDate(new Date(at)) }
}

/** Records the time in which this process lost any ping before now as our own outage. */
async function tellOwnOutage({ database, clock }: Pick<Deps, 'database' | 'clock'>, lost: LostCalls): Promise<void> {
  const span = lost.takeOutage(clock.now().getTime())
  if (!span) return
  const [began_at, ended_at] = [fromDate(new Date(span.began)), fromDate(new Date(span.ended))]
  await extendOutage(database, { began_at, ended_at })
}

/**
 * The service's own outages since an instant; outages of a few seconds only on request. `ofEach`: what one process
 * cannot take now counts as well, because jobs do not retry at another process.
 */
export async function readAvailability(
  db: Db,
  now: Date,
  since: Date,
  { includeShort = false, ofEach = false }: { includeShort?: boolean; ofEach?: boolean } = {},
): Promise<Availability> {
  const [alive_at, outages] = [await readPresence(db), await listOutages(db, fromDate(since))]
  const least_alive_at = ofEach ? await readLeastAlive(db) : undefined
  const alive = [alive_at, least_alive_at].flatMap((at) => (at === undefined ? [] : [Date.parse(at)]))
  return {
    // Without any report, nobody keeps track, and the service counts as reachable.
    isUp: alive_at === undefined || now.getTime() - Date.parse(alive_at) <= STALE_MS,
    seen_until: Math.min(now.getTime(), ...alive),
    outages: merged(
      outages.map(toOutage).flatMap(({ began, ended }) => {
        if (!includeShort && ended - began <= STALE_MS) return []
        // An outage that ends far ahead was recorded by a wrong clock.
        return ended - now.getTime() > AHEAD_MS
          ? []
          : [{ began, ended: Math.min(ended, Math.max(began, now.getTime())) }]
      }),
    ),
  }
}

/** Several processes may each record a part of one outage: no time counts twice. Oldest first, as given. */
function merged(outages: readonly Outage[]): Outage[] {
  const apart: Outage[] = []
  for (const one of outages) {
    const last = apart.at(-1)
    if (last && one.began <= last.ended) last.ended = Math.max(last.ended, one.ended)
    else apart.push({ ...one })
  }
  return apart
}

function toOutage({ began_at, ended_at }: OutageRow): Outage {
  return { began: Date.parse(began_at), ended: Date.parse(ended_at) }
}

/** How much of the time from `since` to `now` the service could be reached, in milliseconds. */
export function callableMs(since: number, now: number, outages: readonly Outage[]): number {
  const lost = outages.map(({ began, ended }) => Math.max(0, Math.min(ended, now) - Math.max(began, since)))
  return now - since - lost.reduce((sum, ms) => sum + ms, 0)
}

/**
 * Until when (milliseconds since the Unix epoch) a monitor that was heard at `since` is known to have called: the newest of its
 * requests that we refused shows that it was there. Refusals count for an hour at most.
 */
export function calledUntil(since: number, refused_at: string | null, now: Date): number {
  if (refused_at === null) return since
  const refused = Date.parse(refused_at)
  // One that lies far ahead was noted by a wrong clock.
  if (refused - now.getTime() > AHEAD_MS) return since
  return Math.max(since, Math.min(refused, since + MAX_REFUSED_MS))
}
