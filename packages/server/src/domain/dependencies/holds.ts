// Alerts about a check are held while what it depends on is down.
import { fromDate } from '../../runtime/timestamps.ts'
import { type DependentRow, listDependents } from '../../store/checks/dependencies.ts'
import type { Hold, HoldSource } from '../routing/hold.ts'

/** Older results and incidents say nothing about now. */
const RECENT_MS = 86_400_000
/** How long the next result of a check is waited for, beyond its interval. */
const SLACK_MS = 15_000
const LONGEST_MS = 300_000
/**
 * How long a monitor that is offline holds alerts. People were alerted of the monitor itself, and what depends on it most likely fails for
 * the same reason. But a monitor that was taken down for good never comes back.
 */
const OFFLINE_MS = 15 * 60_000
/** How soon it is asked again whether the result is there. */
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
 * Returns what holds a check: the other is down or lately offline, or a result is awaited that may show one cause for both. Such a wait
 * is short. An unmonitored check holds nothing, because it might stay down for ever.
 */
export function holdOf(row: Omit<DependentRow, 'check_id'>, now: number): Hold | undefined {
  const { name, depends_on, is_down, offline_since, is_watched } = row
  if (!is_watched) return undefined
  const by = `dependency:${depends_on}`
  if (is_down) return { until: null, by, words: `dependency “${name}” is down` }
  // Nobody knows whether the monitor comes back before that, so it is asked again soon.
  if (offline_since !== null && now < Date.parse(offline_since) + OFFLINE_MS)
    return { until: null, by, words: `dependency “${name}” is offline` }
  const until = waitsFor(row)
  if (until === undefined || until <= now) return undefined
  const words = `checking whether dependency “${name}” is up`
  return { until: new Date(Math.min(until, now + SOON_MS)).toISOString(), by, words }
}

/** Until when a result is waited for, in milliseconds; undefined: for none. */
function waitsFor(row: Omit<DependentRow, 'check_id'>): number | undefined {
  const { ended_at, own_ran_at, own_interval_sec, down_since, succeeded_at, interval_sec, needed } = row
  const waits: number[] = []
  if (ended_at !== null && !isAfter(own_ran_at, ended_at)) waits.push(Date.parse(ended_at) + patience(own_interval_sec))
  if (down_since !== null && interval_sec !== null && !isAfter(succeeded_at, down_since)) {
    waits.push(Date.parse(down_since) + patience(interval_sec * needed))
  }
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function patience(interval_sec: number): number {
  return Math.min(interval_sec * 1000 + SLACK_MS, LONGEST_MS)
}

function isAfter(one: string | null, other: string): boolean {
  return one !== null && Date.parse(one) > Date.parse(other)
}
