// Withholds the alerts of checks that go down and come up too often: one alert says that a check is flapping, and one that it has
// settled. Incidents are recorded as always.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { findHearers } from '@dogwatch/store/alerting/events'
import { type CheckCase, listActiveMonitors, updateChanges } from '@dogwatch/store/checks/check-health'
import { updateIncidentsTold } from '@dogwatch/store/checks/incidents'
import { listAsResults } from '@dogwatch/store/checks/judgements'
import type { Trx } from '@dogwatch/store/database'
import { listLatestToJudge } from '@dogwatch/store/results/to-judge'
import type { Deps } from '../deps.ts'
import type { FlappingData } from '../events/event.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import { checkData, checkSubject, newest, subjectOf, without } from './event-data.ts'
import { afterChange, type ChangeAlert, type Changes, mayBeRetracted, NO_CHANGES, settlesAt } from './flapping.ts'
import { judgedUntil } from './health.ts'
import { VIEW } from './judging.ts'
import { redactResultsOfChecks } from './redact.ts'

export interface ChangeToTell {
  one: CheckCase
  event: EventToRaise
}

/** Time until the next look at a check that is flapping and unmonitored, in milliseconds. No one knows whether it has settled. */
const LOOK_AGAIN_MS = 300_000

/** Stores that checks went down or came up, and returns the alerts about these changes. */
export async function rememberChanges(
  trx: Trx,
  deps: Pick<Deps, 'clock'>,
  changed: readonly ChangeToTell[],
): Promise<EventToRaise[]> {
  const at = fromDate(deps.clock.now())
  const alerts: EventToRaise[] = []
  for (const { one, event } of changed) {
    const before: Changes = { ...one }
    const change = { at, isDown: event.type === 'check.down', wasTold: await wasTold(trx, one) }
    const [changes, alert] = one.alert_every_change ? ([NO_CHANGES, 'change'] as const) : afterChange(one, change)
    // Later steps of this transaction read these fields of the case.
    Object.assign(one, changes)
    alerts.push(...alertsFor(one, alert, event, { before, changes }))
  }
  await updateChanges(
    trx,
    changed.map(({ one: { org_id, check_id, changes, flapping_since, change_count } }) => {
      return { org_id, check_id, changes, flapping_since, change_count }
    }),
  )
  return alerts
}

function alertsFor(
  one: CheckCase,
  alert: ChangeAlert,
  event: EventToRaise,
  { before, changes }: { before: Changes; changes: Changes },
): EventToRaise[] {
  switch (alert) {
    case 'change':
      return [event]
    case 'flapping':
      return [flappingEvent(one, 'flapping', changes, event)]
    case 'retracted':
      return [flappingEvent(one, 'settled', before, undefined)]
    case 'nothing':
      return []
  }
}

/** Whether anyone was alerted about the open incident or, while the check flaps, about this flapping. */
async function wasTold(trx: Trx, one: CheckCase): Promise<boolean> {
  const { org_id, check_id, flapping_since, held_by } = one
  if (flapping_since === null || !mayBeRetracted(one)) return held_by === null
  const hearers = await findHearers(trx, org_id, { check_id, types: ['check.flapping'], since: flapping_since })
  return hearers.channel_ids.length > 0
}

/** Sends alerts about the checks that have kept one state for long enough. `cases` are all live and have not just changed. */
export async function settle(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random' | 'hold_sources'>,
  cases: readonly CheckCase[],
): Promise<void> {
  const now = deps.clock.now()
  const settled = cases.filter((one) => !one.is_unmonitored && isDue(one, now))
  if (settled.length === 0) return
  const downs = await downEvents(trx, settled, now)
  const events = settled.flatMap((one) => {
    const down = downs.get(one.check_id)
    // Delays of routes count from the time at which the check went down.
    return [flappingEvent(one, 'settled', one, down), ...(down ? [{ ...down, lasts_since: one.changes.at(-1) }] : [])]
  })
  for (const one of settled) Object.assign(one, NO_CHANGES)
  await updateChanges(
    trx,
    settled.map(({ org_id, check_id }) => ({ org_id, check_id, ...NO_CHANGES })),
  )
  // The interval until the next reminder counts from now.
  const down = settled.flatMap(({ org_id, incident_id }) => (incident_id === null ? [] : [{ org_id, incident_id }]))
  await updateIncidentsTold(trx, down, fromDate(now))
  await raise(trx, deps, events)
}

/**
 * Returns when to look at flapping checks again, in milliseconds since the Unix epoch. `isDown` says which of them are down now.
 */
export function nextSettling(
  cases: readonly CheckCase[],
  now: Date,
  isDown: (one: CheckCase) => boolean,
): Map<number, number> {
  return new Map(
    cases.flatMap((one) => {
      const at = settlesAt(one, isDown(one))
      if (at === null) return []
      return [[one.check_id, at > now.getTime() ? at : now.getTime() + LOOK_AGAIN_MS] as const]
    }),
  )
}

function isDue(one: CheckCase, now: Date): boolean {
  const at = settlesAt(one, one.down_since !== null)
  return at !== null && at <= now.getTime()
}

/**
 * Builds the events that settled checks are down. Receivers that open and close incidents did not learn of these incidents,
 * because they began while alerts were withheld.
 */
async function downEvents(trx: Trx, settled: readonly CheckCase[], now: Date): Promise<Map<number, EventToRaise>> {
  const down = settled.flatMap((one) =>
    one.incident_id !== null && one.down_since !== null
      ? [{ ...one, incident_id: one.incident_id, since: one.down_since }]
      : [],
  )
  if (down.length === 0) return new Map()
  const reach = { until: judgedUntil(now), since: '-infinity', limits: down.map(() => VIEW) }
  const run = await redactResultsOfChecks(trx, await listLatestToJudge(trx, down, reach))
  const found = [...run, ...(await listAsResults(trx, without(down, run)))]
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

/** Builds the event that a check is flapping or has settled. `down`: the event that the check is down, if it is. */
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
  // The alert is about the check and not about the incident, which may be over before the alert is sent.
  return { org_id, type: `check.${state}`, subject: subjectOf(one), check_id, data: { ...data } }
}
