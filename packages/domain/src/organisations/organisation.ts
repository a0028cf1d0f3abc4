// Creates and changes organisations: their names, plans, limits, owners and status page switch.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type FoundOrganisation, searchOrganisations } from '@dogwatch/store/accounts/organisation-pages'
import {
  findOrganisation,
  insertMember,
  insertOrganisation,
  isMember,
  type ListedOrganisation,
  listOrganisations,
  lockOrganisation,
  type OrganisationRow,
  updateOrganisation,
} from '@dogwatch/store/accounts/organisations'
import { findPersonByEmail, hasClaimedEmail } from '@dogwatch/store/accounts/people'
import {
  deleteSetUpLinks,
  updateFirstOrganisation,
  updateSetUpByOperator,
} from '@dogwatch/store/accounts/server-set-up'
import type { Trx } from '@dogwatch/store/database'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { findOrCreatePerson, hashPassword, requireEmail } from '../people/person.ts'
import { requireNotImpersonated, type Viewer } from '../people/sessions.ts'
import { ensureStatusPage } from '../status-page/edit.ts'
import { isStorable, requireName } from '../text.ts'
import { existing } from './existing.ts'
import { makeOwner } from './members.ts'
import { isPlanName, PLANS, type Plan, type PlanName, planOf } from './plans.ts'

export type { FoundOrganisation }

const PAGE_ROWS = 100
const PERIODS: readonly string[] = ['month', 'year']
/** Ranges of limits that are set by hand. 0 means unlimited. For heartbeats, 0 means that none are allowed. */
const LIMITS = {
  max_checks: [0, 1_000_000],
  max_heartbeats: [0, 1_000_000],
  max_channels: [0, 1_000_000],
  max_members: [0, 1_000_000],
  min_interval_sec: [1, 86_400],
  max_timeout_sec: [1, 60],
  retention_days: [1, 3650],
} as const

export interface NewOrganisation {
  name: string
  plan: string
  owner_email: string
  /** Password of a new owner. If absent, the owner cannot sign in until a password is set. */
  owner_password?: string
}

/** Creates an organisation and its owner, who can exist already. A password is only for a new owner. */
export async function createOrganisation(
  deps: Deps,
  wanted: NewOrganisation,
): Promise<{ org_id: number; owner_id: number }> {
  const name = requireName('name', wanted.name)
  const plan = requirePlan(wanted.plan)
  const email = requireEmail('owner_email', wanted.owner_email)
  const password_hash = wanted.owner_password === undefined ? null : await hashPassword(wanted.owner_password)
  return deps.database.people.transaction().execute(async (trx) => {
    // Runs first, as in setting up by the browser, so that both lock rows in the same order.
    const isFirst = await updateSetUpByOperator(trx, fromDate(deps.clock.now()))
    const { person_id } = await findOrCreatePerson(trx, email, password_hash)
    if (await hasClaimedEmail(trx, person_id)) throw unverifiedAccount(email)
    const org_id = await insertOwned(trx, deps, { name, plan }, person_id)
    if (isFirst) {
      await deleteSetUpLinks(trx)
      await updateFirstOrganisation(trx, org_id)
    }
    return { org_id, owner_id: person_id }
  })
}

/** Stores an organisation with its owner. `by`: the owner. Absent if an operator creates it. */
export async function insertOwned(
  trx: Trx,
  deps: Deps,
  organisation: Parameters<typeof insertOrganisation>[1],
  person_id: number,
  by?: Actor,
): Promise<number> {
  const { name: subject, plan } = organisation
  const org_id = await insertOrganisation(trx, organisation)
  await insertMember(trx, { org_id, person_id, is_owner: true })
  const detail = by ? {} : { detail: { plan } }
  await recordAuditEntry(trx, deps, by, { org_id, action: 'organisation.create', subject, ...detail })
  return org_id
}

/**
 * Moves an organisation to another plan. Existing things keep running. The new limits apply to new and changed things from now
 * on.
 */
