// The tags of an organisation: counted, renamed and removed on everything that has or names them.
import { faultOfTags, tidyTags } from '@dogwatch/check-rules/tags'
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import { tick } from '../../store/checks/checks.ts'
import { lockConfiguredHeartbeat } from '../../store/configuration/heartbeats.ts'
import { listTagged, listTagUses, type TagUse } from '../../store/configuration/tags.ts'
import { recordDeed } from '../audit/record.ts'
import { changeChecks } from '../checks/change-many.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { editHeartbeat } from '../heartbeats/edit.ts'
import { editWindow, readWindows } from '../maintenance/edit.ts'
import { editRoute, readRoutes } from '../routing/edit.ts'
import type { Scope } from '../routing/route.ts'
import { isStorable } from '../text.ts'
import { together } from './together.ts'

export type { TagUse }

/** What holds a tag, by the subject of the scope that may change it. */
type Subject = 'checks' | 'heartbeats' | 'routes' | 'maintenance'

/** So many checks are changed by one statement. */
const CHECKS_AT_ONCE = 1_000

export async function readTags({ database }: Pick<Deps, 'database'>, org_id: number): Promise<TagUse[]> {
  return listTagUses(database.people, org_id)
}

/** Calls a tag something else wherever it stands. `requireSubject` refuses whoever may not change what has it. */
export async function renameTag(
  deps: Deps,
  by: Editor,
  given: string,
  wanted: string,
  requireSubject: (subject: Subject) => void,
): Promise<TagUse> {
  const must = faultOfTags([wanted])
  if (must !== undefined) throw new DomainError('invalid', 'tag must be a word of 1 to 50 characters, without commas')
  const [to = ''] = tidyTags([wanted])
  return together(deps, async (inner) => {
    const tag = await replaceTag(inner, by, given, to, requireSubject)
    const [use] = await listTagUses(inner.database.people, by.org_id, to)
    if (!use) throw new Error(`the tag ${tag} was renamed on nothing`)
    return use
  })
}

/** Takes a tag away wherever it stands. Refuses while a route or a window is for this tag alone. */
export async function removeTag(
  deps: Deps,
  by: Editor,
  given: string,
  requireSubject: (subject: Subject) => void,
): Promise<{ tag: string }> {
  return together(deps, async (inner) => ({ tag: await replaceTag(inner, by, given, undefined, requireSubject) }))
}

async function replaceTag(
  inner: Deps,
  by: Editor,
  given: string,
  to: string | undefined,
  requireSubject: (subject: Subject) => void,
): Promise<string> {
  const { people } = inner.database
  const { org_id, actor } = by
  // In the order in which all changes of checks lock.
  await tick(people)
  await lockOrganisation(people, org_id)
  const [tag = ''] = tidyTags([given])
  const [use] = isStorable(tag) ? await listTagUses(people, org_id, tag) : []
  if (!use) throw new DomainError('missing', 'no tag with that name')
  const counts = {
    checks: use.checks,
    heartbeats: use.heartbeats,
    routes: use.routes,
    maintenance: use.maintenance_windows,
  }
  for (const subject of ['checks', 'heartbeats', 'routes', 'maintenance'] as const) {
    if (counts[subject] > 0) requireSubject(subject)
  }
  if (tag === to) return tag
  const after = (tags: readonly string[]) =>
    tidyTags(tags.flatMap((one) => (one === tag ? (to === undefined ? [] : [to]) : [one])))
  const { checks, heartbeats } = await listTagged(people, org_id, tag)
  await retagChecks(inner, by, checks, tag, to)
  for (const guid of heartbeats) {
    const held = await lockConfiguredHeartbeat(people, org_id, guid)
    if (held) await editHeartbeat(inner, { org_id, guid }, { ...held, tags: after(held.tags) }, actor)
  }
  for (const { route_id: _, guid, ...route } of await readRoutes(inner, org_id)) {
    const scope = scopeAfter(route, tag, after, 'route')
    if (scope) await editRoute(inner, { org_id, guid }, { ...route, scope }, actor)
  }
  for (const { guid, state: _, span: __, ...window } of await readWindows(inner, org_id)) {
    const scope = scopeAfter(window, tag, after, 'maintenance window')
    if (scope) await editWindow(inner, { org_id, guid }, { ...window, scope }, actor)
  }
  const [action, detail] = to === undefined ? (['tag.delete', {}] as const) : (['tag.rename', { to }] as const)
  await recordDeed(people, inner, actor, { org_id, action, subject: tag, detail: { ...detail, ...counts } })
  return tag
}

async function retagChecks(
  inner: Deps,
  by: Editor,
  guids: readonly string[],
  tag: string,
  to: string | undefined,
): Promise<void> {
  for (let at = 0; at < guids.length; at += CHECKS_AT_ONCE) {
    const some = guids.slice(at, at + CHECKS_AT_ONCE)
    await changeChecks(inner, by, some, { kind: 'remove-tags', tags: [tag] })
    if (to !== undefined) await changeChecks(inner, by, some, { kind: 'add-tags', tags: [to] })
  }
}

/** Undefined for what does not name the tag. */
function scopeAfter(
  { name, scope }: { name: string; scope: Scope },
  tag: string,
  after: (tags: readonly string[]) => string[],
  kind: string,
): Scope | undefined {
  if (!('tags' in scope) || !scope.tags.includes(tag)) return undefined
  const tags = after(scope.tags)
  if (tags.length > 0) return { tags }
  throw new DomainError('conflict', `the ${kind} ${JSON.stringify(name)} is for this tag alone: change it first`)
}
