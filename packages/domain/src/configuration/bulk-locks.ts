// Locks what a bulk request will change, before the request changes anything.
import { isDeepStrictEqual } from 'node:util'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { listCheckPlaces, readSyncClock, tickAfter } from '@dogwatch/store/checks/checks'
import { type KeyedKind, listByKeys, lockThings } from '@dogwatch/store/configuration/keys'
import type { Trx } from '@dogwatch/store/database'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { planOf } from '../organisations/plans.ts'
import { isStorable } from '../text.ts'
import type { IndexedChange } from './bulk-changes.ts'
import { type PlannedChecks, planChecks, type ReadPut } from './bulk-checks.ts'
import { Faults } from './faults.ts'
import { keyIn } from './keys.ts'
import { recordPlanned } from './put-checks.ts'

type ByKind = ReadonlyMap<string, readonly IndexedChange[]>

/** Kinds whose changes lock channels or planned alerts. */
export const ROUTING = ['channel', 'route', 'window']

/**
 * Compares checks with the stored ones and records the changes before it locks, because everyone who changes a check waits from
 * the lock to the commit. Returns undefined if a check or the plan changed in the meantime: the caller must undo.
 */
export async function planThenLock(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
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
  // If nothing changes, no one has to wait, unless other changes depend on the state of a check.
  if (planned.differing.length > 0 || isConditional) {
    await recordPlanned(trx, deps, by, planned)
    if (await tickAfter(trx, org_id, since)) return undefined
  }
  const organisation = await lockOrganisation(trx, org_id)
  const { organisation: before } = planned
  if (organisation?.plan !== before.plan) return undefined
  return isDeepStrictEqual(planOf(organisation), planOf(before)) ? planned : undefined
}

/**
 * Locks everything that the request names, in the order of judging: checks or heartbeats by id, channels, then planned alerts.
 * Any other order could deadlock with judging. The caller must hold the lock of the organisation.
 */
export async function lockNamed(
  trx: Trx,
  org_id: number,
  { puts, deletes }: { puts: ByKind; deletes: ByKind },
): Promise<void> {
  const named = (kind: string) => [...(puts.get(kind) ?? []), ...(deletes.get(kind) ?? [])]
  const isRouting = ROUTING.some((kind) => named(kind).length > 0)
  // If only checks change, the caller locks just the checks that differ, all together.
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

async function idsOf(trx: Trx, org_id: number, kind: KeyedKind, some: readonly IndexedChange[]): Promise<string[]> {
  const keyOf = ({ key, id = '' }: IndexedChange) => key ?? keyIn(id)
  const keys = some.flatMap((put) => keyOf(put) ?? []).filter(isStorable)
  const byKey = keys.length === 0 ? new Map<string, string>() : await listByKeys(trx, org_id, kind, keys)
  const ids = some.flatMap((put) => {
    const key = keyOf(put)
    return (key === undefined ? put.id : byKey.get(key)) ?? []
  })
  return [...new Set(ids)].filter(isStorable)
}
