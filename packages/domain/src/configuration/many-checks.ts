// Finds the checks that bulk changes name. put-checks.ts stores them, and deletions work as in the list of checks.
import { listChecksWithMonitors } from '@dogwatch/store/checks/configured-checks'
import { CHECK, type ConfiguredCheck } from './checks.ts'
import { resolveMany } from './keys.ts'
import { byReference, type Inside } from './kind.ts'

export async function findChecks(
  { trx, by: { org_id } }: Inside,
  references: readonly string[],
): Promise<ReadonlyMap<string, ConfiguredCheck>> {
  const guids = await resolveMany(trx, org_id, 'check', references)
  const wanted = [...new Set(guids.values())]
  const rows =
    wanted.length === 0 ? [] : await listChecksWithMonitors(trx, org_id, { limit: wanted.length, guids: wanted })
  return byReference(guids, rows, CHECK.idOf)
}
