// Decides again about waiting alerts when they are due: sends them, lets them wait longer, or drops them.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockChannels, tryLockSubject } from '@dogwatch/store/alerting/events'
import { findTroubleEvent } from '@dogwatch/store/checks/acknowledgements'
import { listFailingMonitors } from '@dogwatch/store/checks/failing-monitors'
import { listOffline } from '@dogwatch/store/checks/monitor-presence'
import { listUnmonitored } from '@dogwatch/store/checks/unmonitored'
import type { Trx } from '@dogwatch/store/database'
import {
  claimChecks,
  claimHeartbeats,
  type DueSubject,
  deleteStepsOf,
  listDueSubjects,
  listPlansOf,
  listToldOf,
  type PlannedAlert,
  readNextPlanDue,
  wakePlans,
} from '@dogwatch/store/routing/planned-alerts'
import type { Deps } from '../deps.ts'
import type { EventType } from '../events/event.ts'
import { plan, write } from './carry-out.ts'
import { natureOf } from './natures.ts'
import { type DueEvent, planDue } from './plan-due.ts'
import { answersFor, type RoutingDeps, readRouting } from './routing.ts'

/** Types of events that report an incident. */
const TROUBLE: readonly EventType[] = ['check.down', 'check.settled', 'heartbeat.down']
/** Maximum number of subjects in a transaction. It is small, so that results that arrive in the meantime do not wait long. */
const AT_ONCE = 50
/** Maximum number of subjects in a run. */
const MOST = 1000

/**
 * Runs the chore once: releases the alerts that are due, and returns the number of their subjects. Several processes may run it
 * at once.
 */
export async function releaseDue(deps: Deps): Promise<number> {
  const due = await listDueSubjects(deps.database.machines, fromDate(deps.clock.now()), MOST)
  let released = 0
  const groups = [...Map.groupBy(due, ({ org_id, subject }) => `${org_id} ${kindOf(subject)}`).values()]
  // Organisations take turns, so that none waits for all alerts of another.
  for (let from = 0; from < due.length; from += AT_ONCE) {
    for (const own of groups) {
      if (from < own.length) released += await releaseTogether(deps, own.slice(from, from + AT_ONCE))
    }
  }
  return released
}

