// Enrolls an agent as a new monitor, or lets it reclaim an old one.

import { newMonitorId } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, newToken } from '@dogwatch/runtime/tokens'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { assign } from '@dogwatch/store/checks/assignments'
import { listChecksForAll, tick } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import {
  countLiveMonitors,
  findEnrolledAt,
  findMonitorInOrg,
  insertMonitor,
  type MonitorEnrollment,
  type MonitorPlace,
  updateReclaimed,
} from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { DEFAULT_BOUNDS } from '../limits/bounds.ts'
import type { OrgPlanName } from '../organisations/plans.ts'
import { abilitiesOf } from './abilities.ts'
import { requireEnrollment } from './authenticate.ts'
import type { Enrollment } from './monitor.ts'
import { requirePlace } from './place.ts'

export interface EnrollRequest extends MonitorPlace {
  /** Id of the monitor to reclaim. Empty or absent for a new monitor. */
  id?: string
  /** Everything that the agent can do. */
  abilities?: readonly string[]
}

export interface Identity {
  /** Key of the monitor. This is the only time that it can be read. */
  api_key: string
  monitor_id: string
}

/**
 * Enrolls a new monitor, or reclaims one that was reset. Of two simultaneous reclaims, one wins. Verifies the token again,
 * because a request may take a minute to arrive, and its token may be revoked in that time.
 */
export async function enroll(deps: Deps, enrollment: Enrollment, request: EnrollRequest): Promise<Identity> {
  const place = requirePlace(request)
  const api_key = newToken('key', deps.random)
  const held = {
    ...place,
    key_hash: hashToken(api_key),
    enrolled_at: fromDate(deps.clock.now()),
    enrolled_by: enrollment.created_by ?? null,
    enrolled_with: enrollment.token_hash ?? null,
    abilities: abilitiesOf(request),
  }
  const monitor_id = request.id
    ? await reclaim(deps, enrollment, request.id, held)
    : await enrollNew(deps, enrollment, held)
  return { api_key, monitor_id }
}

async function enrollNew(deps: Deps, enrollment: Enrollment, held: MonitorEnrollment): Promise<string> {
  const { org_id } = enrollment
  return deps.database.people.transaction().execute(async (trx) => {
    // From here on, enrollments run one at a time, so that two cannot both take the last slot.
    await tick(trx)
    await requireEnrollment(deps, trx, enrollment)
    if (org_id !== null) await requireRoom(trx, deps, org_id)
    const id = await insertUnderNewId(deps, trx, { ...held, org_id })
    await assign(trx, await listChecksForAll(trx, org_id), [id])
    return id
  })
}

const HOUR_MS = 3_600_000
/**
 * Maximum number of monitors that an organisation may enroll within an hour. This limits the rows that enrollments add, because
 * plans do not limit monitors.
 */
export const ENROLLMENTS_PER_HOUR: Readonly<Record<OrgPlanName, number>> = {
  free: 50,
  solo: 100,
  double: 250,
  team: 1000,
  custom: 5000,
}

/** Refuses a new monitor beyond the rate of the plan, or beyond the number that an operator has set. */
async function requireRoom(
  trx: Trx,
  { clock, bounds = DEFAULT_BOUNDS }: Pick<Deps, 'clock' | 'bounds'>,
  org_id: number,
): Promise<void> {
  const organisation = await findOrganisation(trx, org_id)
  if (!organisation) throw new Error(`organisation ${org_id} does not exist`)
  const { max_monitors } = organisation
  const plan = organisation.plan as OrgPlanName
  const most = max_monitors === 0 ? Infinity : (max_monitors ?? bounds.monitors_per_plan[plan])
  if (most < Infinity && (await countLiveMonitors(trx, org_id)) >= most) {
    const who = max_monitors === null ? `the ${plan} plan allows` : 'this organisation is limited to'
    throw new DomainError(
      'conflict',
      `${who} ${most} monitors; retire a monitor first, or ask the operator of this server to raise the limit`,
    )
  }
  const now = clock.now()
  const span = { after: fromDate(new Date(now.getTime() - HOUR_MS)), until: fromDate(now) }
  const earliest = await findEnrolledAt(trx, org_id, span, ENROLLMENTS_PER_HOUR[plan])
  if (earliest === undefined) return
  const wait_ms = Date.parse(earliest) + HOUR_MS - now.getTime()
  throw new DomainError('limited', 'rate limit exceeded', Math.max(1, Math.ceil(wait_ms / 1000)))
}

async function insertUnderNewId(
  deps: Deps,
  trx: Trx,
  monitor: MonitorEnrollment & { org_id: number | null },
): Promise<string> {
  for (;;) {
    const id = newMonitorId(deps.random)
    if (await insertMonitor(trx, { ...monitor, id })) return id
  }
}

async function reclaim(deps: Deps, enrollment: Enrollment, id: string, held: MonitorEnrollment): Promise<string> {
  const { people } = deps.database
  const { org_id } = enrollment
  await requireEnrollment(deps, people, enrollment)
  // An id of another form may contain what Postgres cannot store. No monitor has it.
  const known = /^[0-9a-z]{12}$/.test(id) ? await findMonitorInOrg(people, id, org_id) : undefined
  // A retired monitor does not come back.
  if (!known || known.is_retired) throw new DomainError('missing', 'no monitor with that id')
  if (!(await updateReclaimed(people, { id, org_id }, held))) {
    throw new DomainError('conflict', 'this monitor is already enrolled')
  }
  return id
}
