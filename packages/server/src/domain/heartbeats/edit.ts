// Making, switching and deleting heartbeats.
import { newGuid } from '../../runtime/ids.ts'
import { newToken } from '../../runtime/tokens.ts'
import {
  countHeartbeats,
  deleteHeartbeat,
  findHeartbeatPlace,
  type HeartbeatPlace,
  type HeartbeatRow,
  insertHeartbeat,
  listHeartbeats,
  updateHeartbeatSwitch,
} from '../../store/heartbeats.ts'
import { lockOrganisation } from '../../store/organisations.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { PLANS, type PlanName } from '../organisations/plans.ts'
import { requireName } from '../text.ts'

export interface NewHeartbeat {
  name: string
  interval_sec: number
  grace_sec: number
  resend_interval_sec: number
  show_on_status_page: boolean
}

const MAX_SEC = 365 * 86_400

/** An org's heartbeats, oldest first. */
export async function readHeartbeats(deps: Pick<Deps, 'database'>, org_id: number): Promise<HeartbeatRow[]> {
  return listHeartbeats(deps.database.db, org_id)
}

/** Makes a heartbeat; the token goes into its ping URL. */
export async function createHeartbeat(
  deps: Deps,
  org_id: number,
  wanted: NewHeartbeat,
): Promise<{ guid: string; token: string }> {
  requireName('name', wanted.name)
  requireSeconds('interval_sec', wanted.interval_sec, 1)
  requireSeconds('grace_sec', wanted.grace_sec, 0)
  requireSeconds('resend_interval_sec', wanted.resend_interval_sec, 0)
  return deps.database.db.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const { max_heartbeats } = PLANS[organisation.plan as PlanName]
    if ((await countHeartbeats(trx, org_id)) >= max_heartbeats) {
      throw new DomainError('invalid', `the ${organisation.plan} plan allows ${max_heartbeats} heartbeats`)
    }
    const [guid, token] = [newGuid(deps.random), newToken('beat', deps.random)]
    await insertHeartbeat(trx, { ...wanted, org_id, guid }, token)
    return { guid, token }
  })
}

/** Moves the owner's switch or the platform's. One that was paused begins anew. */
export async function switchHeartbeat(
  deps: Deps,
  guid: string,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
): Promise<void> {
  await updateHeartbeatSwitch(deps.database.db, await findPlace(deps, guid), which, on)
}

export async function removeHeartbeat(deps: Deps, guid: string): Promise<void> {
  await deleteHeartbeat(deps.database.db, await findPlace(deps, guid))
}

async function findPlace(deps: Deps, guid: string): Promise<HeartbeatPlace> {
  const place = await findHeartbeatPlace(deps.database.db, guid)
  if (!place) throw new DomainError('missing', 'no heartbeat with that guid')
  return place
}

function requireSeconds(field: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min || value > MAX_SEC) {
    throw new DomainError('invalid', `${field} must be a whole number from ${min} to ${MAX_SEC}`)
  }
}
