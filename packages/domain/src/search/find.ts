// Finds the items of an organisation, such as checks and channels, by a text.
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { type FoundRow, findByText } from '@dogwatch/store/search/find'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'

export type { FoundRow }

/** Maximum number of results of each kind. */
const MOST = 8
const MOST_CHARS = 100

/**
 * Finds names, targets, tags and locations that contain the text, in upper or lower case. An empty text finds open incidents.
 * Secrets find nothing: of targets, neither the login nor the query is searched.
 */
export async function findOfOrg(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  text: string,
): Promise<FoundRow[]> {
  const wanted = text.trim().slice(0, MOST_CHARS)
  const rows = isStorable(wanted) ? await findByText(database.people, org_id, wanted, MOST) : []
  return rows.map((row) => (row.kind === 'check' ? { ...row, note: hideInUrl(row.note) } : row))
}
