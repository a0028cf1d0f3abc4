// Stores organisations and their members.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ALL, type Slice } from '../slice.ts'
import { wireTime } from '../wire-time.ts'

export interface OrganisationRow {
  org_id: number
  name: string
  plan: string
  status_page_enabled: boolean
  /** Limits that an admin set for this organisation, in place of its plan's. */
  custom_limits: object | null
  custom_price_cents: number | null
  custom_price_period: string | null
  /**
   * Maximum number of monitors that an admin set for this organisation. 0 means unlimited. Null if the plan's limit applies.
   */
  max_monitors: number | null
  /** Time of the suspension. Null unless the organisation is suspended. */
  suspended_at: string | null
  /** Whether members of the organisation must sign in with a second factor. */
  requires_second_factor: boolean
  /** Time at which the organisation and all its data will be deleted. Null unless someone requested that. */
  delete_at: string | null
}

const COLUMNS = [
  'org_id',
  'name',
  'plan',
  'status_page_enabled',
  'custom_limits',
  'custom_price_cents',
  'custom_price_period',
  'max_monitors',
  'requires_second_factor',
] as const

export async function insertOrganisation(
  db: Db,
  { custom_limits, ...row }: { name: string; plan: string; custom_limits?: object },
): Promise<number> {
  const { org_id } = await db
    .insertInto('organisations')
    .values({ ...row, ...(custom_limits && { custom_limits: JSON.stringify(custom_limits) }) })
    .returning('org_id')
    .executeTakeFirstOrThrow()
  return org_id
}

export async function findOrganisation(db: Db, org_id: number): Promise<OrganisationRow | undefined> {
  return selectOrganisation(db, org_id).executeTakeFirst()
}

/** Finds an organisation and locks its row until the transaction ends, so that two requests cannot together exceed a limit. */
export async function lockOrganisation(db: Db, org_id: number): Promise<OrganisationRow | undefined> {
  return selectOrganisation(db, org_id).forNoKeyUpdate().executeTakeFirst()
}

function selectOrganisation(db: Db, org_id: number) {
  return db
    .selectFrom('organisations')
    .select((eb) => [
      ...COLUMNS,
      wireTime(eb.ref('suspended_at')).as('suspended_at'),
      wireTime(eb.ref('delete_at')).as('delete_at'),
    ])
    .where('org_id', '=', org_id)
}

export type ListedOrganisation = Pick<
  OrganisationRow,
  'org_id' | 'name' | 'plan' | 'status_page_enabled' | 'suspended_at' | 'delete_at'
> & {
  owner_email: string
}

export async function listOrganisations(db: Db): Promise<ListedOrganisation[]> {
  return db
    .selectFrom('organisations')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.org_id', '=', 'organisations.org_id').on('memberships.is_owner', '=', true),
    )
    .innerJoin('people', 'people.person_id', 'memberships.person_id')
    .select((eb) => [
      'organisations.org_id',
      'organisations.name',
      'organisations.plan',
      'organisations.status_page_enabled',
      'people.email as owner_email',
      wireTime(eb.ref('organisations.suspended_at')).as('suspended_at'),
      wireTime(eb.ref('organisations.delete_at')).as('delete_at'),
    ])
    .orderBy('organisations.org_id')
    .execute()
}

export async function updateOrganisation(
  db: Db,
  org_id: number,
  change: {
    name?: string
    plan?: string
    status_page_enabled?: boolean
    custom_limits?: object
    custom_price_cents?: number | null
    custom_price_period?: string | null
    max_monitors?: number | null
    requires_second_factor?: boolean
  },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('organisations')
    .set({ ...change, custom_limits: change.custom_limits && JSON.stringify(change.custom_limits) })
    .where('org_id', '=', org_id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function insertMember(
  db: Db,
  row: { org_id: number; person_id: number; is_owner: boolean; role?: string },
): Promise<void> {
  // The person who creates an organisation receives its weekly report until they unsubscribe.
  await db
    .insertInto('memberships')
    .values({ ...row, weekly_report: row.is_owner })
    .execute()
}

export interface MemberRow {
  id: number
  email: string
  is_owner: boolean
  /** Role as it is stored. Ignored for the owner. */
  role: string
  joined_at: string
}

/** Lists members: the owner first, then by address. */
export async function listMembers(db: Db, org_id: number, { limit, offset }: Slice = ALL): Promise<MemberRow[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('people', 'people.person_id', 'memberships.person_id')
    .select((eb) => [
      'memberships.person_id as id',
      'people.email',
      'memberships.is_owner',
      'memberships.role',
      wireTime(eb.ref('memberships.joined_at')).as('joined_at'),
    ])
    .where('memberships.org_id', '=', org_id)
    .orderBy('memberships.is_owner', 'desc')
    .orderBy(sql`lower(people.email) collate "C"`)
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function findMember(
  db: Db,
  org_id: number,
  person_id: number,
): Promise<{ person_id: number; email: string; is_owner: boolean; role: string } | undefined> {
  return db
    .selectFrom('memberships')
    .innerJoin('people', 'people.person_id', 'memberships.person_id')
    .select(['people.person_id', 'people.email', 'memberships.is_owner', 'memberships.role'])
    .where('memberships.org_id', '=', org_id)
    .where('memberships.person_id', '=', person_id)
    .executeTakeFirst()
}

export async function countMembers(db: Db, org_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', org_id)
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the orgs on a plan that a person owns. */
export async function countOwned(db: Db, person_id: number, plan: string): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .innerJoin('organisations', 'organisations.org_id', 'memberships.org_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('memberships.person_id', '=', person_id)
    .where('memberships.is_owner', '=', true)
    .where('organisations.plan', '=', plan)
    .executeTakeFirstOrThrow()
  return count
}

export async function findOwner(db: Db, org_id: number): Promise<{ person_id: number } | undefined> {
  return db
    .selectFrom('memberships')
    .select('person_id')
    .where('org_id', '=', org_id)
    .where('is_owner', '=', true)
    .executeTakeFirst()
}

export async function deleteMember(db: Db, org_id: number, person_id: number): Promise<void> {
  await db.deleteFrom('memberships').where('org_id', '=', org_id).where('person_id', '=', person_id).execute()
}

export async function isMember(db: Db, org_id: number, person_id: number): Promise<boolean> {
  return (await findMember(db, org_id, person_id)) !== undefined
}

export async function updateRole(
  db: Db,
  { org_id, person_id }: { org_id: number; person_id: number },
  role: string,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ role })
    .where('org_id', '=', org_id)
    .where('person_id', '=', person_id)
    .execute()
}

export async function updateOwner(db: Db, org_id: number, person_id: number): Promise<void> {
  // Uses two statements, because the database allows no moment with two owners of an org.
  await db
    .updateTable('memberships')
    .set({ is_owner: false, role: 'member' })
    .where('org_id', '=', org_id)
    .where('is_owner', '=', true)
    .execute()
  await db
    .updateTable('memberships')
    .set({ is_owner: true })
    .where('org_id', '=', org_id)
    .where('person_id', '=', person_id)
    .execute()
}
