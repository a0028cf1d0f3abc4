// Mutes a check or heartbeat for a while: no one is notified about it during that time. incidents/care.ts lists what is
// muted.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockDecisions } from '@dogwatch/store/alerting/events'
import { listOpenIncidents } from '@dogwatch/store/alerting/kept'
import { findCheck } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import { findOwnHeartbeatPlace, lockHeartbeatCase } from '@dogwatch/store/heartbeats/heartbeats'
import { deleteMute, listMutes, MOST_MUTED_DAYS, type MuteRow, putMute } from '@dogwatch/store/routing/mutes'
import { type Actor, type AuditRecord, type ChannelActor, nameWithToken, recordAuditEntry } from '../audit/record.ts'
import { subjectOf } from '../checks/event-data.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { heartbeatSubject } from '../heartbeats/event-data.ts'
import { decideAgain } from '../routing/release.ts'
import { isStorable } from '../text.ts'
import { MUTED } from './holds.ts'

export type { MuteRow }

export const MOST_DAYS = MOST_MUTED_DAYS

/** End of a mute: an instant, or the end of the open incident, which is then reported. */
export type MuteEnd = Date | 'resolved'

/** Check or heartbeat to mute. */
export interface Muteable {
  org_id: number
  kind: 'check' | 'heartbeat'
  guid: string
}

/**
 * Mutes alerts about a check or heartbeat until the given end, including the alert about a recovery before that. Muting again
 * changes the end.
 */
export async function mute(deps: Deps, what: Muteable, until: MuteEnd, by: Actor | ChannelActor): Promise<MuteRow> {
  const now = deps.clock.now()
  return deps.database.people.transaction().execute(async (trx) => {
    const { subject, name, ids } = await find(trx, what)
    await lockDecisions(trx, what.org_id)
    const end = until === 'resolved' ? await openIncident(trx, what, ids) : { muted_until: fromDate(soon(until, now)) }
    await putMute(trx, what.org_id, { subject, ...end, muted_at: fromDate(now), muted_by: nameWithToken(by) })
    // Waiting alerts are decided again, because the mute can end sooner than before.
    await decideAgain(trx, deps, what.org_id, MUTED)
    const deed: AuditRecord = { org_id: what.org_id, action: `${what.kind}.mute`, subject: name }
    await recordAuditEntry(trx, deps, by, {
      ...deed,
      detail: 'incident_id' in end ? { until_resolved: true } : { until: end.muted_until },
    })
    const [row] = await listMutes(trx, what.org_id, [subject], fromDate(now))
    if (!row) throw new DomainError('conflict', NOT_DOWN)
    return row
  })
}

/** Ends a mute and releases the alerts that still apply. Returns false if the check or heartbeat was not muted. */
export async function unmute(deps: Deps, what: Muteable, by: Actor): Promise<boolean> {
  return deps.database.people.transaction().execute(async (trx) => {
    const { subject, name } = await find(trx, what)
    await lockDecisions(trx, what.org_id)
    if (!(await deleteMute(trx, what.org_id, subject))) return false
    await decideAgain(trx, deps, what.org_id, MUTED)
    await recordAuditEntry(trx, deps, by, { org_id: what.org_id, action: `${what.kind}.unmute`, subject: name })
    return true
  })
}

/** Returns the end and the author of a mute, or undefined if the subject is not muted. */
export async function readMute(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  subject: string,
): Promise<MuteRow | undefined> {
  return (await listMutes(deps.database.people, org_id, [subject], fromDate(deps.clock.now())))[0]
}

const NOT_DOWN = 'the check or heartbeat is not down, so “until resolved” does not apply; choose an end time'

async function openIncident(trx: Trx, { org_id }: Muteable, ids: MuteTarget['ids']): Promise<{ incident_id: string }> {
  const [open] = await listOpenIncidents(trx, org_id, ids)
  if (!open) throw new DomainError('conflict', NOT_DOWN)
  return { incident_id: open.incident_id }
}

function soon(until: Date, now: Date): Date {
  if (!(until.getTime() > now.getTime())) throw new FieldError('invalid', 'until', 'must be a time in the future')
  if (until.getTime() > now.getTime() + MOST_DAYS * 86_400_000) {
    throw new FieldError('invalid', 'until', `must be at most ${MOST_DAYS} days from now`)
  }
  return until
}

interface MuteTarget {
  subject: string
  name: string
  ids: { check_ids: readonly number[] } | { heartbeat_ids: readonly number[] }
}

async function find(trx: Trx, { org_id, kind, guid }: Muteable): Promise<MuteTarget> {
  if (isStorable(guid)) {
    if (kind === 'check') {
      const check = await findCheck(trx, org_id, guid)
      if (check) return { subject: subjectOf(check), name: check.name, ids: { check_ids: [check.check_id] } }
    } else {
      const place = await findOwnHeartbeatPlace(trx, { org_id, guid })
      const held = place && (await lockHeartbeatCase(trx, place))
      if (held) return { subject: heartbeatSubject(held), name: held.name, ids: { heartbeat_ids: [held.heartbeat_id] } }
    }
  }
  throw new DomainError('missing', `no ${kind} with that guid`)
}
