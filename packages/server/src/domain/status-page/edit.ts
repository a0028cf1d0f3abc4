// What an owner configures of the status page: its address, its texts, and what it shows under which names.
import { newSlug } from '../../runtime/ids.ts'
import { findOrganisation, lockOrganisation } from '../../store/accounts/organisations.ts'
import {
  findStatusPage,
  holdHeartbeats,
  listSubjects,
  type NewEntry,
  replaceEntries,
  type StatusPageRow,
  type SubjectRow,
  upsertStatusPage,
} from '../../store/status-pages.ts'
import { changedFields } from '../audit/changed-fields.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { planOf } from '../organisations/plans.ts'
import { requireName } from '../text.ts'
import { looksLikeSlug } from './read.ts'

export interface StatusPageSettings {
  /** Undefined until it is saved for the first time: until then there is no page. */
  page: StatusPageRow | undefined
  subjects: readonly SubjectRow[]
  org_name: string
  plan_name: string
  is_allowed: boolean
  is_enabled: boolean
}

export type { StatusPageRow, SubjectRow }

/** An entry that the page shows. */
export interface ChosenEntry {
  kind: 'check' | 'heartbeat'
  guid: string
  public_name: string
  /** Lower numbers come first. */
  order: number
}

const MAX_TITLE = 100
const MAX_DESCRIPTION = 1000
const MAX_ORDER = 9999

export async function readStatusPageSettings(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
): Promise<StatusPageSettings> {
  const { people } = database
  const [page, subjects, organisation] = await Promise.all([
    findStatusPage(people, org_id),
    listSubjects(people, org_id),
    findOrganisation(people, org_id),
  ])
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  const { name: org_name, plan: plan_name, status_page_enabled: is_enabled } = organisation
  const is_allowed = planOf(organisation).allows_status_page
  return { page, subjects, org_name, plan_name, is_allowed, is_enabled }
}

/** An address for a page that has none yet; it does not reveal whose page it is. */
export function proposeSlug({ random }: Pick<Deps, 'random'>): string {
  return newSlug(random)
}

/** Replaces an org's page. Checks and heartbeats of other orgs are refused like unknown ones. */
export async function editStatusPage(
  deps: Deps,
  org_id: number,
  wanted: StatusPageRow & { entries: readonly ChosenEntry[] },
  by?: Actor,
): Promise<void> {
  const page = requirePage(wanted)
  for (const entry of wanted.entries) requireEntry(entry)
  await deps.database.people.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    if (!planOf(organisation).allows_status_page) {
      throw new DomainError('invalid', `the ${organisation.plan} plan has no status page`)
    }
    await holdHeartbeats(trx, org_id)
    const [subjects, before] = [await listSubjects(trx, org_id), await findStatusPage(trx, org_id)]
    if (!(await upsertStatusPage(trx, org_id, page))) {
      throw new DomainError('conflict', 'address is taken: choose another')
    }
    const entries = placed(wanted.entries, subjects)
    await replaceEntries(trx, org_id, entries)
    const changed = before ? changedFields(page, before) : []
    if (!areSame(entries, subjects)) changed.push('entries')
    const detail = { title: page.title, entries: entries.map(({ public_name }) => public_name), changed }
    await recordDeed(trx, deps, by, { org_id, action: 'status_page.edit', subject: page.slug, detail })
  })
}

function placed(chosen: readonly ChosenEntry[], subjects: readonly SubjectRow[]): NewEntry[] {
  const idOf = new Map(subjects.map(({ kind, guid, id }) => [`${kind} ${guid}`, id]))
  return chosen
    .toSorted((a, b) => a.order - b.order)
    .flatMap(({ kind, guid, public_name }) => {
      const id = idOf.get(`${kind} ${guid}`)
      return id === undefined ? [] : [{ kind, id, public_name: public_name.trim() }]
    })
}

/** Whether these entries are those that the page shows, in their order. */
function areSame(entries: readonly NewEntry[], subjects: readonly SubjectRow[]): boolean {
  const shown = subjects.filter(({ public_name, position }) => public_name !== null && position !== null)
  const name = ({ kind, id, public_name }: Pick<SubjectRow, 'kind' | 'id' | 'public_name'>) =>
    `${kind} ${id} ${public_name}`
  return entries.map(name).join('\n') === shown.map(name).join('\n')
}

function requirePage({ slug, title, description }: StatusPageRow): StatusPageRow {
  return { slug: requireAddress(slug), description: requireDescription(description), title: requireTitle(title) }
}

export function requireAddress(slug: string): string {
  if (looksLikeSlug(slug)) return slug
  throw new DomainError(
    'invalid',
    'address must have 3 to 40 lower-case letters, digits and hyphens, and no hyphen at either end',
  )
}

export function requireTitle(title: string): string {
  return requireName('title', title.trim(), { max: MAX_TITLE })
}

export function requireDescription(description: string): string {
  const lines = description.trim().split(/\r\n|\r|\n/)
  requireName('description', lines.join(' '), { mayBeBlank: true, max: MAX_DESCRIPTION })
  return lines.join('\n')
}

function requireEntry({ public_name, order }: ChosenEntry): void {
  requirePublicName('public name', public_name)
  requireOrder('order', order)
}

/** `field`: what the refusal names. */
export function requirePublicName(field: string, public_name: string): void {
  requireName(field, public_name, { max: MAX_TITLE })
}

export function requireOrder(field: string, order: number): void {
  if (Number.isInteger(order) && order >= 0 && order <= MAX_ORDER) return
  throw new DomainError('invalid', `${field} must be a whole number from 0 to ${MAX_ORDER}`)
}
