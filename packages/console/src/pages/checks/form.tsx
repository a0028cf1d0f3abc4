// Renders and saves the form of a check: for a new one, for a copy, or for editing.
import { DEFAULT_RETRY_DELAY_SEC } from '@dogwatch/check-rules/retries'
import type { MonitorChoice } from '@dogwatch/domain/checks/assign'
import { createCheck, editCheck } from '@dogwatch/domain/checks/create-or-edit'
import { readMonitorOptions } from '@dogwatch/domain/checks/inspect'
import { type CheckRow, readOneCheck, readOtherChecks } from '@dogwatch/domain/checks/read'
import { DomainError } from '@dogwatch/domain/errors'
import { readSuggestedMembers } from '@dogwatch/domain/judged/members'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import { Button } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import { Tick } from '../../parts/field.tsx'
import { FaultyForm } from '../../parts/form-faults.tsx'
import { PostForm } from '../../post-form.tsx'
import { type Answer, type MemberContext, type PageAnswer, page, redirect } from '../../route.ts'
import {
  blankDraft,
  type CheckDraft,
  choiceOf,
  draftFrom,
  draftOf,
  readDraft,
  USUAL_PERCENT,
  type Who,
} from './draft.ts'
import { editorOf } from './editor.ts'
import { faultsOfForm } from './form-faults.ts'
import { Input, inOrder, MonitorPart, onPlan, PARTS, Part } from './form-fields.tsx'
import { FOR_RUNS, namesOf } from './form-parts.ts'
import type { CheckFormData, CheckFormProps, CheckFormShape } from './form-shape.ts'
import { KindPicker, OptionInputs } from './kind-fields.tsx'
import { TestParts } from './test-parts.tsx'

export async function newPage(context: MemberContext): Promise<PageAnswer> {
  const { from } = context.query
  if (from !== undefined) return clonePage(context, from)
  return draw(context, undefined, (known) => newForm(blank(known)))
}

export async function createOne(context: MemberContext): Promise<Answer> {
  const draft = draftFrom(context.form)
  const stored = await copiedCheck(context, draft)
  return save(context, undefined, draft, stored, newForm, async (entry, monitors) => {
    const also = { copied_from: stored?.guid }
    const { guid } = await createCheck(context.deps, editorOf(context), entry, monitors, also)
    return redirect(`/checks/${guid}`, `${draft.texts.name} created.`)
  })
}

export async function editPage(context: MemberContext): Promise<PageAnswer> {
  const check = await readOneCheck(context.deps, context.org.org_id, context.params.check ?? '')
  return draw(context, check, ({ options }) => editForm(check, draftOf(check, ...whoOf(options))))
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, params, form } = context
  const check = await readOneCheck(deps, org.org_id, params.check ?? '')
  const draft = draftFrom(form)
  const formOf = (kept: CheckDraft) => editForm(check, kept)
  return save(context, check, draft, check, formOf, async (entry, monitors) => {
    await editCheck(deps, editorOf(context), check.guid, entry, monitors)
    return redirect(`/checks/${check.guid}`, 'Changes saved.')
  })
}

/** Saves the check that a form describes, or shows the form again with all its faults. */
async function save(
  context: MemberContext,
  check: CheckRow | undefined,
  draft: CheckDraft,
  stored: CheckRow | undefined,
  formOf: (draft: CheckDraft) => CheckFormShape,
  store: (entry: Record<string, unknown>, monitors: MonitorChoice) => Promise<Answer>,
): Promise<Answer> {
  const read = readDraft(draft, stored)
  const monitors = choiceOf(draft)
  const isContradictory = typeof monitors === 'object' && 'fault' in monitors
  if (isContradictory) read.faults.push({ field: 'monitors', must: monitors.fault })
  let refused: unknown
  if (read.faults.length === 0 && !isContradictory) {
    try {
      return await store(read.entry, monitors)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      refused = error
    }
  }
  return draw(context, check, ({ settings }) => ({
    ...formOf(draft),
    faults: faultsOfForm(refused, read, settings),
  }))
}

