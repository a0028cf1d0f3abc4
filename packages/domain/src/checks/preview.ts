// Previews what an import would do, entry by entry and field by field.
import { createHash } from 'node:crypto'
import { READING_ORDER } from '@dogwatch/check-rules/fields'
import { hideSecrets, withStoredSecrets } from '@dogwatch/check-rules/secrets'
import { jsonPieces } from '@dogwatch/runtime/json-pieces'
import { Pace } from '@dogwatch/runtime/pace'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { countChecks, listChecksNamed } from '@dogwatch/store/checks/checks'
import type { Db } from '@dogwatch/store/database'
import { isEqual } from '../audit/changed-fields.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireMembersOfFile } from '../judged/require-members.ts'
import { planOf } from '../organisations/plans.ts'
import { type CheckFields, requirePlanAllows, requireRoom } from './check.ts'
import { type FileEntry, readEntries, stepsOfEntry } from './file.ts'
import { requireRestored } from './hidden-secrets.ts'
import { requirePatterns } from './patterns.ts'

interface FieldChange {
  field: keyof CheckFields
  from: unknown
  to: unknown
}

/** Effect of an import on one check, without the secrets of the check. */
export interface Foreseen {
  kind: 'new' | 'changed' | 'same'
  name: string
  guid: string | undefined
  content: CheckFields
  changes: FieldChange[]
}

export interface ImportPreview {
  checks: Foreseen[]
  /** Token that identifies exactly this preview. A confirmation must send it back. */
  token: string
}

/** Returns what importing a file into an organisation would do. Refuses a file whose import would be refused. */
export async function previewImport({ database }: Deps, org_id: number, file: unknown): Promise<ImportPreview> {
  const { people } = database
  await requireFewEntries(people, org_id, file)
  const entries = await readEntries(file)
  const organisation = await findOrganisation(people, org_id)
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, organisation)
  await requireMembersOfFile(people, org_id, entries)
  const checks = await foresee(people, org_id, entries)
  const before = await countChecks(people, org_id)
  requireRoom(organisation, before, before + checks.filter(({ kind }) => kind === 'new').length)
  await requirePatterns(entries.map(({ content }) => content))
  return { checks, token: await previewToken(checks) }
}

/**
 * Multiple of the plan's limit on checks. A file with more entries is refused unread. For a smaller file, the refusal says how
 * many checks there would be.
 */
const TIMES = 2

/** Refuses a file that is far too large before its entries are read, because reading thousands delays everyone else. */
export async function requireFewEntries(db: Db, org_id: number, file: unknown): Promise<void> {
  const organisation = await findOrganisation(db, org_id)
  if (!organisation || !Array.isArray(file)) return
  const { max_checks } = planOf(organisation)
  if (max_checks === 0 || file.length <= TIMES * max_checks) return
  // After a downgrade, an organisation may have more checks than its plan allows.
  if (file.length <= TIMES * (await countChecks(db, org_id))) return
  const line = `the ${organisation.plan} plan allows ${max_checks} checks, but the file contains ${file.length}`
  throw new DomainError('invalid', line)
}

export async function foresee(db: Db, org_id: number, entries: readonly FileEntry[]): Promise<Foreseen[]> {
  const guids = entries.flatMap(({ guid }) => guid ?? [])
  const held = new Map((await listChecksNamed(db, org_id, guids)).map((check) => [check.guid, check]))
  const foreseen = ({ guid, content: given }: FileEntry, index: number): Foreseen => {
    const before = guid === undefined ? undefined : held.get(guid)
    const after = requireRestored(`[${index}]`, given, before)
    const content = hideSecrets(after)
    if (!before) return { kind: 'new', name: content.name, guid, content, changes: [] }
    const shown = hideSecrets(before)
    // A secret that is spelled out counts as a change, because the preview would otherwise reveal whether a guess is right.
    const { held: unguessed, fields } = withStoredSecrets(given, before)
    const changed = new Set<keyof CheckFields>([...changedFields(before, unguessed), ...fields])
    const changes = READING_ORDER.filter((field) => changed.has(field)).map((field) => {
      return { field, from: shown[field], to: content[field] }
    })
    return { kind: changes.length > 0 ? 'changed' : 'same', name: before.name, guid, content, changes }
  }
  return new Pace().map(entries, foreseen, stepsOfEntry)
}

export async function previewToken(checks: readonly Foreseen[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of jsonPieces(checks)) hash.update(piece)
  return hash.digest('base64url')
}

/** Returns the fields that differ, in the order of reading. */
export function changedFields(before: CheckFields, after: CheckFields): (keyof CheckFields)[] {
  return READING_ORDER.filter((field) => !isEqual(before[field], after[field]))
}
