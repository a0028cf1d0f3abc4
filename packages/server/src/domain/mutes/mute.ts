// Mutes a check or a heartbeat for a while: nobody is told of it until then.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import { findCheck } from '../../store/checks/checks.ts'
import { findOwnHeartbeatPlace, lockHeartbeatCase } from '../../store/heartbeats/heartbeats.ts'
import { deleteMute, listMutes, type MuteRow, putMute } from '../../store/routing/mutes.ts'
import type { Tables } from '../../store/tables.ts'
import { type Actor, type ChannelActor, nameWithToken, recordDeed } from '../audit/record.ts'
import { subjectOf } from '../checks/event-data.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { heartbeatSubject } from '../heartbeats/event-data.ts'
import { decideAgain } from '../routing/release.ts'
import { isStorable } from '../text.ts'
import { MUTED } from './holds.ts'

export type { MuteRow }

export const MOST_DAYS = 90

/** What is muted. */
export interface Muteable {
  org_id: number
  kind: 'check' | 'heartbeat'
  guid: string
}

/** Until an instant nobody is told of it, also not that it is up again. Who mutes it anew changes until when. */
export async function mute(deps: Deps, what: Muteable, until: Date, by: Actor | ChannelActor): Promise<void> {
  const now = deps.clock.now()
  await deps.database.people.transaction().execute(async (trx) => {
    const { subject, name } = await find(trx, what)
    requireSoon(until, now)
    const [muted_until, muted_at] = [fromDate(until), fromDate(now)]
    await putMute(trx, what.org_id, { subject, muted_until, muted_at, muted_by: nameWithToken(by) })
    // It may end sooner than before.
    await decideAgain(trx, deps, what.org_id, MUTED)
    const deed = { org_id: what.org_id, action: `${what.kind}.mute`, subject: name }
    await recordDeed(trx, deps, by, { ...deed, detail: { until: muted_until } })
  })
}

/** Ends it now: what is still true is told. False when it was not muted. */
export async function unmute(deps: Deps, what: Muteable, by: Actor): Promise<boolean> {
  return deps.database.people.transaction().execute(async (trx) => {
    const { subject, name } = await find(trx, what)
    if (!(await deleteMute(trx, what.org_id, subject))) return false
    await decideAgain(trx, deps, what.org_id, MUTED)
    await recordDeed(trx, deps, by, { org_id: what.org_id, action: `${what.kind}.unmute`, subject: name })
    return true
  })
}

/** Until when something is muted, and by whom; undefined when it is not. */
export async function readMute(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  subject: string,
): Promise<MuteRow | undefined> {
  return (await listMutes(deps.database.people, org_id, [subject], fromDate(deps.clock.now())))[0]
}

function requireSoon(until: Date, now: Date): void {
  if (!(until.getTime() > now.getTime())) throw new DomainError('invalid', 'until must be a time that is still to come')
  if (until.getTime() > now.getTime() + MOST_DAYS * 86_400_000) {
    throw new DomainError('invalid', `until must be at most ${MOST_DAYS} days from now`)
  }
}

async function find(
  trx: Transaction<Tables>,
  { org_id, kind, guid }: Muteable,
): Promise<{ subject: string; name: string }> {
  if (isStorable(guid)) {
    if (kind === 'check') {
      const check = await findCheck(trx, org_id, guid)
      if (check) return { subject: subjectOf(check), name: check.name }
    } else {
      const place = await findOwnHeartbeatPlace(trx, { org_id, guid })
      const held = place && (await lockHeartbeatCase(trx, place))
      if (held) return { subject: heartbeatSubject(held), name: held.name }
    }
  }
  throw new DomainError('missing', `no ${kind} with that guid`)
}
