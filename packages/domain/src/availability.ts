// Records when the service was unreachable, because silence during that time is our own fault.
import { MOST_SKEW_MS } from '@dogwatch/runtime/clock'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Database, Db } from '@dogwatch/store/database'
import { noteRefusedPings } from '@dogwatch/store/heartbeats/refused-pings'
import { noteRefusedRequests } from '@dogwatch/store/monitors/refused-requests'
import {
  extendOutage,
  listOutages,
  listRecordedAfter,
  type OutageRow,
  readLeastAlive,
  readPresence,
  takeBackRecorded,
  touchPresence,
} from '@dogwatch/store/processes/availability'
import { type ServerProcess, stepAside, updateNotAlive } from '@dogwatch/store/processes/processes'
import type { Deps } from './deps.ts'
import { type LostCalls, MAX_REFUSED_MS, type RefusedCall } from './lost-calls.ts'

/** Interval at which a process that accepts requests reports its presence. */
export const PRESENCE_MS = 2000
/** Pause between reports that counts as an outage if exceeded. A process that is merely busy is not that late. */
const GAP_MS = PRESENCE_MS + 1000
/**
 * Age of the newest report beyond which the service counts as unreachable now. Deadlines are minutes long, so a shorter pause
 * does not matter.
 */
const STALE_MS = 3 * PRESENCE_MS
/**
 * Like {@link GAP_MS}, but shorter, for a process that starts, because the process itself was offline. Another process can have
 * reported in the meantime.
 */
const GAP_AT_START_MS = PRESENCE_MS + 500

/** Maximum difference between two processes that trust their time. A report further ahead came from a wrong clock. */
export const AHEAD_MS = 2 * MOST_SKEW_MS

/**
 * Silence after which a process counts as killed, or its machine as lost. By then, load balancers have noticed. Until then, no
 * caller's silence is judged.
 */
export const GONE_MS = 60_000

/** Presence of a process that accepts requests, as the process itself knows it. */
export interface OwnPresence {
  self: ServerProcess
  port: number | undefined
  /** URL at which people reach the process. */
  public_url?: string
  /**
   * Time at which the process last reported that it accepts pings. Absent before the first such report, and after a report that
   * it accepts none.
   */
  told_at: string | undefined
}

/** An outage, in milliseconds since the Unix epoch. */
export interface Outage {
  began: number
  ended: number
}

export interface Availability {
  /** Whether the service is reachable now. While it is not, no caller's silence can be judged. */
  isUp: boolean
  /**
   * Latest time at which the service is known to have been reachable, apart from its outages. In milliseconds since the Unix
   * epoch.
   */
  seen_until: number
  /** Outages that ended after the instant that the caller asked about. */
  outages: readonly Outage[]
}

/**
 * Reports that the service is reachable. Records an outage if no process has reported for long. Also records one if only this
 * process (`own`) has not, because pings sent to it waited or were lost, whatever the others did.
 */
export async function tellPresence(
  deps: Pick<Deps, 'database' | 'clock'>,
  { isStart = false, lost, own }: { isStart?: boolean; lost?: LostCalls; own?: OwnPresence } = {},
): Promise<void> {
  // Runs first, so that no chore judges silence up to now before this process has stored which pings and requests it refused.
  if (lost) await tellRefused(deps, lost)
  // A process that doubts the time reports that it accepts no pings, because it postpones the deadline of each heartbeat whose
  // ping it refuses.
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

/** Corrects times in the future that a wrong clock recorded. Leaves times that a process has recorded again in the meantime. */
async function takeBackAhead({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  // Compares again with the time after the query, because a time that was ahead when the query began may no longer be ahead if
  // the query took long.
  const found = await listRecordedAfter(database, fromDate(new Date(clock.now().getTime() + AHEAD_MS)))
  const now = clock.now()
  const wrong = found.filter(({ at }) => Date.parse(at) - now.getTime() > AHEAD_MS)
  if (wrong.length > 0 && clock.isTrusted()) await takeBackRecorded(database, wrong, fromDate(now))
}

/** Reports that this process accepts no more pings, so that other processes do not wait for its reports. */
export async function endPresence({ database }: Pick<Deps, 'database'>, own: OwnPresence): Promise<void> {
  own.told_at = undefined
  await updateNotAlive(database, own.self.process_id)
}

/**
 * Postpones the deadlines of heartbeats whose pings were refused, by their tokens. Each heartbeat gets a whole interval and its
 * grace period from the refused ping on (`deadlineOf`).
 */
export async function putOff({ database }: { database: Database }, refused: readonly RefusedCall[]): Promise<void> {
  const pings = refused.map(({ caller, at }) => ({ token: caller, refused_at: fromDate(new Date(at)) }))
  await noteRefusedPings(database, pings)
}

/** Stores which callers this process refused, so that the silence of these callers, and no others, is excused. */
async function tellRefused(deps: Pick<Deps, 'database' | 'clock'>, lost: LostCalls): Promise<void> {
  // Processes that trust the database's time judge by it, even if this process does not trust it.
  const now = deps.clock.asTold().getTime()
  await lost.handPings(now, (refused) => putOff(deps, refused))
  await lost.handRequests(now, (refused) => noteRefusedRequests(deps.database, refused.map(toRequest)))
}

function toRequest({ caller, at }: RefusedCall) {
  return { key_hash: caller, refused_at: fromDate(new Date(at)) }
}

/** Records the time until now during which this process lost pings as our own outage. */
async function tellOwnOutage({ database, clock }: Pick<Deps, 'database' | 'clock'>, lost: LostCalls): Promise<void> {
  const span = lost.takeOutage(clock.now().getTime())
  if (!span) return
  const [began_at, ended_at] = [fromDate(new Date(span.began)), fromDate(new Date(span.ended))]
  await extendOutage(database, { began_at, ended_at })
}

/**
 * Returns the service's own outages since an instant, short ones only with `includeShort`. `ofEach`: also counts what a single
 * process cannot accept now, because jobs do not retry at another process.
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
    // Without any report, no process keeps track, and the service counts as reachable.
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

/** Merges overlapping outages, because several processes can record parts of one. Expects and returns the oldest first. */
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

/** Returns how long the service was reachable between `since` and `now`, in milliseconds. */
export function callableMs(since: number, now: number, outages: readonly Outage[]): number {
  const lost = outages.map(({ began, ended }) => Math.max(0, Math.min(ended, now) - Math.max(began, since)))
  return now - since - lost.reduce((sum, ms) => sum + ms, 0)
}

/**
 * Returns the time until which a monitor seen at `since` is known to have sent requests, including refused ones. Refusals count
 * for at most an hour. In milliseconds since the Unix epoch.
 */
export function calledUntil(since: number, refused_at: string | null, now: Date): number {
  if (refused_at === null) return since
  const refused = Date.parse(refused_at)
  // A refusal far ahead was recorded by a wrong clock.
  if (refused - now.getTime() > AHEAD_MS) return since
  return Math.max(since, Math.min(refused, since + MAX_REFUSED_MS))
}
