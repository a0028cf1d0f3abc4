// Alerts about checks wait while many checks fail from one monitor and from nowhere else: one message tells of the monitor (failing.ts).
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  type DownSince,
  type FailingMonitor,
  GROUPING,
  heldByMonitor,
  insertSuspects,
  listDownAmong,
  listFailingMonitors,
  listRunners,
  listSights,
  type Runner,
} from '../../store/checks/failing-monitors.ts'
import { FEW_DOWN, MOMENT_SEC } from '../../store/routing/marks.ts'
import type { Tables } from '../../store/tables.ts'
import type { Hold, HoldSource } from '../routing/hold.ts'
import { type Alone, failingAlone, isSuspicious, SUSPECTED_MS, TOLD_BY_MONITOR_MS } from './failing-rule.ts'

export const GROUPS_OF_MONITORS: HoldSource = {
  name: 'monitors',
  // The message about the monitor lists the checks itself.
  holdsLists: false,
  mayHold: ({ may_be_monitor }) => may_be_monitor,
  async find(trx, org_id, subjects, now) {
    const asked = new Set(subjects.flatMap(checkIdOf))
    if (asked.size === 0) return new Map()
    const moment_ms = now.getTime() - MOMENT_SEC * 1000
    const down = await listDownAmong(trx, org_id, [...asked], fromDate(new Date(moment_ms)))
    const held = down.filter(({ check_id, alert_every_change }) => asked.has(check_id) && !alert_every_change)
    if (held.length === 0) return new Map()
    const failing = new Map((await listFailingMonitors(trx, org_id)).map((one) => [one.monitor_id, one]))
    const sudden = down.filter(({ went_down_at }) => Date.parse(went_down_at) > moment_ms)
    const isSudden = sudden.length >= FEW_DOWN
    const looked = isSudden ? [...held, ...sudden] : held
    const alone = failingAlone(await listSights(trx, org_id, idsOf(looked), fromDate(now)))
    const runners = await listRunners(trx, org_id, [...alone.keys()])
    const suddenIds = new Set(isSudden ? idsOf(sudden) : [])
    return holdsOf({ held, alone, runners, failing, suddenIds }, now.getTime())
  },
}

type Told = FailingMonitor & { began_at: string }

interface Seen {
  held: readonly DownSince[]
  alone: ReadonlyMap<string, readonly Alone[]>
  runners: readonly Runner[]
  failing: ReadonlyMap<string, Told>
  /** Checks that went down within the last minute, if they are several. */
  suddenIds: ReadonlySet<number>
}

function holdsOf({ held, alone, runners, failing, suddenIds }: Seen, now: number): Map<string, Hold> {
  const downAt = new Map(held.map(({ check_id, went_down_at }) => [check_id, Date.parse(went_down_at)]))
  const holds = new Map<string, Hold>()
  for (const { monitor_id, name, checks } of runners) {
    const own = alone.get(monitor_id) ?? []
    const group = failing.get(monitor_id)
    const isSuspected = isSuspicious(own.filter(({ check_id }) => suddenIds.has(check_id)).length, checks)
    for (const one of own) {
      const down_ms = downAt.get(one.check_id)
      if (down_ms === undefined) continue
      const until = group ? endInGroup(one, group, down_ms) : isSuspected ? down_ms + SUSPECTED_MS : undefined
      if (until === undefined || until <= now) continue
      const words = group
        ? `many checks fail from the monitor "${name}" and from nowhere else`
        : `it is checked whether the monitor "${name}" fails, and not the checks`
      holds.set(`check:${one.check_id}`, {
        until: until === Infinity ? null : new Date(until).toISOString(),
        by: heldByMonitor(monitor_id),
        words,
      })
    }
  }
  return holds
}

/** When a check is told by itself, in milliseconds. Infinity: not while another monitor sees it well. Undefined: it went down before. */
function endInGroup({ isUpElsewhere }: Alone, { began_at }: Told, down_ms: number): number | undefined {
  const began_ms = Date.parse(began_at)
  if (down_ms < began_ms - SUSPECTED_MS) return undefined
  return isUpElsewhere ? Infinity : began_ms + TOLD_BY_MONITOR_MS
}

/** Those of some checks of which people are told by the message about their monitor. */
export async function findGrouped(
  trx: Transaction<Tables>,
  org_id: number,
  check_ids: readonly number[],
  now: Date,
): Promise<Set<number>> {
  const failing = await listFailingMonitors(trx, org_id)
  if (failing.length === 0) return new Set()
  const alone = failingAlone(await listSights(trx, org_id, check_ids, fromDate(now)))
  return new Set(failing.flatMap(({ monitor_id }) => (alone.get(monitor_id) ?? []).map(({ check_id }) => check_id)))
}

/** Notes the monitors because of which alerts wait, so that they are looked at. The caller has locked what waits. */
export async function noteSuspects(
  trx: Transaction<Tables>,
  org_id: number,
  holds: Iterable<Hold>,
  now: Date,
): Promise<void> {
  const ids = new Set([...holds].flatMap(({ by }) => (by.startsWith(GROUPING) ? [by.slice(GROUPING.length)] : [])))
  if (ids.size > 0) await insertSuspects(trx, org_id, [...ids], fromDate(now))
}

function idsOf(checks: readonly DownSince[]): number[] {
  return [...new Set(checks.map(({ check_id }) => check_id))]
}

function checkIdOf(subject: string): number[] {
  const [word, id = ''] = subject.split(':')
  return word === 'check' && /^\d+$/.test(id) ? [Number(id)] : []
}
