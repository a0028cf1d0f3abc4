// Applies one change to several checks of an organisation: to all of them, or to none.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { faultOfTags, tidyTag, tidyTags } from '@dogwatch/check-rules/tags'
import { newGuid } from '@dogwatch/runtime/ids'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { assign } from '@dogwatch/store/checks/assignments'
import { listTags, updateIntervals, updateTags } from '@dogwatch/store/checks/bulk'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { type CheckPlace, listCheckPlaces, tick } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import { recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { isStorable } from '../text.ts'
import { type MonitorChoice, requireMonitors, setMonitors } from './assign.ts'
import { requireIntervalAllowed } from './check.ts'
import { deedOf, hideChecks } from './deletions.ts'
import { type Editor, switchChecks } from './pause-delete-wipe.ts'

export type ChangeOfMany =
  | { kind: 'pause' | 'resume' | 'delete' }
  | { kind: 'add-tags' | 'remove-tags'; tags: readonly string[] }
  | { kind: 'rename-tag'; tag: string; to: string }
  | { kind: 'set-interval'; interval_sec: unknown }
  /** Way of assigning. `add`: the checks also keep the monitors that they have. */
  | { kind: 'assign'; monitors: MonitorChoice; how: 'replace' | 'add' }

/** Maximum number of checks in one change. More would delay everyone who changes checks. */
export const AT_MOST = 2_000

const ACTIONS: Readonly<Record<ChangeOfMany['kind'], AuditAction>> = {
  pause: 'check.pause',
  resume: 'check.resume',
  delete: 'check.delete',
  'add-tags': 'check.edit',
  'remove-tags': 'check.edit',
  'rename-tag': 'check.edit',
  'set-interval': 'check.edit',
  assign: 'check.assign',
}

/**
 * Changes the checks with these guids by the rules that apply to a single change. Returns their number, and the name of the batch
 * that can undo a pause or resumption.
 */
export async function changeChecks(
  deps: Deps,
  by: Editor,
  guids: readonly string[],
  change: ChangeOfMany,
): Promise<{ count: number; batch?: string }> {
  const wanted = [...new Set(guids)]
  if (wanted.length === 0) throw new DomainError('invalid', 'select at least one check')
  if (wanted.length > AT_MOST) throw new DomainError('invalid', `at most ${AT_MOST} checks can be changed at once`)
  requireSoundValues(change)
  return deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    // No check has a guid that the database cannot store.
    const places = await listCheckPlaces(trx, wanted.filter(isStorable))
    const checks = places.filter(({ org_id, deleted }) => org_id === by.org_id && !deleted)
    if (checks.length < wanted.length) {
      const line = 'some of the selected checks no longer exist, so nothing was changed; select them again'
      throw new DomainError(wanted.length === 1 ? 'missing' : 'conflict', line)
    }
    // With these locks, any process that judges one of the checks has either finished or will see the change.
    await lockChecksToJudge(trx, checks)
    const detail = await apply(trx, deps, by, checks, change)
    const deed = deedOf(checks)
    const action = ACTIONS[change.kind]
    await recordAuditEntry(trx, deps, by.actor, {
      ...deed,
      org_id: by.org_id,
      action,
      detail: { ...detail, ...deed.detail },
    })
    return { count: checks.length, ...(typeof detail.batch === 'string' && { batch: detail.batch }) }
  })
}

function requireSoundValues(change: ChangeOfMany): void {
  if (change.kind === 'set-interval') {
    const [fault] = faultsOfValue('interval_sec', change.interval_sec)
    if (fault) throw new FieldError('invalid', 'interval_sec', fault.must)
  }
  if (change.kind === 'add-tags' || change.kind === 'remove-tags') {
    const must = change.tags.length === 0 ? 'must name at least one tag' : faultOfTags(change.tags)
    if (must !== undefined) throw new FieldError('invalid', 'tags', must)
  }
}

/** Applies the change. Returns its details for the audit log, except which checks they were. */
async function apply(
  trx: Trx,
  deps: Deps,
  by: Editor,
  checks: readonly CheckPlace[],
  change: ChangeOfMany,
): Promise<Record<string, unknown>> {
  const check_ids = checks.map(({ check_id }) => check_id)
  switch (change.kind) {
    case 'pause':
    case 'resume':
      return switchedDetail(deps, checks, await switchChecks(trx, deps, by.org_id, check_ids, change.kind === 'resume'))
    case 'delete':
      await hideChecks(trx, deps, by, checks)
      return {}
    case 'add-tags':
    case 'remove-tags':
    case 'rename-tag':
      await changeTags(trx, by.org_id, check_ids, tagsAfter(change))
      return { changed: ['tags'] }
    case 'set-interval':
      await setInterval(trx, by.org_id, check_ids, change.interval_sec as number)
      return { changed: ['interval_sec'], to: { interval_sec: change.interval_sec } }
    case 'assign':
      await assignMany(trx, by.org_id, checks, change)
      return { how: change.how, monitors: change.monitors }
  }
}

/** Returns the audit details that undo-switch.ts needs to undo the switch. */
function switchedDetail(
  { random }: Pick<Deps, 'random'>,
  checks: readonly CheckPlace[],
  switched: readonly number[],
): Record<string, unknown> {
  const guids = checks.flatMap(({ check_id, guid }) => (switched.includes(check_id) ? [guid] : []))
  return guids.length === 0 ? {} : { batch: newGuid(random), switched: guids }
}

/** Returns a function that computes the tags of a check after a change. */
function tagsAfter(
  change: Extract<ChangeOfMany, { tags: unknown } | { tag: unknown }>,
): (tags: readonly string[]) => string[] {
  switch (change.kind) {
    case 'add-tags':
      return (tags) => tidyTags([...tags, ...change.tags])
    case 'remove-tags': {
      const gone = tidyTags(change.tags)
      return (tags) => tags.filter((tag) => !gone.includes(tag))
    }
    case 'rename-tag':
      return (tags) => tidyTags(tags.map((tag) => (tag === tidyTag(change.tag) ? change.to : tag)))
  }
}

async function changeTags(
  trx: Trx,
  org_id: number,
  check_ids: readonly number[],
  tagsOf: (tags: readonly string[]) => string[],
): Promise<void> {
  const changed = []
  for (const { check_id, name, tags } of await listTags(trx, org_id, check_ids)) {
    const after = tagsOf(tags)
    const must = faultOfTags(after)
    if (must !== undefined) throw new DomainError('invalid', `the tag list of ${name} ${must}`)
    if (after.join() !== tags.join()) changed.push({ check_id, tags: after })
  }
  await updateTags(trx, org_id, changed)
}

async function setInterval(
  trx: Trx,
  org_id: number,
  check_ids: readonly number[],
  interval_sec: number,
): Promise<void> {
  const organisation = await lockOrganisation(trx, org_id)
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  requireIntervalAllowed('interval_sec', interval_sec, organisation)
  await updateIntervals(trx, org_id, check_ids, interval_sec)
}

async function assignMany(
  trx: Trx,
  org_id: number,
  checks: readonly CheckPlace[],
  { monitors, how }: { monitors: MonitorChoice; how: 'replace' | 'add' },
): Promise<void> {
  if (typeof monitors === 'string' || how === 'replace') return setMonitors(trx, checks, monitors)
  await requireMonitors(trx, org_id, monitors, checks)
  await assign(trx, checks, monitors)
}
