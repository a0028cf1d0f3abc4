// Decides which members a composite check may name.
import type { MemberName } from '@dogwatch/check-rules/composite'
import { readTarget } from '@dogwatch/check-rules/target'
import { listComposites } from '@dogwatch/store/checks/judgements'
import type { Db, Trx } from '@dogwatch/store/database'
import { FieldError } from '../errors.ts'

/** Fault of a composite that names another one. */
export const NESTED = 'must not name another composite check'

/** Refuses a composite that names another one. Allows members that do not exist yet. */
export async function requireMembers(trx: Trx, org_id: number, at: string, url: string): Promise<void> {
  const names = namesIn(url)
  if (names.length === 0) return
  if (isNested(names, await listComposites(trx, org_id))) throw new FieldError('invalid', `${at}.url`, NESTED)
}

interface PlacedCheck {
  guid: string
  put: { key?: string | undefined }
  content: { url: string }
}

/** Returns the checks of a request that are composites and name another composite, which is stored or in the same request. */
export async function listNested<Check extends PlacedCheck>(
  db: Db,
  org_id: number,
  checks: readonly Check[],
): Promise<Check[]> {
  const composites = checks.filter(({ content }) => namesIn(content.url).length > 0)
  if (composites.length === 0) return []
  const requested = new Map(checks.map((check) => [check.guid, check]))
  const known = await listComposites(db, org_id)
  const stored = known.filter(({ guid }) => !requested.has(guid))
  const keyOf = new Map(known.map(({ guid, key }) => [guid, key]))
  const all = [...stored, ...composites.map(({ guid, put }) => ({ guid, key: put.key ?? keyOf.get(guid) ?? null }))]
  return composites.filter(({ content }) => isNested(namesIn(content.url), all))
}

/**
 * Refuses a file with a composite that names another composite. No composite can name a check that has no guid in the file by its
 * guid.
 */
export async function requireMembersOfFile(
  db: Db,
  org_id: number,
  entries: readonly { guid: string | undefined; content: { url: string } }[],
): Promise<void> {
  const checks = entries.map(({ guid = '', content }, index) => ({ guid, content, put: {}, index }))
  const [nested] = await listNested(db, org_id, checks)
  if (nested) throw new FieldError('invalid', `[${nested.index}].url`, NESTED)
}

function namesIn(url: string): readonly MemberName[] {
  const target = readTarget(url)
  return 'fault' in target || target.scheme !== 'composite' ? [] : target.members
}

function isNested(names: readonly MemberName[], composites: readonly { guid: string; key: string | null }[]): boolean {
  return names.some(({ by, name }) => by !== 'tag' && composites.some((one) => one[by] === name))
}
