// Holds the alerts of checks that go down and come up too often: people are told once that a check is flapping, and once
// when it has settled. What happens meanwhile is recorded as always.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  type CheckCase,
  listActiveMonitors,
  listLatestToJudge,
  updateChanges,
} from '../../store/checks/check-health.ts'
import { updateIncidentsTold } from '../../store/checks/incidents.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import type { FlappingData } from '../events/event.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import { findGrouped } from '../monitors/holds.ts'
import { checkData, checkSubject, newest, subjectOf } from './event-data.ts'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from './flapping.ts'
import { judgedUntil } from './health.ts'
import { redactResultsOfChecks } from './redact.ts'

export interface ChangeToTell {
  one: CheckCase
  event: EventToRaise
}

/** How long a check that is flapping and unmonitored waits for the next look: nobody knows whether it has settled. */
const LOOK_AGAIN_MS = 300_000
/** Enough to show how each monitor saw the check last. */
const VIEW = 40

/** Remembers that checks changed, and returns what people are told of it. */
export async function rememberChanges(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock'>,
  told: readonly ChangeToTell[],
): Promise<EventToRaise[]> {
  const now = deps.clock.now()
  const at = fromDate(now)
  const turned = told.map(({ one, event }) => {
    const [changes, telling] = one.alert_every_change
      ? ([NO_CHANGES, 'change'] as const)
      : afterChange(one, at, event.type === 'check.down')
    return { one, event, changes, telling }
  })
  const grouped = await findGroupedOf(
    trx,
    turned.flatMap(({ one, telling }) => (telling === 'flapping' ? [one] : [])),
    now,
  )
  const after = turned.map(({ one, event, ...turn }) => {
    // What goes up and down because of its monitor is not flapping.
    const isNews = turn.telling !== 'flapping' || !grouped.has(one.check_id)
    const changes = isNews ? turn.changes : { ...turn.changes, flapping_since: null, change_count: 0 }
    const telling = isNews ? turn.telling : 'change'
    // What follows in this transaction looks at it again.
    Object.assign(one, changes)
    const events = { change: [event], flapping: [flappingEvent(one, 'flapping', changes, event)], nothing: [] }
    return { one, changes, events: events[telling] }
  })
  await updateChanges(
    trx,
    after.map(({ one: { org_id, check_id }, changes }) => ({ org_id, check_id, ...changes })),
  )
  return after.flatMap(({ events }) => events)
}

/** Those of some checks of which people are told by a message about their monitor. */
async function findGroupedOf(trx: Transaction<Tables>, cases: readonly CheckCase[], now: Date): Promise<Set<number>> {
  const grouped = new Set<number>()
  for (const [org_id, own] of Map.groupBy(cases, (one) => one.org_id)) {
    const ids = own.map(({ check_id }) => check_id)
    for (const id of await findGrouped(trx, org_id, ids, now)) grouped.add(id)
  }
  return grouped
}

/** Tells of the checks that have kept one state for long enough. `cases` are all live and have not just changed. */
export async function settle(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random' | 'hold_sources'>,
  cases: readonly CheckCase[],
): Promise<void> {
  const now = deps.clock.now()
  const settled = cases.filter((one) => !one.is_unmonitored && isDue(one, now))
  if (settled.length === 0) return
  const downs = await downEvents(trx, settled, now)
  const events = settled.flatMap((one) => {
    const down = downs.get(one.check_id)
    return [flappingEvent(one, 'settled', one, down), ...(down ? [down] : [])]
  })
  for (const one of settled) Object.assign(one, NO_CHANGES)
  await updateChanges(
    trx,
    settled.map(({ org_id, check_id }) => ({ org_id, check_id, ...NO_CHANGES })),
  )
  // Reminders count from here on.
  const down = settled.flatMap(({ org_id, incident_id }) => (incident_id === null ? [] : [{ org_id, incident_id }]))
  await updateIncidentsTold(trx, down, fromDate(now))
  await raise(trx, deps, events)
}

/** When checks that are flapping are to be looked at again, in milliseconds since the Unix epoch. */
export function nextSettling(cases: readonly CheckCase[], now: Date): Map<number, number> {
  return new Map(
    cases.flatMap((one) => {
      const at = settlesAt(one)
      if (at === null) return []
      return [[one.check_id, at > now.getTime() ? at : now.getTime() + LOOK_AGAIN_MS] as const]
    }),
  )
}

function isDue(one: CheckCase, now: Date): boolean {
  const at = settlesAt(one)
  return at !== null && at <= now.getTime()
}

/** Whoever follows incidents was not told of the one that is open: it began while nothing was told. */
async function downEvents(
  trx: Transaction<Tables>,
  settled: readonly CheckCase[],
  now: Date,
): Promise<Map<number, EventToRaise>> {
  const down = settled.flatMap((one) =>
    one.incident_id !== null && one.down_since !== null
      ? [{ ...one, incident_id: one.incident_id, since: one.down_since }]
      : [],
  )
  if (down.length === 0) return new Map()
  const reach = { until: judgedUntil(now), since: '-infinity', limits: down.map(() => VIEW) }
  const found = await redactResultsOfChecks(trx, await listLatestToJudge(trx, down, reach))
  const results = Map.groupBy(found, ({ check_id }) => check_id)
  const monitors = Map.groupBy(await listActiveMonitors(trx, down), ({ check_id }) => check_id)
  return new Map(
    down.flatMap((one): [number, EventToRaise][] => {
      const { org_id, check_id, incident_id, since } = one
      const latest = results.get(check_id) ?? []
      if (latest.length === 0) return []
      const change = {
        kind: 'down',
        since,
        failures: Math.max(newest(one, latest).failures, 1),
        turned_at: since,
      } as const
      const data = checkData(one, latest, monitors.get(check_id) ?? [], change)
      const event: EventToRaise = {
        org_id,
        type: 'check.down',
        subject: subjectOf(one),
        check_id,
        incident_id,
        data: { ...data },
      }
      return [[check_id, event]]
    }),
  )
}

/** `down`: the event that the check is down, when it is. */
function flappingEvent(
  one: CheckCase,
  state: FlappingData['state'],
  { flapping_since, change_count }: Changes,
  down: EventToRaise | undefined,
): EventToRaise {
  const { org_id, check_id, org_name } = one
  const { incident_id, since } = (down?.data ?? {}) as { incident_id?: string; since?: string }
  const data: FlappingData = {
    org: { name: org_name },
    check: checkSubject(one),
    state,
    check_state: down ? 'down' : 'up',
    since: flapping_since ?? '',
    changes: change_count,
    ...(incident_id !== undefined && since !== undefined && { incident_id, down_since: since }),
  }
  // It is about the check, and not about the incident: that may be over before it is told.
  return { org_id, type: `check.${state}`, subject: subjectOf(one), check_id, data: { ...data } }
}
