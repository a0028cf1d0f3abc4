// Decides what a status page says. Pure rules, over nothing that only the organisation may know.
import { percent, type Runs } from '../results/uptime.ts'

/**
 * State of an entry. `maintenance`: planned work is going on, whatever the rest. `unmonitored`: there are no recent results.
 * `unknown`: there is no data yet. Neither of these two counts as up. `degraded`: it is up, but slow or the like.
 */
export type PublicState = 'up' | 'down' | 'degraded' | 'unmonitored' | 'unknown' | 'paused' | 'maintenance'

/** Share of a time that an entry was up: counted in results for checks, in time for heartbeats. */
export type Share =
  | ({ kind: 'runs' } & Runs & { watched_sec: number })
  | { kind: 'time'; watched_sec: number; down_sec: number }
  | { kind: 'none' }

export interface PublicDay {
  /** Day in UTC: `2026-11-20`. */
  day: string
  share: Share
}

export interface PublicEntry {
  name: string
  state: PublicState
  /** Time at which the check or heartbeat went down. Null if it is not down. */
  since: string | null
  /** Time at which the check became unmonitored. Also set while it is down. */
  unmonitored_since: string | null
  /** Time in these days without the monitoring that was due. In seconds. */
  unknown_sec: number
  /**
   * Time in these days during which the check was under maintenance and not paused. Runs in this time do not count. In seconds.
   */
  maintenance_sec: number
  /** Last days, oldest first, ending today. */
  days: readonly PublicDay[]
  /** Share of all these days together. */
  share: Share
}

export interface PublicIncident {
  name: string
  began_at: string
  /** End of the incident. Null while the incident lasts. */
  ended_at: string | null
}

export interface PublicMaintenance {
  name: string
  state: 'running' | 'announced'
  begins_at: string
  ends_at: string
  /** Names of the entries that the maintenance covers. */
  systems: readonly string[]
}

export interface PublicStatus {
  title: string
  description: string
  /** Time of the present states. */
  computed_at: string
  /** Time at which the days were computed. */
  history_at: string
  headline: Headline
  entries: readonly PublicEntry[]
  /** Incidents, newest first. */
  incidents: readonly PublicIncident[]
  /** Maintenance that is on or announced, in the order of its beginning. */
  maintenance: readonly PublicMaintenance[]
}

export interface Headline {
  kind:
    | 'operational'
    | 'partly_down'
    | 'down'
    | 'degraded'
    | 'maintenance'
    | 'partly_unmonitored'
    | 'unmonitored'
    | 'partly_unknown'
    | 'unknown'
    | 'empty'
  /** Time at which the first of the entries that are down went down. Null if none is down. */
  since: string | null
}

/**
 * Returns the headline. Ignores paused entries, but not unknown ones. An entry under maintenance hides no problem of another
 * entry.
 */
export function headlineOf(entries: readonly Pick<PublicEntry, 'state' | 'since'>[]): Headline {
  const others = entries.filter(({ state }) => state !== 'maintenance')
  const rest = headlineWithout(others)
  if (others.length === entries.length) return rest
  if (rest.kind === 'down') return { ...rest, kind: 'partly_down' }
  if (rest.kind === 'unmonitored') return { ...rest, kind: 'partly_unmonitored' }
  const isFine = rest.kind === 'operational' || rest.kind === 'empty' || rest.kind === 'unknown'
  return isFine ? { kind: 'maintenance', since: null } : rest
}

function headlineWithout(entries: readonly Pick<PublicEntry, 'state' | 'since'>[]): Headline {
  const counted = entries.filter(({ state }) => state !== 'paused')
  const down = counted.filter(({ state }) => state === 'down')
  const up = counted.filter(({ state }) => state === 'up' || state === 'degraded')
  if (entries.length === 0) return { kind: 'empty', since: null }
  if (down.length > 0) {
    const [since = null] = down.flatMap((entry) => entry.since ?? []).toSorted()
    return { kind: down.length === counted.length ? 'down' : 'partly_down', since }
  }
  const unmonitored = counted.filter(({ state }) => state === 'unmonitored')
  if (unmonitored.length > 0) {
    return { kind: unmonitored.length === counted.length ? 'unmonitored' : 'partly_unmonitored', since: null }
  }
  if (up.length === 0) return { kind: 'unknown', since: null }
  if (up.some(({ state }) => state === 'degraded')) return { kind: 'degraded', since: null }
  return { kind: up.length === counted.length ? 'operational' : 'partly_unknown', since: null }
}

/** Returns the percentage of a share, or null if nothing is known. */
export function percentOf(share: Share): number | null {
  if (share.kind === 'none') return null
  return share.kind === 'runs'
    ? percent(share.runs - share.failures, share.runs)
    : percent(share.watched_sec - share.down_sec, share.watched_sec)
}

export function sumShares(shares: readonly Share[]): Share {
  return shares.reduce<Share>((sum, share) => {
    if (sum.kind === 'none') return share
    if (sum.kind === 'runs' && share.kind === 'runs') {
      const watched_sec = sum.watched_sec + share.watched_sec
      return { kind: 'runs', runs: sum.runs + share.runs, failures: sum.failures + share.failures, watched_sec }
    }
    if (sum.kind === 'time' && share.kind === 'time') {
      const watched_sec = sum.watched_sec + share.watched_sec
      return { kind: 'time', watched_sec, down_sec: sum.down_sec + share.down_sec }
    }
    return sum
  }, NONE)
}

export const NONE: Share = { kind: 'none' }
