// Holds the alerts of checks that go down and come up too often: people are told once that a check is flapping, and once
// when it has settled. What happens meanwhile is recorded as always.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import { type CheckCase, updateChanges } from '../../store/checks/check-health.ts'
import { updateIncidentsTold } from '../../store/checks/incidents.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import type { CheckData, FlappingData } from '../events/event.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import { checkSubject, subjectOf } from './event-data.ts'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from './flapping.ts'

export interface ChangeToTell {
  one: CheckCase
  event: EventToRaise
}

/** How long a check that is flapping and unmonitored waits for the next look: nobody knows whether it has settled. */
const LOOK_AGAIN_MS = 300_000

/** Remembers that checks changed, and returns what people are told of it. */
export async function rememberChanges(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock'>,
  told: readonly ChangeToTell[],
): Promise<EventToRaise[]> {
  const at = fromDate(deps.clock.now())
  const after = told.map(({ one, event }) => {
    const [changes, telling] = one.alert_every_change ? ([NO_CHANGES, 'change'] as const) : afterChange(one, at)
    // What follows in this transaction looks at it again.
    Object.assign(one, changes)
    const events = { change: [event], flapping: [flappingEvent(one, event, changes)], nothing: [] }
    return { one, changes, events: events[telling] }
  })
  await updateChanges(
    trx,
    after.map(({ one: { org_id, check_id }, changes }) => ({ org_id, check_id, ...changes })),
  )
  return after.flatMap(({ events }) => events)
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
  const events = settled.map(settledEvent)
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

/** Instead of the event of the change that was one too many. */
function flappingEvent(one: CheckCase, event: EventToRaise, { flapping_since, change_count }: Changes): EventToRaise {
  const { state, incident_id, since } = event.data as unknown as CheckData
  const data: FlappingData = {
    org: { name: one.org_name },
    check: checkSubject(one),
    state: 'flapping',
    check_state: state,
    since: flapping_since ?? since,
    changes: change_count,
    ...(state === 'down' && { incident_id, down_since: since }),
  }
  const { org_id, check_id } = one
  return {
    org_id,
    type: 'check.flapping',
    subject: subjectOf(one),
    check_id,
    ...(state === 'down' && { incident_id }),
    data: { ...data },
  }
}

function settledEvent(one: CheckCase): EventToRaise {
  const { org_id, check_id, incident_id, down_since, flapping_since, change_count } = one
  const down = incident_id !== null && down_since !== null ? { incident_id, down_since } : undefined
  const data: FlappingData = {
    org: { name: one.org_name },
    check: checkSubject(one),
    state: 'settled',
    check_state: down ? 'down' : 'up',
    since: flapping_since ?? '',
    changes: change_count,
    ...down,
  }
  return {
    org_id,
    type: 'check.settled',
    subject: subjectOf(one),
    check_id,
    ...(down && { incident_id: down.incident_id }),
    data: { ...data },
  }
}
