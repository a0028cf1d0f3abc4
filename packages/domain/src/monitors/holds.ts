// Holds the alerts about checks while many checks fail from one monitor and from nowhere else. One message reports the monitor
// instead (failing.ts).
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type FailingMonitor,
  findSuddenlyDown,
  GROUPING,
  heldByMonitor,
  insertSuspects,
  listDownAmong,
  listFailingMonitors,
  listNames,
  listRunners,
  listSights,
} from '@dogwatch/store/checks/failing-monitors'
import type { Trx } from '@dogwatch/store/database'
import { FEW_DOWN, momentBefore } from '@dogwatch/store/routing/marks'
import type { Hold, HoldSource } from '../routing/hold.ts'
import {
  type Alone,
  failingAlone,
  isSuspicious,
  MOST_COUNTED,
  SUSPECTED_MS,
  TOLD_BY_MONITOR_MS,
} from './failing-rule.ts'

/** Number of checks to look at among those that just went down. The result is assumed for the others. */
const SAMPLE = 100

export const GROUPS_OF_MONITORS: HoldSource = {
  name: 'monitors',
  // The message about the monitor lists the checks itself.
  holdsLists: false,
  mayHold: ({ may_be_monitor }) => may_be_monitor,
  async find(trx, org_id, subjects, now) {
    const asked = new Set(subjects.flatMap(checkIdOf))
    if (asked.size === 0) return new Map()
    const down = await listDownAmong(trx, org_id, [...asked])
    const held = down.filter(({ alert_every_change }) => !alert_every_change)
    if (held.length === 0) return new Map()
    const failing = new Map((await listFailingMonitors(trx, org_id)).map((one) => [one.monitor_id, one]))
    const alone = failingAlone(
      await listSights(
        trx,
        org_id,
        held.map(({ check_id }) => check_id),
        fromDate(now),
      ),
    )
    const downAt = new Map(held.map(({ check_id, went_down_at }) => [check_id, Date.parse(went_down_at)]))
    const mayBeSuspected = ([monitor_id, own]: [string, readonly Alone[]]) =>
      !failing.has(monitor_id) && own.some(({ check_id }) => (downAt.get(check_id) ?? 0) + SUSPECTED_MS > now.getTime())
    const others = [...alone].filter(mayBeSuspected).map(([monitor_id]) => monitor_id)
    const suspected = await findSuspected(trx, org_id, others, now)
    const monitors = await listNames(
      trx,
      [...alone.keys()].filter((id) => failing.has(id) || suspected.has(id)),
    )
    return holdsOf({ downAt, alone, monitors, failing }, now.getTime())
  },
}

/** Finds the given monitors that may be failing, judged by the checks that just went down. */
async function findSuspected(
  trx: Trx,
  org_id: number,
  monitor_ids: readonly string[],
  now: Date,
): Promise<Set<string>> {
  if (monitor_ids.length === 0) return new Set()
  const since = momentBefore(fromDate(now))
  const { check_ids, count } = await findSuddenlyDown(trx, org_id, { since, most: MOST_COUNTED, sample: SAMPLE })
  if (count < FEW_DOWN) return new Set()
  const alone = failingAlone(await listSights(trx, org_id, check_ids, fromDate(now)))
  const seen = (monitor_id: string) => Math.round(((alone.get(monitor_id)?.length ?? 0) * count) / check_ids.length)
  const runners = await listRunners(trx, org_id, monitor_ids, MOST_COUNTED)
  return new Set(
    runners.flatMap(({ monitor_id, checks }) => (isSuspicious(seen(monitor_id), checks) ? [monitor_id] : [])),
  )
}

type FailingGroup = FailingMonitor & { began_at: string }

interface GroupFacts {
  /** Unix time at which each check went down, in milliseconds. */
  downAt: ReadonlyMap<number, number>
  alone: ReadonlyMap<string, readonly Alone[]>
  /** Monitors that fail, or are suspected to. */
  monitors: readonly { monitor_id: string; name: string }[]
  failing: ReadonlyMap<string, FailingGroup>
}

function holdsOf({ downAt, alone, monitors, failing }: GroupFacts, now: number): Map<string, Hold> {
  const holds = new Map<string, Hold>()
  for (const { monitor_id, name } of monitors) {
    const group = failing.get(monitor_id)
    for (const one of alone.get(monitor_id) ?? []) {
      const down_ms = downAt.get(one.check_id)
      if (down_ms === undefined) continue
      const until = group ? endInGroup(one, group, down_ms) : down_ms + SUSPECTED_MS
      if (until === undefined || until <= now) continue
      const words = group
        ? `many checks are failing from the monitor "${name}" and from nowhere else`
        : `Dogwatch is checking whether the monitor "${name}" is failing rather than its checks`
      holds.set(`check:${one.check_id}`, {
        until: until === Infinity ? null : new Date(until).toISOString(),
        by: heldByMonitor(monitor_id),
        words,
      })
    }
  }
  return holds
}

/**
 * Returns the time, in milliseconds, at which a check gets its own alert: Infinity while another monitor sees it up, or undefined
 * if it went down before the group began.
 */
function endInGroup({ isUpElsewhere }: Alone, { began_at }: FailingGroup, down_ms: number): number | undefined {
  const began_ms = Date.parse(began_at)
  if (down_ms < began_ms - SUSPECTED_MS) return undefined
  return isUpElsewhere ? Infinity : began_ms + TOLD_BY_MONITOR_MS
}

/**
 * Notes the monitors that make alerts wait, so that the chore looks at them. The caller must hold the locks of the waiting
 * alerts.
 */
export async function noteSuspects(trx: Trx, org_id: number, holds: Iterable<Hold>, now: Date): Promise<void> {
  const ids = new Set([...holds].flatMap(({ by }) => (by.startsWith(GROUPING) ? [by.slice(GROUPING.length)] : [])))
  if (ids.size > 0) await insertSuspects(trx, org_id, [...ids], fromDate(now))
}

function checkIdOf(subject: string): number[] {
  const [word, id = ''] = subject.split(':')
  return word === 'check' && /^\d+$/.test(id) ? [Number(id)] : []
}
