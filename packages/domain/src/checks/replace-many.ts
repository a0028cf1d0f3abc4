// Replaces the content of many checks with statements for all of them, by the rules that apply to a single check. Replacing one
// check after the other would lock the sync clock for seconds.
import { rowOf } from '@dogwatch/check-rules/fields'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { assign, unassign } from '@dogwatch/store/checks/assignments'
import { updateJudgedFrom } from '@dogwatch/store/checks/check-health'
import type { CheckPlace } from '@dogwatch/store/checks/checks'
import { type DegradationKind, endDegradations } from '@dogwatch/store/checks/degradations'
import { clearTakenKeys } from '@dogwatch/store/checks/deletions'
import { endJudgements } from '@dogwatch/store/checks/judgements'
import { updateChecks } from '@dogwatch/store/checks/many-checks'
import { stopChecks } from '@dogwatch/store/checks/stop'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { closingKept } from '../events/close-kept.ts'
import type { CheckFields } from './check.ts'
import { forgetQuotes } from './pause-delete-wipe.ts'
import { changedFields } from './preview.ts'
import { unfoundedKinds } from './update-degraded.ts'

export interface ReplacedCheck {
  place: CheckPlace
  content: CheckFields
  /** Content of the check before the change. Undefined for a deleted check, which comes back under its guid. */
  before: CheckFields | undefined
}

/**
 * Replaces checks, and returns the ids and facts of each in order. If results now mean something else, or start again, earlier
 * ones no longer count, but an open incident stays open until new results decide. The caller must lock the checks.
 */
export async function replaceChecks(
  trx: Trx,
  deps: Deps,
  org_id: number,
  replaced: readonly ReplacedCheck[],
): Promise<CheckPlace[]> {
  if (replaced.length === 0) return []
  const gone = idsOf(replaced.filter(({ place }) => place.deleted))
  if (gone.length > 0) await clearTakenKeys(trx, org_id, gone)
  const rows = replaced.map(({ place: { check_id }, content, before }) => ({ check_id, content, before }))
  await updateChecks(trx, org_id, rows)
  const broken = replaced.filter(({ before, content }) => !before || isBreak(before, content))
  await updateJudgedFrom(trx, org_id, idsOf(broken), fromDate(deps.clock.now()))
  const restricted = replaced.filter(({ content, before }) => content.restricted && !before?.restricted)
  await unassign(
    trx,
    restricted.map(({ place }) => place),
    'shared',
  )
  const places = replaced.map(({ place, content: { name, restricted: is_restricted, result_detail_max_chars } }) => {
    return { ...place, name, deleted: false, restricted: is_restricted, result_detail_max_chars }
  })
  // A check for all monitors comes back to the shared fleet once nothing restricts it.
  const freed = places.filter((place, at) => replaced[at]?.place.restricted && !place.restricted && place.all_monitors)
  await assign(trx, freed, 'all')
  const hidden = places.filter((_, at) => replaced[at]?.content.url === '' && replaced[at].before?.url !== '')
  if (hidden.length > 0) await forgetQuotes(trx, deps, org_id, hidden)
  await endUnfounded(trx, deps, org_id, replaced)
  return places
}

/** Ends, without an alert, incidents and degradations of paused checks, and degradations without a rule. */
async function endUnfounded(trx: Trx, deps: Deps, org_id: number, replaced: readonly ReplacedCheck[]): Promise<void> {
  const ended_at = fromDate(deps.clock.now())
  const paused = idsOf(replaced.filter(({ content }) => !content.enabled))
  if (paused.length > 0) {
    await closingKept(trx, deps, { org_id, check_ids: paused, reason: 'paused' }, () =>
      stopChecks(trx, org_id, paused, { ended_at, end_reason: 'disabled' }),
    )
  }
  const enabled = replaced.filter(({ content }) => content.enabled)
  const unjudged = enabled.filter(({ before, content }) => isOfServer(before) && !isOfServer(content))
  if (unjudged.length > 0) await endJudgements(trx, org_id, idsOf(unjudged), ended_at)
  const byKinds = Map.groupBy(enabled, ({ content }) => unfoundedKinds(content).join(' '))
  for (const [text, same] of byKinds) {
    if (text === '') continue
    const [kinds, check_ids] = [text.split(' ') as DegradationKind[], idsOf(same)]
    await closingKept(trx, deps, { org_id, check_ids, reason: 'rules', kinds }, () =>
      endDegradations(trx, org_id, check_ids, { ended_at, end_reason: 'rules' }, kinds),
    )
  }
}

function isOfServer(content: CheckFields | undefined): boolean {
  return content !== undefined && isTargetOfServer(content.url)
}

function idsOf(replaced: readonly ReplacedCheck[]): number[] {
  return replaced.map(({ place: { check_id } }) => check_id)
}

/** Whether results from before an edit say nothing about the check after it. */
function isBreak(before: CheckFields, after: CheckFields): boolean {
  if (!before.enabled && after.enabled) return true
  return changedFields(before, after).some((field) => rowOf(field).changesResults)
}