/** Returns the check that the form began as a copy of, or undefined if it does not exist. */
export async function copiedCheck(
  { deps, org }: MemberContext,
  { copied_from }: CheckDraft,
): Promise<CheckRow | undefined> {
  if (copied_from === '') return undefined
  try {
    return await readOneCheck(deps, org.org_id, copied_from)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

async function clonePage(context: MemberContext, guid: string): Promise<PageAnswer> {
  const check = await readOneCheck(context.deps, context.org.org_id, guid)
  const copy = { ...check, name: Array.from(`Copy of ${check.name}`).slice(0, 200).join('') }
  return draw(context, check, ({ options }) =>
    newForm({ ...draftOf(copy, ...whoOf(options)), copied_from: check.guid }),
  )
}

export function newForm(draft: CheckDraft): CheckFormShape {
  return { title: 'New check', action: '/checks/new', button: 'Create check', draft, mayBePrivate: true }
}

export function editForm(
  { guid, name, url }: { guid: string; name: string; url: string },
  draft: CheckDraft,
): CheckFormShape {
  return {
    title: `Edit ${name}`,
    action: `/checks/${guid}/edit`,
    button: 'Save changes',
    draft,
    mayBePrivate: url === '',
  }
}

/** Renders the form. `check` is the check whose monitors it shows. */
export async function draw(
  { deps, org }: MemberContext,
  check: { check_id: number; guid: string } | undefined,
  form: (known: CheckFormData) => CheckFormShape,
): Promise<PageAnswer> {
  const [options, settings, others, members] = await Promise.all([
    readMonitorOptions(deps, org.org_id, check?.check_id ?? null),
    readSettings(deps, org.org_id),
    readOtherChecks(deps, org.org_id, check?.guid),
    readSuggestedMembers(deps, org.org_id),
  ])
  const { faults = [], ...shown } = form({ options, settings, others, members })
  const all = { ...shown, faults, options: options.options, settings, others, members }
  return page(shown.title, <CheckForm {...all} />, faults.length === 0 ? 200 : 400)
}

function whoOf({ options, is_for_all }: CheckFormData['options']): [Who, string[]] {
  const chosen = options.filter(({ is_assigned }) => is_assigned).map(({ id }) => id)
  return [is_for_all ? 'all' : chosen.length > 0 ? 'chosen' : 'none', chosen]
}

/** Number of monitors that is enough for a majority to outvote a wrong one. */
const OUTVOTING = 3

/** Retries of a new check. They keep a fault of some seconds from counting as downtime, however long the interval is. */
const RETRY = { retry_count: '1', retry_interval_sec: String(DEFAULT_RETRY_DELAY_SEC) }

function blank({ options: { options }, settings: { plan } }: CheckFormData): CheckDraft {
  const draft = blankDraft()
  const down_majority = options.filter(({ is_on }) => is_on).length >= OUTVOTING
  return {
    ...draft,
    texts: {
      ...draft.texts,
      ...RETRY,
      interval_sec: String(Math.max(60, plan.min_interval_sec)),
      cert_warn_percent: plan.allows_cert_expiry ? USUAL_PERCENT : '',
    },
    ticks: { ...draft.ticks, down_majority },
  }
}

function CheckForm(shown: CheckFormProps) {
  const { title, action, button, draft, mayBePrivate, faults, settings, members } = shown
  return (
    <section class="narrow">
      <PageHead title={title} crumbs={[{ href: '/checks', label: 'Checks' }]} />
      <FaultyForm faults={inOrder(faults)}>
        {action === '/checks/new' ? <Room {...settings} /> : null}
        <PostForm action={action} id="check-form">
          {/* Enter saves, whichever button comes first. */}
          <button type="submit" class="heard" tabIndex={-1} aria-hidden="true" />
          {draft.copied_from === '' ? null : <input type="hidden" name="copied_from" value={draft.copied_from} />}
          <Input field="name" {...shown} />
          <KindPicker draft={draft} />
          <Input field="url" {...shown} />
          <MemberList members={members} />
          <OptionInputs draft={draft} />
          {mayBePrivate ? (
            <div {...FOR_RUNS}>
              <Tick
                name="private"
                label="Private definition"
                checked={draft.isPrivate}
                hint="Keeps the target, request and success criteria on your own monitors, so this server never stores them. Leave these fields empty here."
              />
            </div>
          ) : null}
          {namesOf('top').map((field) => (
            <Input field={field} {...shown} />
          ))}
          <MonitorPart {...shown} />
          {PARTS.map((part) => (
            <Part {...shown} {...part} />
          ))}
          <p class="actions">
            <Button kind="primary" text={button} />
          </p>
          {draft.isPrivate ? null : <TestParts {...shown} />}
        </PostForm>
      </FaultyForm>
    </section>
  )
}

/** Renders the names that a script suggests for each member of a composite. */
function MemberList({ members }: Pick<CheckFormProps, 'members'>) {
  return (
    <datalist id="members">
      {members.map(({ name, means }) => (
        <option data-name={name} label={means} />
      ))}
    </datalist>
  )
}

function Room({ plan, plan_name, usage }: CheckFormData['settings']) {
  if (plan.max_checks === 0) return null
  return (
    <p class={usage.checks >= plan.max_checks ? 'fault' : 'hint'}>
      {`${usage.checks} of ${plan.max_checks} checks used${onPlan(plan_name)}.`}
    </p>
  )
}
