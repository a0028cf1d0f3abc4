// Reads what a check can depend on, by name.
import { listNamed } from '@dogwatch/store/routing/subjects'
import type { Deps } from '../deps.ts'

/** Reads the other checks of an organisation, by name. */
export async function readOtherChecks(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  own: string | undefined,
): Promise<{ guid: string; name: string }[]> {
  const named = await listNamed(database.people, org_id)
  return named.filter(({ kind, guid }) => kind === 'check' && guid !== own)
}
