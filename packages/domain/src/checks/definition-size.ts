// Limits the total size of the definitions of an organisation, because they are sent whole to its readers and to every monitor,
// and to the shared fleet with those of all other organisations.
import type { Definition } from '@dogwatch/check-rules/fields'
import type { OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { sumDefinitionBytes, updateDefinitionBytes } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { planOf } from '../organisations/plans.ts'

/** Limit of the size as JSON, in KiB, for each check that the plan allows. `BESIDE_KIB` comes on top, for a few large checks. */
const OF_CHECK_KIB = 16
const BESIDE_KIB = 256
/** Number of checks that counts for a plan without a limit. */
const MOST_CHECKS = 10_000

/**
 * Does the work, and refuses it if the definitions have grown beyond the limit. Definitions that were already larger may shrink.
 */
export async function withinDefinitionSize<T>(
  trx: Trx,
  organisation: OrganisationRow,
  work: () => Promise<T>,
): Promise<T> {
  const before = await sumDefinitionBytes(trx, organisation.org_id)
  const done = await work()
  await requireDefinitionSize(trx, organisation, before)
  return done
}

/**
 * Refuses definitions that have grown beyond the limit. `before`: their previous size. `added`: the most that they can have
 * grown, if known. Both are in bytes.
 */
export async function requireDefinitionSize(
  trx: Trx,
  organisation: OrganisationRow,
  before: number,
  added = Infinity,
): Promise<void> {
  const most_kib = BESIDE_KIB + OF_CHECK_KIB * (planOf(organisation).max_checks || MOST_CHECKS)
  if (before + added <= most_kib * 1024) return
  const after = await sumDefinitionBytes(trx, organisation.org_id)
  if (after <= before || after <= most_kib * 1024) return
  throw new DomainError(
    'invalid',
    `the ${organisation.plan} plan allows ${most_kib} KiB for all check definitions together, but this change would need ${Math.ceil(after / 1024)} KiB; shorten targets, texts, bodies, headers or assertions`,
  )
}

/** Returns the maximum number of bytes that a definition can count as. */
export function mostBytesOf({ url, match_string, post_data, headers, assertions }: Definition): number {
  // The database writes a space after each colon and comma.
  const spaces = 2 * Object.keys(headers).length + 8 * assertions.length
  return Buffer.byteLength(JSON.stringify([url, match_string, post_data, headers, assertions])) + spaces
}

/** Number of definitions that one transaction of the chore reads, a few MB at most. */
const MEASURED_AT_ONCE = 50

/** Runs the chore once: measures the definitions that a version without `definition_bytes` stored. Returns their number. */
export async function measureDefinitions({ database }: Pick<Deps, 'database'>): Promise<number> {
  for (let measured = 0; ; ) {
    const some = await database.machines.transaction().execute((trx) => updateDefinitionBytes(trx, MEASURED_AT_ONCE))
    if (some === 0) return measured
    measured += some
  }
}
