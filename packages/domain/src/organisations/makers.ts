// Reads who created what in an organisation, for its owner when a member leaves.
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  countUnknownMakers,
  type FormerMaker,
  listFormerMakers,
  listMadeBy,
  type MadeRow,
  type UnknownMakers,
} from '@dogwatch/store/accounts/makers'
import { findMember } from '@dogwatch/store/accounts/organisations'
import { findPersonById } from '@dogwatch/store/accounts/people'
import { ALL, type Slice } from '@dogwatch/store/slice'
import type { Actor } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

export type { FormerMaker, MadeRow, UnknownMakers }

/** Returns the person to record as the creator. Returns null for an operator, or if an admin impersonates the person. */
export function makerOf(by: Actor | undefined): number | null {
  return by === undefined || by.impersonator_email !== null ? null : by.person_id
}

export interface ItemsByMaker {
  /** Address of the person who created the items. Absent if the person was deleted. */
  email: string | undefined
  is_member: boolean
  made: MadeRow[]
  unknown: UnknownMakers
}

/**
 * Returns what a person created that still works. Throws DomainError for people who are no members and created nothing, because
 * nothing is known of them here.
 */
export async function readMade(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  person_id: number,
  slice?: Slice,
): Promise<ItemsByMaker> {
  const { people } = deps.database
  const [member, made] = [
    await findMember(people, org_id, person_id),
    await listMadeBy(people, { org_id, person_id }, slice),
  ]
  if (!member && made.length === 0) throw new DomainError('missing', 'member not found')
  const person = await findPersonById(people, person_id)
  const unknown = await countUnknownMakers(people, org_id, fromDate(deps.clock.now()))
  return { email: person?.email, is_member: member !== undefined, made, unknown }
}

/** Returns former members who created something that still works. */
export async function readFormerMakers(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  slice: Slice = ALL,
): Promise<FormerMaker[]> {
  return listFormerMakers(database.people, org_id, slice)
}
