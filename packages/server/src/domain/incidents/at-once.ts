// Incidents that began together: what fails at once has one reason more often than many. Pure.

/** From so many on they are shown as one group. */
const GROUP_AT = 4
/** Each began within this of the one before. */
const APART_MS = 60_000
/** All of a group began within this: with several monitors, a check has its turn at each of them every few minutes. */
const LONGEST_MS = 300_000

/** In the order in which they came, which is newest first: groups, and those that are alone as groups of one. */
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

/** Each began within this of the one before. */
const AGAIN_MS = 6 * 3_600_000

/** Of groups in their order: those of one that are over, and of the same thing one after the other, become one group as well. */
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

/** `10 checks and 2 heartbeats` */
export function countedKinds(incidents: readonly { kind: 'check' | 'heartbeat' }[]): string {
  const checks = incidents.filter(({ kind }) => kind === 'check').length
  const of = (count: number, thing: string) => (count === 0 ? [] : [`${count} ${thing}${count === 1 ? '' : 's'}`])
  return [...of(checks, 'check'), ...of(incidents.length - checks, 'heartbeat')].join(' and ')
}

/** `within a minute`, `within 3 min`; newest first. */
export function withinWords(incidents: readonly { began_at: string }[]): string {
  const [newest = '', oldest = ''] = [incidents[0]?.began_at, incidents.at(-1)?.began_at]
  const minutes = Math.ceil((Date.parse(newest) - Date.parse(oldest)) / 60_000)
  return minutes <= 1 ? 'within a minute' : `within ${minutes} min`
}

/** `HTTP status 503 (10), Timeout while connecting (2)`: the most frequent first, three at most. */
export function commonCauses(causes: readonly string[]): string {
  const counts = [...Map.groupBy(causes, (cause) => cause)].toSorted(([, a], [, b]) => b.length - a.length)
  const [only] = counts
  if (counts.length === 1 && only) return only[0]
  const shown = counts.slice(0, 3).map(([cause, all]) => `${cause} (${all.length})`)
  const rest = counts.length - shown.length
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} other ${rest === 1 ? 'cause' : 'causes'}`
}