/** Returns the time until an alert is due, in milliseconds: 0 or less if one is due, Infinity if none waits. */
export async function untilNextRelease({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const due_at = await readNextPlanDue(database.machines)
  return due_at === undefined ? Infinity : Date.parse(due_at) - clock.now().getTime()
}

/**
 * Makes all planned alerts of an organisation due, or only those that `held_by` holds. Call it after a change of routes, channels
 * or holds, because they decide about alerts.
 */
export async function decideAgain(
  trx: Trx,
  deps: Pick<Deps, 'clock'>,
  org_id: number,
  held_by?: string,
): Promise<void> {
  await wakePlans(trx, org_id, { now: fromDate(deps.clock.now()), held_by })
}

/**
 * Stops the escalation of an incident, so that no other channel is notified. The caller must hold the lock of its check or
 * heartbeat.
 */
export async function stopEscalation(trx: Trx, org_id: number, incident_id: string): Promise<void> {
  await deleteStepsOf(trx, org_id, incident_id)
}

/**
 * Resumes the escalation of an incident where it would be now, and sends overdue alerts at once. The caller must hold the lock of
 * its check or heartbeat.
 */
export async function resumeEscalation(
  trx: Trx,
  deps: RoutingDeps,
  incident: { org_id: number; incident_id: string; began_at: string },
): Promise<void> {
  const { org_id, incident_id } = incident
  const found = await findTroubleEvent(trx, incident, TROUBLE)
  if (!found) return
  const channel_ids = await lockChannels(trx, org_id)
  const { created_at, ...rest } = found
  const event = { ...rest, type: found.type as EventType, incident_id }
  const routing = await readRouting(trx, deps, { org_id, channel_ids, now: deps.clock.now() }, [event])
  if (routing.routes.every(({ steps }) => steps.length < 2)) return
  const told = new Map(
    (await listToldOf(trx, org_id, [found.event_id])).map((one) => [one.channel_id, new Date(one.told_at)]),
  )
  const known = { at: new Date(created_at), isAcknowledged: false, told }
  const decided = {
    event,
    answers: answersFor(event, routing, known),
    isUntold: told.size === 0,
    planned_at: created_at,
  }
  const writing = plan(routing, [decided])
  await write(trx, routing, writing, { ended: [], created_at: fromDate(routing.now) })
}

/**
 * Releases alerts of one organisation. If they fail together, releases each subject by itself, so that one does not delay the
 * others.
 */
async function releaseTogether(deps: Deps, subjects: readonly DueSubject[]): Promise<number> {
  try {
    return await releaseSome(deps, subjects)
  } catch (err) {
    if (subjects.length > 1) {
      deps.log.error({ err }, 'could not release a batch of waiting alerts; releasing each on its own')
      let released = 0
      for (const one of subjects) released += await releaseTogether(deps, [one])
      return released
    }
    deps.log.error({ err, ...subjects[0] }, 'could not release a waiting alert; will retry')
    return 0
  }
}

function releaseSome(deps: Deps, due: readonly DueSubject[]): Promise<number> {
  const [{ org_id } = { org_id: 0 }] = due
  return deps.database.machines.transaction().execute(async (trx) => {
    // Locks in the same order as raising: the subjects, the channels, then planned alerts.
    const subjects = await claim(
      trx,
      org_id,
      due.map(({ subject }) => subject),
    )
    if (subjects.length === 0) return 0
    const channel_ids = await lockChannels(trx, org_id)
    const now = deps.clock.now()
    const plans = await listPlansOf(trx, org_id, subjects)
    const events = await listDue(trx, org_id, plans, fromDate(now))
    // Another process released the alerts in the meantime.
    if (events.length === 0) return 0
    const routing = await readRouting(
      trx,
      deps,
      { org_id, channel_ids, now },
      events.map(({ event }) => event),
    )
    await write(trx, routing, planDue(routing, events), { ended: [], created_at: fromDate(routing.now) })
    return subjects.length
  })
}

/**
 * Locks the subjects that no other process has locked, and returns them. All must be of one kind, because each kind has its own
 * order of locking.
 */
async function claim(trx: Trx, org_id: number, subjects: readonly string[]): Promise<string[]> {
  const ids = subjects.map(idOf)
  switch (kindOf(subjects[0] ?? '')) {
    case 'check': {
      const held = new Set(await claimChecks(trx, org_id, [...new Set(ids)]))
      return subjects.filter((subject) => held.has(idOf(subject)))
    }
    case 'heartbeat':
      return (await claimHeartbeats(trx, org_id, ids)).map((id) => `heartbeat:${id}`)
    default: {
      const held: string[] = []
      for (const subject of subjects.toSorted()) if (await tryLockSubject(trx, org_id, subject)) held.push(subject)
      return held
    }
  }
}

/** Returns `check`, `heartbeat`, or the subject itself. */
function kindOf(subject: string): string {
  const [kind = '', id] = subject.split(':')
  return id !== undefined && (kind === 'check' || kind === 'heartbeat') ? kind : subject
}

function idOf(subject: string): number {
  return Number(subject.split(':')[1])
}

async function listDue(trx: Trx, org_id: number, plans: readonly PlannedAlert[], now: string): Promise<DueEvent[]> {
  const byEvent = Map.groupBy(plans, ({ event_id }) => event_id)
  const due = [...byEvent.values()].filter((own) => own.some(({ due_at }) => due_at <= now))
  const told = Map.groupBy(
    await listToldOf(
      trx,
      org_id,
      due.flatMap((own) => own[0]?.event_id ?? []),
    ),
    ({ event_id }) => event_id,
  )
  const events: DueEvent[] = []
  for (const own of due) {
    const [first] = own
    if (!first) continue
    const { event_id, type, subject, incident_id, data } = first
    events.push({
      event: { event_id, type: type as EventType, subject, data, ...(incident_id !== null && { incident_id }) },
      plans: own,
      isTrue: await isStillTrue(trx, org_id, first),
      told: new Map((told.get(event_id) ?? []).map(({ channel_id, told_at }) => [channel_id, new Date(told_at)])),
    })
  }
  return events
}

/**
 * Whether an alert is still true. An alert about monitors or several checks is true while one that it lists is affected. For
 * other alerts, the incident decides.
 */
async function isStillTrue(trx: Trx, org_id: number, { type, data, is_over }: PlannedAlert): Promise<boolean> {
  if (type === 'monitor.offline') {
    const away = new Set((await listOffline(trx, org_id)).map(({ id }) => id))
    return ((data.monitors ?? []) as { id: string }[]).some(({ id }) => away.has(id))
  }
  if (type === 'check.unmonitored') {
    const away = new Set((await listUnmonitored(trx, org_id)).map(({ guid }) => guid))
    return ((data.checks ?? []) as { guid: string }[]).some(({ guid }) => away.has(guid))
  }
  if (type === 'monitor.failing') {
    const failing = new Set((await listFailingMonitors(trx, org_id)).map(({ monitor_id }) => monitor_id))
    return ((data.monitors ?? []) as { id: string }[]).some(({ id }) => failing.has(id))
  }
  return natureOf(type)?.role === 'recovery' || !is_over
}