export async function setPlan(deps: Deps, org_id: number, text: string, by?: Actor): Promise<void> {
  await change(deps, org_id, by, 'organisation.plan', ({ custom_limits }) => {
    if (text === 'custom' && custom_limits === null)
      throw new DomainError('invalid', 'set custom limits before choosing the custom plan')
    return { plan: text === 'custom' ? text : requirePlan(text) }
  })
}

/** Sets an organisation's limits by hand. Its plan is `custom` from then on. */
export async function setCustomLimits(deps: Deps, org_id: number, limits: Plan, by?: Actor): Promise<void> {
  requireLimits(limits)
  await change(deps, org_id, by, 'organisation.limits', () => ({ plan: 'custom', custom_limits: limits }))
}

/**
 * Sets any limits by hand from a document that names them. The others stay as they are. Throws DomainError that names the field.
 */
export async function setLimitsGiven(deps: Deps, org_id: number, given: unknown): Promise<Plan> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new DomainError('invalid', 'the limits must be one JSON object')
  }
  const limits = { ...planOf(await readOrganisation(deps, org_id)) }
  for (const [field, value] of Object.entries(given)) Object.assign(limits, { [field]: readLimit(field, value) })
  await setCustomLimits(deps, org_id, limits)
  return limits
}

function readLimit(field: string, value: unknown): unknown {
  const known = PLANS.team[field as keyof Plan] as unknown
  if (known === undefined || !Object.hasOwn(PLANS.team, field)) {
    throw new FieldError('invalid', field, `is not a limit; the limits are ${Object.keys(PLANS.team).join(', ')}`)
  }
  if (field === 'channel_kinds') return readKinds(value)
  if (typeof value !== typeof known) throw new FieldError('invalid', field, `must be a ${typeof known}`)
  return value
}

function readKinds(value: unknown): readonly string[] {
  const all: readonly unknown[] = PLANS.team.channel_kinds
  if (!Array.isArray(value) || value.some((kind) => !all.includes(kind))) {
    throw new FieldError('invalid', 'channel_kinds', `must be an array that contains only ${all.join(', ')}`)
  }
  return PLANS.team.channel_kinds.filter((kind) => value.includes(kind))
}

/** Sets by hand how many monitors an organisation may have. 0 means any number, null the plan's limit. */
export async function setMaxMonitors(
  deps: Deps,
  org_id: number,
  max_monitors: number | null,
  by?: Actor,
): Promise<void> {
  if (max_monitors !== null) requireBetween('max_monitors', max_monitors, 0, 1_000_000)
  await change(deps, org_id, by, 'organisation.max_monitors', () => ({ max_monitors }))
}

/** Records a price agreed by hand, whatever the plan, or removes it if `price` is undefined. */
export async function setCustomPrice(
  deps: Deps,
  org_id: number,
  price: { cents: number; period: string } | undefined,
  by?: Actor,
): Promise<void> {
  if (price) requireBetween('cents', price.cents, 0, 2_000_000_000)
  if (price && !PERIODS.includes(price.period)) {
    throw new FieldError('invalid', 'period', `must be one of ${PERIODS.join(', ')}`)
  }
  await change(deps, org_id, by, 'organisation.price', () => ({
    custom_price_cents: price?.cents ?? null,
    custom_price_period: price?.period ?? null,
  }))
}

export async function renameOrganisation(deps: Deps, org_id: number, text: string, by?: Actor): Promise<void> {
  const name = requireName('name', text.trim())
  await change(deps, org_id, by, 'organisation.rename', () => ({ name }))
}

/** Shows or hides the public status page. Hiding it is possible on every plan. */
export async function setStatusPage(deps: Deps, org_id: number, enabled: boolean, by?: Actor): Promise<void> {
  const decide = (organisation: OrganisationRow) => {
    if (enabled && !planOf(organisation).allows_status_page) {
      throw new DomainError('invalid', `status pages are not included in the ${organisation.plan} plan`)
    }
    return { status_page_enabled: enabled }
  }
  const action = enabled ? 'status_page.show' : 'status_page.hide'
  await change(deps, org_id, by, action, decide, async (trx, { name }) => {
    if (enabled) await ensureStatusPage(trx, deps, org_id, name)
  })
}

/**
 * Requires members to sign in with a second factor, or no longer requires it. The viewer must have used one, or they would lock
 * themselves out.
 */
