// Groups incidents that began together, because simultaneous failures more often have one cause than many. Pure.

/** Minimum number of incidents in a group. */
const GROUP_AT = 4
/** Maximum time between the beginning of an incident in a group and that of the previous one. */
const APART_MS = 60_000
/**
 * Maximum time from the first to the last beginning in a group. With several monitors, each takes its turn at a check only every
 * few minutes.
 */
const LONGEST_MS = 300_000

/**
 * Groups incidents that began together, in their order, which is newest first. An incident that is alone becomes a group of one.
 */
export function groupAtOnce<One extends { began_at: string }>(incidents: readonly One[]): One[][] {
  const runs: One[][] = []
  for (const one of incidents) {
    const run = runs.at(-1)
    const [newest, last] = [run?.[0], run?.at(-1)]
    const at = Date.parse(one.began_at)
    const isNear = last !== undefined && Date.parse(last.began_at) - at <= APART_MS
    if (run && newest && isNear && Date.parse(newest.began_at) - at <= LONGEST_MS) run.push(one)
    else runs.push([one])
  }
  return runs.flatMap((run) => (run.length >= GROUP_AT ? [run] : run.map((one) => [one])))
}

/** Maximum time between the beginning of a repeated incident and that of the previous one. */
const AGAIN_MS = 6 * 3_600_000

/** Joins successive groups of one ended incident into a group if they are about the same check or heartbeat. */
export function groupRepeats<One extends { began_at: string; ended_at: string | null; guid: string }>(
  groups: readonly One[][],
): One[][] {
  const runs: One[][][] = []
  for (const group of groups) {
    const last = runs.at(-1)?.at(-1)
    if (last && isAgain(last, group)) runs.at(-1)?.push(group)
    else runs.push([group])
  }
  return runs.flatMap((run) => (run.length >= GROUP_AT ? [run.flat()] : run))
}

function isAgain<One extends { began_at: string; ended_at: string | null; guid: string }>(
  [newer, ...others]: readonly One[],
  [older, ...more]: readonly One[],
): boolean {
  if (newer === undefined || older === undefined || others.length + more.length > 0) return false
  if (newer.guid !== older.guid || newer.ended_at === null || older.ended_at === null) return false
  return Date.parse(newer.began_at) - Date.parse(older.began_at) <= AGAIN_MS
}

/** Returns the numbers of checks and heartbeats in words: `10 checks and 2 heartbeats`. */
export function countedKinds(incidents: readonly { kind: 'check' | 'heartbeat' }[]): string {
  const checks = incidents.filter(({ kind }) => kind === 'check').length
  const of = (count: number, thing: string) => (count === 0 ? [] : [`${count} ${thing}${count === 1 ? '' : 's'}`])
  return [...of(checks, 'check'), ...of(incidents.length - checks, 'heartbeat')].join(' and ')
}

/**
 * Returns the time between the beginnings of the incidents in words: `within a minute`, `within 3 min`. Expects the newest
 * incident first.
 */
export function withinWords(incidents: readonly { began_at: string }[]): string {
  const [newest = '', oldest = ''] = [incidents[0]?.began_at, incidents.at(-1)?.began_at]
  const minutes = Math.ceil((Date.parse(newest) - Date.parse(oldest)) / 60_000)
  return minutes <= 1 ? 'within a minute' : `within ${minutes} min`
}

/** Lists the three most frequent causes with their numbers: `HTTP status 503 (10), Timeout while connecting (2)`. */
export function commonCauses(causes: readonly string[]): string {
  const counts = [...Map.groupBy(causes, (cause) => cause)].toSorted(([, a], [, b]) => b.length - a.length)
  const [only] = counts
  if (counts.length === 1 && only) return only[0]
  const shown = counts.slice(0, 3).map(([cause, all]) => `${cause} (${all.length})`)
  const rest = counts.length - shown.length
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} other ${rest === 1 ? 'cause' : 'causes'}`
}
