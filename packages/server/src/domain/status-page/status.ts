// What a status page says: pure rules, over nothing that only the org may know.
import { percent, type Runs } from '../results/uptime.ts'

/** `maintenance`: planned work is going on, however it looks meanwhile. `unmonitored`: nobody watches it now. `unknown`: there is no data yet. Neither ever counts as up. `degraded` is up, but slow or the like. */
export type PublicState = 'up' | 'down' | 'degraded' | 'unmonitored' | 'unknown' | 'paused' | 'maintenance'

/** How much of a time was good: in results for checks, in time for heartbeats. */
export type Share =
  | ({ kind: 'runs' } & Runs & { watched_sec: number })
  | { kind: 'time'; watched_sec: number; down_sec: number }
  | { kind: 'none' }

export interface PublicDay {
  /** A day in UTC: `2026-11-20`. */
  day: string
  share: Share
}

export interface PublicEntry {
  name: string
  state: PublicState
  /** Since when it is down. */
  since: string | null
  /** Since when nobody watches it; also set while it is down. */
  unmonitored_since: string | null
  /** How long nobody watched it in these days although it was to be watched. */
  unknown_sec: number
  /** How long it was under maintenance in these days while it was to be watched; its runs do not count. */
  maintenance_sec: number
  /** The last days, oldest first, ending today. */
  days: readonly PublicDay[]
  /** Over all of these days. */
  share: Share
}

export interface PublicIncident {
  name: string
  began_at: string
  /** Null while it lasts. */
  ended_at: string | null
}

export interface PublicMaintenance {
  name: string
  state: 'running' | 'announced'
  begins_at: string
  ends_at: string
  /** The names of the entries that it covers. */
  systems: readonly string[]
}

export interface PublicStatus {
  title: string
  description: string
  /** The present state is that of then. */
  computed_at: string
  /** The days are those of then. */
  history_at: string
  headline: Headline
  entries: readonly PublicEntry[]
  /** Newest first. */
  incidents: readonly PublicIncident[]
  /** What is on and what is announced, in the order in which it begins. */
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
  /** Since when something is down. */
  since: string | null
}

/** The headline. Paused entries do not count; unknown ones are not ignored. What is under maintenance hides no other trouble. */
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

/** Percent that was good; null when nothing is known. */
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
