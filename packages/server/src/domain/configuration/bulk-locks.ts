// What a bulk request locks before it changes anything.
import type { Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import { lockChecksToJudge } from '../../store/checks/check-health.ts'
import { listCheckPlaces, readSyncClock, tickAfter } from '../../store/checks/checks.ts'
import { type KeyedKind, listByKeys, lockThings } from '../../store/configuration/keys.ts'
import type { Tables } from '../../store/tables.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { planOf } from '../organisations/plans.ts'
import { isStorable } from '../text.ts'
import type { Put } from './bulk-changes.ts'
import { planChecks, type PlannedChecks, type ReadPut } from './bulk-checks.ts'
import { Faults } from './faults.ts'
import { keyIn } from './keys.ts'
import { recordPlanned } from './put-checks.ts'

type Trx = Transaction<Tables>
type ByKind = ReadonlyMap<string, readonly Put[]>

/** Kinds whose changes lock channels or what waits for them. */
export const ROUTING = ['channel', 'route', 'window']

/**
 * Compares checks that are put with what is there, writes into the audit log what changes, and only then waits for the sync clock and locks the
 * organisation: everybody who changes a check waits from there to the commit. Undefined where a check or the plan of the organisation changed
 * meanwhile; the caller undoes it then. Where nothing changes, nobody waits at all, unless what is changed beside it depends on the state of a check
 * (`isConditional`).
 */
export async function planThenLock(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random' | 'hides_secrets'>,
  by: Editor,
  checks: readonly ReadPut[],
  isConditional: boolean,
): Promise<PlannedChecks | undefined> {
  const { org_id } = by
  const since = await readSyncClock(trx)
  const faults = new Faults()
  const planned = await planChecks(trx, deps, by, checks, faults)
  faults.refuse()
  if (!planned) return undefined
  if (planned.differing.length > 0 || isConditional) {
    await recordPlanned(trx, deps, by, planned)
    if (await tickAfter(trx, org_id, since)) return undefined
  }
  const organisation = await lockOrganisation(trx, org_id)
  const isSame = organisation?.plan === planned.name && isDeepStrictEqual(planOf(organisation), planned.plan)
  return isSame ? planned : undefined
}

/**
 * Locks all that the request names, in the order in which judging does: checks or heartbeats by their ids, channels, then what waits. A
 * channel or route that was changed first would have the judge of a check wait, and that check be waited for. The caller holds the organisation's lock.
 */
export async function lockNamed(
  trx: Trx,
  org_id: number,
  { puts, deletes }: { puts: ByKind; deletes: ByKind },
): Promise<void> {
  const named = (kind: string) => [...(puts.get(kind) ?? []), ...(deletes.get(kind) ?? [])]
  const isRouting = ROUTING.some((kind) => named(kind).length > 0)
  // Otherwise the checks that differ are locked together, and no others.
  if (isRouting) {
    const guids = await idsOf(trx, org_id, 'check', named('check'))
    const places = guids.length === 0 ? [] : await listCheckPlaces(trx, guids)
    const own = places.filter((one) => one.org_id === org_id && !one.deleted)
    if (own.length > 0) await lockChecksToJudge(trx, own)
  }
  for (const kind of ['heartbeat', 'channel'] as const) {
    const ids = await idsOf(trx, org_id, kind, named(kind))
    if (ids.length > 0) await lockThings(trx, org_id, kind, { ids, areDeleted: deletes.has(kind) })
  }
}

async function idsOf(trx: Trx, org_id: number, kind: KeyedKind, some: readonly Put[]): Promise<string[]> {
  const keyOf = ({ key, id = '' }: Put) => key ?? keyIn(id)
  const keys = some.flatMap((put) => keyOf(put) ?? []).filter(isStorable)
  const byKey = keys.length === 0 ? new Map<string, string>() : await listByKeys(trx, org_id, kind, keys)
  const ids = some.flatMap((put) => {
    const key = keyOf(put)
    return (key === undefined ? put.id : byKey.get(key)) ?? []
  })
  return [...new Set(ids)].filter(isStorable)
}
