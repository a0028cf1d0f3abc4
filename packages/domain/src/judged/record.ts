// Records the states of checks that the server judges: incidents, degradations and events, in one transaction.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type CheckCase, lockCases } from '@dogwatch/store/checks/check-health'
import { insertDegradations, subjectOfDegradation, updateDegradationsEnded } from '@dogwatch/store/checks/degradations'
import { insertIncidents, updateIncidentsEnded } from '@dogwatch/store/checks/incidents'
import {
  asResult,
  findJudgedDegradation,
  type JudgedCheck,
  type JudgedKind,
  putJudgement,
  updateDegradationReason,
} from '@dogwatch/store/checks/judgements'
import { updateRejudgeAt } from '@dogwatch/store/checks/rejudging'
import { updateMonitored, updateUnmonitored } from '@dogwatch/store/checks/unmonitored'
import type { Trx } from '@dogwatch/store/database'
import { checkData, checkSubject, subjectOf } from '../checks/event-data.ts'
import { nextSettling, rememberChanges } from '../checks/update-flapping.ts'
import type { Deps } from '../deps.ts'
import type { DegradedData } from '../events/event.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import type { JudgedVerdict } from './composite.ts'

export interface FoundVerdict {
  check: JudgedCheck
  verdict: JudgedVerdict
  /** Kind of degradation that the verdict can begin or end. */
  kind: JudgedKind
}

/** Records the verdicts that differ from the stored states. */
export async function recordVerdicts(trx: Trx, deps: Deps, found: readonly FoundVerdict[]): Promise<void> {
  const differing = new Map(found.filter(isDifferent).map((one) => [one.check.check_id, one]))
  if (differing.size === 0) return
  const now = fromDate(deps.clock.now())
  const keys = [...differing.values()].map(({ check: { org_id, check_id } }) => ({ org_id, check_id }))
  const { cases } = await lockCases(trx, keys, now)
  for (const one of cases) {
    const its = differing.get(one.check_id)
    // A member paused or edited the check after it was judged.
    if (!its || !one.is_live || one.url !== its.check.url) continue
    await record(trx, deps, one, its, now)
  }
  const settling = nextSettling(cases, deps.clock.now(), ({ down_since }) => down_since !== null)
  const again = keys.flatMap((key) => {
    const at = settling.get(key.check_id)
    return at === undefined ? [] : [{ ...key, rejudge_at: fromDate(new Date(at)) }]
  })
  if (again.length > 0) await updateRejudgeAt(trx, again, now)
}

function isDifferent({ check, verdict: { state, reason } }: FoundVerdict): boolean {
  const isDown = state === 'down' || (state === 'unmonitored' && check.is_down)
  const isDegraded = state === 'degraded' || (state !== 'up' && check.degraded_reason !== null)
  return (
    check.is_stale ||
    check.state !== state ||
    check.reason !== reason ||
    check.is_down !== isDown ||
    check.is_unmonitored !== (state === 'unmonitored') ||
    (check.degraded_reason !== null) !== isDegraded
  )
}

async function record(
  trx: Trx,
  deps: Deps,
  one: CheckCase,
  { verdict, kind }: FoundVerdict,
  now: string,
): Promise<void> {
  const { org_id, check_id } = one
  const { state, reason } = verdict
  await putJudgement(trx, one, { state, reason, at: now })
  // A composite whose members have no state, or a domain whose registry does not respond, causes no alert: people learn of the
  // members instead. An open incident stays open.
  if (state === 'unmonitored') await updateUnmonitored(trx, org_id, [{ check_id, since: now, is_covered: true }])
  else if (one.is_unmonitored) await updateMonitored(trx, org_id, [check_id])
  if (state === 'unmonitored') return
  if (state === 'down' && one.down_since === null) await begin(trx, deps, one, verdict, now)
  if (state !== 'down' && one.incident_id !== null) await end(trx, deps, one, now)
  await recordDegradation(trx, deps, one, { verdict, kind }, now)
}

