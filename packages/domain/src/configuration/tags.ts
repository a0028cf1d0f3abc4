// Counts, renames and removes the tags of an organisation, on everything that has or names them.
import { faultOfTags, tidyTag, tidyTags } from '@dogwatch/check-rules/tags'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { tick } from '@dogwatch/store/checks/checks'
import { listTagged, listTagUses, type TagUse } from '@dogwatch/store/configuration/tags'
import type { Trx } from '@dogwatch/store/database'
import { recordAuditEntry } from '../audit/record.ts'
import { AT_MOST, changeChecks } from '../checks/change-many.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { retagHeartbeats } from '../heartbeats/edit-many.ts'
import { listNamingTag, retagComposites } from '../judged/retag.ts'
import { readWindows } from '../maintenance/edit.ts'
import { editWindows } from '../maintenance/edit-many.ts'
import { readRoutes } from '../routing/edit.ts'
import { editRoutes } from '../routing/edit-many.ts'
import { decideAgain } from '../routing/release.ts'
import type { Scope } from '../routing/route.ts'
import { isStorable } from '../text.ts'
import { together } from './together.ts'

export type { TagUse }

/** Kind of item that has a tag, as the scope that may change it names it. */
type TaggedKind = 'checks' | 'heartbeats' | 'routes' | 'maintenance'

export async function readTags({ database }: Pick<Deps, 'database'>, org_id: number): Promise<TagUse[]> {
  return listTagUses(database.people, org_id)
}

/** Renames a tag wherever it is used. `requireSubject` throws if the caller may not change a kind of item that has it. */
export async function renameTag(
  deps: Deps,
  by: Editor,
  given: string,
  wanted: string,
  requireSubject: (subject: TaggedKind) => void,
): Promise<TagUse> {
  const must = faultOfTags([wanted])
  if (must !== undefined) throw new FieldError('invalid', 'tag', 'must be 1 to 50 characters long, without commas')
  const to = tidyTag(wanted)
  return together(deps, async (inner, trx) => {
    const tag = await replaceTag({ deps: inner, trx }, by, given, to, requireSubject)
    const [use] = await listTagUses(trx, by.org_id, to)
    if (!use) throw new Error(`the tag ${tag} was renamed, but no item has the new tag`)
    return use
  })
}

/** Removes a tag wherever it is used. Refuses if a route, a maintenance window or a composite uses only this tag. */
export async function removeTag(
  deps: Deps,
  by: Editor,
  given: string,
  requireSubject: (subject: TaggedKind) => void,
): Promise<{ tag: string }> {
  return together(deps, async (inner, trx) => {
    return { tag: await replaceTag({ deps: inner, trx }, by, given, undefined, requireSubject) }
  })
}

async function replaceTag(
  { deps: inner, trx }: { deps: Deps; trx: Trx },
  by: Editor,
  given: string,
  to: string | undefined,
  requireSubject: (subject: TaggedKind) => void,
): Promise<string> {
  const { org_id, actor } = by
  // Locks in the order that all changes of checks use.
  await tick(trx)
  await lockOrganisation(trx, org_id)
  const tag = tidyTag(given)
  const [use] = isStorable(tag) ? await listTagUses(trx, org_id, tag) : []
  if (!use) throw new DomainError('missing', 'no tag with that name')
  const composites = await listNamingTag(trx, org_id, tag, to)
  const counts = {
    checks: use.checks + composites.length,
    heartbeats: use.heartbeats,
    routes: use.routes,
    maintenance: use.maintenance_windows,
  }
  for (const subject of ['checks', 'heartbeats', 'routes', 'maintenance'] as const) {
    if (counts[subject] > 0) requireSubject(subject)
  }
  if (tag === to) return tag
  const held = use.checks + use.heartbeats
  if (held > AT_MOST) {
    const line = `the tag is on ${held} checks and heartbeats, but at most ${AT_MOST} can be changed at once; first change some of them separately`
    throw new DomainError('conflict', line)
  }
  const after = (tags: readonly string[]) =>
    tidyTags(tags.flatMap((one) => (one === tag ? (to === undefined ? [] : [to]) : [one])))
  const { checks, heartbeats } = await listTagged(trx, org_id, tag)
  const change =
    to === undefined ? ({ kind: 'remove-tags', tags: [tag] } as const) : ({ kind: 'rename-tag', tag, to } as const)
  if (checks.length > 0) await changeChecks(inner, by, checks, change)
  if (composites.length > 0) await retagComposites(trx, inner, by, composites)
  await retagHeartbeats(trx, inner, by, heartbeats, after)
  const routes = (await readRoutes(inner, org_id)).flatMap(({ route_id: _, guid, ...route }) => {
    const scope = scopeAfter(route, tag, after, 'route')
    return scope ? [{ guid, route: { ...route, scope }, changed: ['scope'] }] : []
  })
  await editRoutes(trx, inner, by, routes)
  const windows = (await readWindows(inner, org_id)).flatMap(({ guid, state: _, span: __, ...window }) => {
    const scope = scopeAfter(window, tag, after, 'maintenance window')
    return scope ? [{ guid, window: { ...window, scope }, planned: undefined, changed: ['scope'] }] : []
  })
  await editWindows(trx, inner, by, windows)
  if (routes.length + windows.length > 0) await decideAgain(trx, inner, org_id)
  const [action, detail] = to === undefined ? (['tag.delete', {}] as const) : (['tag.rename', { to }] as const)
  await recordAuditEntry(trx, inner, actor, { org_id, action, subject: tag, detail: { ...detail, ...counts } })
  return tag
}

/** Returns the scope after the change, or undefined if it does not name the tag. Refuses to remove the last tag of a scope. */
function scopeAfter(
  { name, scope }: { name: string; scope: Scope },
  tag: string,
  after: (tags: readonly string[]) => string[],
  kind: string,
): Scope | undefined {
  if (!('tags' in scope) || !scope.tags.includes(tag)) return undefined
  const tags = after(scope.tags)
  if (tags.length > 0) return { tags }
  throw new DomainError(
    'conflict',
    `the ${kind} ${JSON.stringify(name)} has no other tag in its scope; change the scope first`,
  )
}
