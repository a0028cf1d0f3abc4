// What an import would do, entry by entry and field by field, before it is done.
import { createHash } from 'node:crypto'
import { READING_ORDER } from '@dogwatch/check-rules/fields'
import { hideSecrets } from '@dogwatch/check-rules/secrets'
import { countChecks, listChecks } from '../../store/checks/checks.ts'
import type { Db } from '../../store/database.ts'
import { findOrganisation } from '../../store/accounts/organisations.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type OrgPlanName, planOf } from '../organisations/plans.ts'
import { type CheckFields, requirePlanAllows, requireRoom } from './check.ts'
import { type Entry, readEntries } from './file.ts'
import { requireRestored } from './hidden-secrets.ts'
import { requirePatterns } from './patterns.ts'

export interface FieldChange {
  field: keyof CheckFields
  from: unknown
  to: unknown
}

/** Without the secrets of the check. */
export interface Foreseen {
  kind: 'new' | 'changed' | 'same'
  name: string
  guid: string | undefined
  content: CheckFields
  changes: FieldChange[]
}

export interface Preview {
  checks: Foreseen[]
  /** Identifies exactly this preview. A confirmation must send it back. */
  token: string
}

/** What importing a file into an org would do. Refused whenever the import would be. */
export async function previewImport({ database }: Deps, org_id: number, file: unknown): Promise<Preview> {
  const { people } = database
  await requireFewEntries(people, org_id, file)
  const entries = readEntries(file)
  const organisation = await findOrganisation(people, org_id)
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  const [name, plan] = [organisation.plan as OrgPlanName, planOf(organisation)]
  for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, name, plan)
  const checks = await foresee(people, org_id, entries)
  const before = await countChecks(people, org_id)
  requireRoom(name, plan, before, before + checks.filter(({ kind }) => kind === 'new').length)
  await requirePatterns(entries.map(({ content }) => content))
  return { checks, token: previewToken(checks) }
}

/** So many times what the plan allows: a file with more is refused unread. One with fewer is told what it would make. */
const TIMES = 2

/** Refuses a file that cannot fit by far before its entries are read: reading thousands keeps everybody waiting. */
export async function requireFewEntries(db: Db, org_id: number, file: unknown): Promise<void> {
  const organisation = await findOrganisation(db, org_id)
  if (!organisation || !Array.isArray(file)) return
  const { max_checks } = planOf(organisation)
  if (max_checks === 0 || file.length <= TIMES * max_checks) return
  // After a downgrade there may be more.
  if (file.length <= TIMES * (await countChecks(db, org_id))) return
  const line = `the ${organisation.plan} plan allows ${max_checks} checks, and the file holds ${file.length}`
  throw new DomainError('invalid', line)
}

export async function foresee(db: Db, org_id: number, entries: readonly Entry[]): Promise<Foreseen[]> {
  const held = new Map((await listChecks(db, org_id)).map((check) => [check.guid, check]))
  return entries.map(({ guid, content: given }, index): Foreseen => {
    const before = guid === undefined ? undefined : held.get(guid)
    const after = requireRestored(`[${index}]`, given, before)
    const content = hideSecrets(after)
    if (!before) return { kind: 'new', name: content.name, guid, content, changes: [] }
    const shown = hideSecrets(before)
    const changes = changedFields(before, after).map(({ field }) => ({ field, from: shown[field], to: content[field] }))
    return { kind: changes.length > 0 ? 'changed' : 'same', name: before.name, guid, content, changes }
  })
}

export function previewToken(checks: readonly Foreseen[]): string {
  return createHash('sha256').update(JSON.stringify(checks)).digest('base64url')
}

/** The fields that differ. */
export function changedFields(before: CheckFields, after: CheckFields): FieldChange[] {
  return READING_ORDER.map((field) => ({ field, from: before[field], to: after[field] })).filter(
    ({ from, to }) => comparable(from) !== comparable(to),
  )
}

/** The database returns headers in an order of its own. */
function comparable(value: unknown): string {
  return JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).toSorted() : value)
}
