// Holds alerts about a check while its dependency is down.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type DependentRow, listDependents } from '@dogwatch/store/checks/dependencies'
import { failuresNeeded } from '../checks/places.ts'
import type { Hold, HoldSource } from '../routing/hold.ts'

/** Maximum age of results and incidents that count for the present state. */
const RECENT_MS = 86_400_000
/** Time to wait for the next result of a check, beyond its interval. */
const SLACK_MS = 15_000
const LONGEST_MS = 300_000
/**
 * Time during which an offline monitor holds alerts, because people received one about the monitor, and its dependents most
 * likely fail for the same reason. It is limited, because a retired monitor never comes back.
 */
const OFFLINE_MS = 15 * 60_000
/** Delay before the state of the dependency is looked up again. */
const SOON_MS = 5_000

export const DEPENDENCIES: HoldSource = {
  name: 'dependencies',
  holdsLists: true,
  mayHold: ({ has_dependencies }) => has_dependencies,
  async find(trx, org_id, subjects, now) {
    const check_ids = subjects.flatMap((subject) => {
      const [word, id = ''] = subject.split(':')
      return word === 'check' && /^\d+$/.test(id) ? [Number(id)] : []
    })
    if (check_ids.length === 0) return new Map()
    const rows = await listDependents(trx, org_id, check_ids, fromDate(new Date(now.getTime() - RECENT_MS)))
    return new Map(
      rows.flatMap((row) => {
        const hold = holdOf(row, now.getTime())
        return hold ? [[`check:${row.check_id}`, hold] as const] : []
      }),
    )
  },
}

/**
 * Returns the hold on a check whose dependency is down or recently offline, or whose next result might show one cause for both.
 * An unmonitored dependency holds nothing, because it might stay down for ever.
 */
export function holdOf(row: Omit<DependentRow, 'check_id'>, now: number): Hold | undefined {
  const { name, depends_on, is_down, offline_since, is_watched } = row
  if (!is_watched) return undefined
  const by = `dependency:${depends_on}`
  if (is_down) return { until: null, by, words: `dependency “${name}” is down` }
  // The monitor might come back before the hold ends, so its state is looked up again soon.
  if (offline_since !== null && now < Date.parse(offline_since) + OFFLINE_MS)
    return { until: null, by, words: `dependency “${name}” is offline` }
  const until = waitsFor(row)
  if (until === undefined || until <= now) return undefined
  const words = `checking whether dependency “${name}” is up`
  return { until: new Date(Math.min(until, now + SOON_MS)).toISOString(), by, words }
}

/**
 * Returns the time, in milliseconds, until which to wait for a result that might show one cause for both checks. Returns
 * undefined if no such result is expected.
 */
function waitsFor(row: Omit<DependentRow, 'check_id'>): number | undefined {
  const { ended_at, own_ran_at, own_interval_sec, down_since, succeeded_at, interval_sec, needed } = row
  const waits: number[] = []
  if (ended_at !== null && !isAfter(own_ran_at, ended_at)) waits.push(Date.parse(ended_at) + patience(own_interval_sec))
  if (down_since !== null && interval_sec !== null && !isAfter(succeeded_at, down_since)) {
    waits.push(Date.parse(down_since) + patience(interval_sec * failuresNeeded(needed)))
  }
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function patience(interval_sec: number): number {
  return Math.min(interval_sec * 1000 + SLACK_MS, LONGEST_MS)
}

function isAfter(one: string | null, other: string): boolean {
  return one !== null && Date.parse(one) > Date.parse(other)
}
