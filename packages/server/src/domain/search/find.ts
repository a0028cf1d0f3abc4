// Finds what an organisation has by a text.
import { findByText, type FoundRow } from '../../store/search/find.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'

export type { FoundRow }

/** Of each kind. */
const MOST = 8
const MOST_CHARS = 100

/** Names, targets, tags and places that contain the text, in upper or lower case. An empty text finds open incidents. */
export async function findOfOrg(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  text: string,
): Promise<FoundRow[]> {
  const wanted = text.trim().slice(0, MOST_CHARS)
  return isStorable(wanted) ? findByText(database.people, org_id, wanted, MOST) : []
}
