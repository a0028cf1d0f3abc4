// Changes several checks from the list, as a form requests, and reports the result.

import { readTagLine } from '@dogwatch/check-rules/tags'
import { type ChangeOfMany, changeChecks } from '@dogwatch/domain/checks/change-many'
import { restoreChecks } from '@dogwatch/domain/checks/deletions'
import { readList } from '@dogwatch/domain/checks/list'
import { undoSwitch } from '@dogwatch/domain/checks/undo-switch'
import { DomainError } from '@dogwatch/domain/errors'
import type { Form } from '../../form.ts'
import { faultOf } from '../../parts/form-faults.tsx'
import { type Answer, type MemberContext, redirect } from '../../route.ts'
import { editorOf } from './editor.ts'
import { drawList } from './list.tsx'
import { hrefOf, type View, viewIn } from './list-view.ts'

const LABELS = { interval_sec: 'Interval', tags: 'Tags', monitors: 'Monitors' }

/** Notices after each kind of change. `checks` is a text such as `1 check` or `7 checks`. */
const NOTICES: Readonly<Record<ChangeOfMany['kind'], (checks: string) => string>> = {
  pause: (checks) => `${checks} paused.`,
  resume: (checks) => `${checks} resumed.`,
  delete: (checks) => `${checks} deleted. You can undo this for 10 minutes.`,
  'add-tags': (checks) => `Tags added to ${checks}.`,
  'remove-tags': (checks) => `Tags removed from ${checks}.`,
  'rename-tag': (checks) => `Tag renamed on ${checks}.`,
  'set-interval': (checks) => `Interval updated for ${checks}.`,
  assign: (checks) => `Monitors updated for ${checks}.`,
}

export async function changeMany(context: MemberContext): Promise<Answer> {
  const { deps, form } = context
  const view = viewIn(form.text('view'))
  try {
    const change = changeIn(form)
    const guids = form.isOn('all_matching') ? await allMatching(context, view) : form.all('check')
    const { count, batch } = await changeChecks(deps, editorOf(context), guids, change)
    return redirect(undoableHref(view, batch), NOTICES[change.kind](checksText(count)))
  } catch (error) {
    return drawList(context, view, {
      fault: faultOf(error, LABELS).line,
      selected: new Set(form.all('check')),
      isAll: form.isOn('all_matching'),
      form,
    })
  }
}

/** Returns the path of the list. With a batch, the list has a button that undoes the pause or resume of this batch. */
function undoableHref(view: View, batch: string | undefined): string {
  const href = hrefOf(view)
  return batch === undefined ? href : `${href}${href.includes('?') ? '&' : '?'}undo=${batch}`
}

/** Undoes a pause or resume of several checks, or a deletion. */
export async function undo(context: MemberContext): Promise<Answer> {
  const { deps, form } = context
  const view = viewIn(form.text('view'))
  try {
    if (form.text('batch') === '') {
      const { count } = await restoreChecks(deps, editorOf(context), form.text('deletion'))
      return redirect(hrefOf(view), `${checksText(count)} restored.`)
    }
    const { kind, count } = await undoSwitch(deps, editorOf(context), form.text('batch'))
    return redirect(hrefOf(view), `Change undone. ${NOTICES[kind](checksText(count))}`)
  } catch (error) {
    return drawList(context, view, { fault: faultOf(error, LABELS).line })
  }
}

function checksText(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`
}

/** Returns all checks that the list would show. Refuses if their number is not the one that the page showed. */
async function allMatching({ deps, org, form }: MemberContext, { filter, sort }: View): Promise<string[]> {
  const { checks } = await readList(deps, org.org_id, filter, sort)
  const shown = form.integer('matching')
  if (checks.length !== shown) {
    throw new DomainError(
      'conflict',
      `no check was changed, because the list now contains ${checks.length} checks instead of ${shown}. Review the selection and try again`,
    )
  }
  return checks.map(({ guid }) => guid)
}

function changeIn(form: Form): ChangeOfMany {
  const kind = form.text('do')
  switch (kind) {
    case 'pause':
    case 'resume':
    case 'delete':
      return { kind }
    case 'add-tags':
    case 'remove-tags':
      return { kind, tags: readTagLine(form.text('tags')) }
    case 'set-interval': {
      const text = form.text('interval_sec').trim()
      return { kind, interval_sec: /^\d{1,15}$/.test(text) ? Number(text) : text }
    }
    case 'assign':
      return assignmentIn(form)
  }
  throw new DomainError('invalid', 'choose an action for the selected checks')
}

function assignmentIn(form: Form): ChangeOfMany {
  const monitors = form.all('monitors')
  const how = form.text('how')
  if (how === 'all') {
    if (monitors.length === 0) return { kind: 'assign', how: 'replace', monitors: 'all' }
    throw new DomainError('invalid', 'select either “All monitors” or individual monitors, not both')
  }
  if (monitors.length === 0) throw new DomainError('invalid', 'select at least one monitor, or choose “All monitors”')
  return { kind: 'assign', how: how === 'replace' ? 'replace' : 'add', monitors }
}