async function begin(trx: Trx, deps: Deps, one: CheckCase, { reason, since = '' }: JudgedVerdict, now: string) {
  const { org_id, check_id, judged_from, last_ended_at } = one
  const began_at = [judged_from ?? '', last_ended_at ?? '', since === '' ? now : since].toSorted().at(-1) ?? now
  const incident_id = newGuid(deps.random)
  const change = { kind: 'down', since: began_at, failures: 1, turned_at: now } as const
  const seen = asResult(one, { isDown: true, reason, at: now })
  const data = { ...checkData({ ...one, incident_id }, [seen], [], change) }
  const event = { org_id, type: 'check.down', subject: subjectOf(one), check_id, incident_id, data } as const
  const events = await rememberChanges(trx, deps, [{ one, event }])
  one.down_since = began_at
  await insertIncidents(trx, [
    { org_id, check_id, incident_id, began_at, told_at: now, held_by: events.length > 0 ? null : 'flapping' },
  ])
  await raise(trx, deps, events)
}

async function end(trx: Trx, deps: Deps, one: CheckCase, now: string): Promise<void> {
  const { org_id, check_id, incident_id } = one
  if (incident_id === null) return
  const seen = asResult(one, { isDown: false, reason: '', at: now })
  const data = { ...checkData({ ...one, incident_id }, [seen], [], { kind: 'up', ended_at: now, reason: 'recovered' }) }
  const event = { org_id, type: 'check.up', subject: subjectOf(one), check_id, incident_id, data } as const
  const events = await rememberChanges(trx, deps, [{ one, event }])
  one.down_since = null
  await updateIncidentsEnded(trx, [{ org_id, incident_id, ended_at: now, end_reason: 'recovered' }])
  await raise(trx, deps, events)
}

/** Records whether a check is degraded. A degradation lasts while the check is down, so that its recovery causes one alert. */
async function recordDegradation(
  trx: Trx,
  deps: Deps,
  one: CheckCase,
  { verdict: { state, reason }, kind }: Pick<FoundVerdict, 'verdict' | 'kind'>,
  now: string,
): Promise<void> {
  const { org_id, check_id } = one
  const open = await findJudgedDegradation(trx, one)
  if (state === 'degraded' && open) {
    if (open.reason !== reason) await updateDegradationReason(trx, { org_id, ...open }, reason)
  } else if (state === 'degraded') {
    const degradation_id = newGuid(deps.random)
    await insertDegradations(trx, [{ org_id, check_id, degradation_id, kind, began_at: now, reason }])
    await raise(trx, deps, [degradedEvent(one, { kind, degradation_id, since: now, cause: reason }, now)])
  } else if (state === 'up' && open) {
    const { degradation_id, began_at: since } = open
    await updateDegradationsEnded(trx, [{ org_id, check_id, degradation_id, ended_at: now, end_reason: 'recovered' }])
    await raise(trx, deps, [degradedEvent(one, { kind: open.kind, degradation_id, since }, now)])
  }
}

/** Builds the event that a check became degraded, or that it no longer is if there is no cause. */
function degradedEvent(
  one: CheckCase,
  { kind, degradation_id, since, cause }: { kind: JudgedKind; degradation_id: string; since: string; cause?: string },
  now: string,
): EventToRaise {
  const { org_id, check_id, org_name } = one
  const { monitor_id: id, monitor_name: name } = asResult(one, { isDown: false, reason: '', at: now })
  const duration_sec = Math.max(0, Math.round((Date.parse(now) - Date.parse(since)) / 1000))
  const data: DegradedData = {
    org: { name: org_name },
    check: checkSubject(one),
    ...(cause === undefined
      ? { state: 'up', previous_state: 'degraded', since, ended_at: now, duration_sec, reason: 'recovered' }
      : { state: 'degraded', previous_state: 'up', since, results: 1, cause }),
    degradation_id,
    ...{ degraded_over_ms: 0, monitor: { id, name }, ran_at: now, latency_ms: 0 },
  }
  const type = cause === undefined ? 'check.undegraded' : 'check.degraded'
  const subject = subjectOfDegradation(one, kind)
  return { org_id, type, subject, check_id, incident_id: degradation_id, data: { ...data } }
}
