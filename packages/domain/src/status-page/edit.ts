// Stores what an owner configures of the status page: its address, its texts, and what it shows under which names.
import { newSlug } from '@dogwatch/runtime/ids'
import { findOrganisation, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Trx } from '@dogwatch/store/database'
import {
  findStatusPage,
  holdHeartbeats,
  listSubjects,
  type NewEntry,
  replaceEntries,
  type StatusPageRow,
  type SubjectRow,
  upsertStatusPage,
} from '@dogwatch/store/status-pages'
import { changedFields } from '../audit/changed-fields.ts'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { planOf } from '../organisations/plans.ts'
import { requireName } from '../text.ts'
import { looksLikeSlug } from './read.ts'

export interface StatusPageSettings {
  /** Stored page. Absent until an owner saves it for the first time. Until then, the organisation has no page. */
  page: StatusPageRow | undefined
  subjects: readonly SubjectRow[]
  org_name: string
  plan_name: string
  is_allowed: boolean
  is_enabled: boolean
}

export type { StatusPageRow, SubjectRow }

/** Entry that the page shows. Entries come in the order of their list. */
export interface ChosenEntry {
  kind: 'check' | 'heartbeat'
  guid: string
  public_name: string
}

const MAX_TITLE = 100
const MAX_DESCRIPTION = 1000

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

/** Creates an address for a page that has none yet. It does not reveal whose page it is. */
export function randomAddress({ random }: Pick<Deps, 'random'>): string {
  return newSlug(random)
}

/** Creates an empty page at a random address unless the organisation has one, because a page that is on needs an address. */
export async function ensureStatusPage(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  org_id: number,
  org_name: string,
): Promise<void> {
  if (await findStatusPage(trx, org_id)) return
  await upsertStatusPage(trx, org_id, {
    slug: randomAddress(deps),
    title: Array.from(org_name).slice(0, MAX_TITLE).join(''),
    description: '',
  })
}

/**
 * Replaces an organisation's page. Skips checks and heartbeats of other organisations, like unknown ones. `undecided`: heartbeats
 * that stay marked as undecided and get no entry.
 */
export async function editStatusPage(
  deps: Deps,
  org_id: number,
  wanted: StatusPageRow & { entries: readonly ChosenEntry[]; undecided?: readonly SubjectRow[] },
  by?: Actor,
): Promise<void> {
  const page = requirePage(wanted)
  for (const { public_name } of wanted.entries) requirePublicName('public name', public_name)
  await deps.database.people.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    if (!planOf(organisation).allows_status_page) {
      throw new DomainError('invalid', `status pages are not included in the ${organisation.plan} plan`)
    }
    await holdHeartbeats(trx, org_id)
    const [subjects, before] = [await listSubjects(trx, org_id), await findStatusPage(trx, org_id)]
    if (!(await upsertStatusPage(trx, org_id, page))) {
      throw new FieldError('conflict', 'address', 'is already taken; choose another')
    }
    const entries = placed(wanted.entries, subjects)
    const undecided = (wanted.undecided ?? []).filter(({ kind, position }) => kind === 'heartbeat' && position === null)
    await replaceEntries(
      trx,
      org_id,
      entries,
      undecided.map(({ id }) => id),
    )
    const changed = before ? changedFields(page, before) : []
    if (!areSame(entries, subjects)) changed.push('entries')
    const detail = { title: page.title, entries: entries.map(({ public_name }) => public_name), changed }
    await recordAuditEntry(trx, deps, by, { org_id, action: 'status_page.edit', subject: page.slug, detail })
  })
}

function placed(chosen: readonly ChosenEntry[], subjects: readonly SubjectRow[]): NewEntry[] {
  const idOf = new Map(subjects.map(({ kind, guid, id }) => [`${kind} ${guid}`, id]))
  return chosen.flatMap(({ kind, guid, public_name }) => {
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
  throw new FieldError(
    'invalid',
    'address',
    'must be 3 to 40 lower-case letters, digits or hyphens, and cannot start or end with a hyphen',
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

/** Refuses an invalid public name. `field`: name that the refusal contains. */
export function requirePublicName(field: string, public_name: string): void {
  requireName(field, public_name, { max: MAX_TITLE })
}