export async function requireSecondFactor(deps: Deps, viewer: Viewer, org_id: number, isOn: boolean): Promise<void> {
  if (isOn && !viewer.has_second_factor && viewer.impersonator_id === null) {
    const line =
      'before you require two-step sign-in for members, set it up for your own account or sign in with a passkey'
    throw new DomainError('invalid', line)
  }
  requireNotImpersonated(viewer)
  const action = isOn ? 'organisation.require_second_factor' : 'organisation.allow_password_alone'
  await change(deps, org_id, viewer, action, () => ({ requires_second_factor: isOn }))
}

/** Transfers ownership of an organisation to another of its members. */
export async function setOwner(deps: Deps, org_id: number, email: string): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    const person = await findPersonByEmail(trx, requireEmail('email', email))
    if (!person || !(await isMember(trx, org_id, person.person_id))) {
      throw new FieldError('invalid', 'email', 'must belong to a member of the organisation')
    }
    await makeOwner(trx, deps, org_id, person.person_id)
    await recordAuditEntry(trx, deps, undefined, { org_id, action: 'organisation.hand_over', subject: person.email })
  })
}

/** Returns all organisations, with the times of their suspension and of their coming deletion. */
export async function listAllOrganisations(
  deps: Deps,
): Promise<(Omit<ListedOrganisation, 'suspended_at' | 'delete_at'> & { suspended_at?: string; delete_at?: string })[]> {
  return (await listOrganisations(deps.database.people)).map(({ suspended_at, delete_at, ...organisation }) => ({
    ...organisation,
    ...(suspended_at !== null && { suspended_at }),
    ...(delete_at !== null && { delete_at }),
  }))
}

export interface OrganisationsPage {
  found: FoundOrganisation[]
  /** Position at which the next, older page begins. Absent on the last page. */
  before: number | undefined
}

/** Finds organisations by a name, an owner's address or an id, newest first, a hundred at a time. */
export async function findOrganisations(
  { database }: Pick<Deps, 'database'>,
  text: string,
  before?: number,
): Promise<OrganisationsPage> {
  const limit = PAGE_ROWS + 1
  const rows = isStorable(text) ? await searchOrganisations(database.people, text.trim(), { before, limit }) : []
  const found = rows.slice(0, PAGE_ROWS)
  return { found, before: rows.length > PAGE_ROWS ? found.at(-1)?.org_id : undefined }
}

export async function readOrganisation(deps: Pick<Deps, 'database'>, org_id: number): Promise<OrganisationRow> {
  return existing(await findOrganisation(deps.database.people, org_id))
}

type OrganisationChange = Parameters<typeof updateOrganisation>[2]

async function change(
  deps: Deps,
  org_id: number,
  by: Actor | undefined,
  action: AuditAction,
  decide: (organisation: OrganisationRow) => OrganisationChange,
  also?: (trx: Trx, organisation: OrganisationRow) => Promise<void>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const organisation = existing(await lockOrganisation(trx, org_id))
    const decided = decide(organisation)
    await updateOrganisation(trx, org_id, decided)
    await also?.(trx, organisation)
    await recordAuditEntry(trx, deps, by, { org_id, action, subject: organisation.name, detail: decided })
  })
}

function requireLimits(limits: Plan): void {
  for (const [field, [min, max]] of Object.entries(LIMITS)) {
    requireBetween(field, limits[field as keyof typeof LIMITS], min, max)
  }
}

function requireBetween(field: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new FieldError('invalid', field, `must be a whole number from ${min} to ${max}`)
  }
}

function requirePlan(text: string): PlanName {
  if (!isPlanName(text)) throw new FieldError('invalid', 'plan', `must be one of ${Object.keys(PLANS).join(', ')}`)
  return text
}

/**
 * Returns the refusal for an unverified account, because the organisation is meant for the owner of the address, and not for
 * anyone who signed up with it first.
 */
function unverifiedAccount(email: string): DomainError {
  return new DomainError(
    'conflict',
    `${email} has an account, but this address was never verified; delete the account first, or ask its owner to reset the password on the sign-in page`,
  )
}
