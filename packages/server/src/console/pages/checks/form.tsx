// The form of a check: for a new one, for a copy, or for editing.
import { type FieldName, type FieldRow, fieldsWith, rowOf } from '@dogwatch/check-rules/fields'
import type { VNode } from 'preact'
import { createCheck, editCheck } from '../../../domain/checks/create-or-edit.ts'
import type { AskedRun } from '../../../domain/checks/ask-run.ts'
import { readMonitorOptions } from '../../../domain/checks/inspect.ts'
import { readOneCheck } from '../../../domain/checks/read.ts'
import { readSettings } from '../../../domain/organisations/entitlements.ts'
import { PostForm } from '../../frame.tsx'
import { Choice, Fault, Field, Tick } from '../../parts/field.tsx'
import { refusal } from '../../refusal.ts'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { blankDraft, type Draft, choiceOf, draftFrom, draftOf, entryOf, type Who } from './draft.ts'
import { editorOf } from './editor.ts'
import { TestParts } from './test-parts.tsx'
import { QUOTED } from './words.ts'

type Options = Awaited<ReturnType<typeof readMonitorOptions>>
type Settings = Awaited<ReturnType<typeof readSettings>>

interface Shown {
  title: string
  action: string
  button: string
  draft: Draft
  /** Whether the form may make the definition private. An existing check has a page of its own for that. */
  mayBePrivate: boolean
  fault?: string
  /** What came of the definition when it was tested. */
  tested?: AskedRun
  /** Which monitor is to test it; empty: any. */
  test_from?: string
  options: Options['options']
  settings: Settings
}

export async function newPage(context: MemberContext): Promise<PageAnswer> {
  const { from } = context.query
  if (from !== undefined) return clonePage(context, from)
  return draw(context, null, blank, (draft) => newForm(draft))
}

export async function createOne(context: MemberContext): Promise<Answer> {
  const draft = draftFrom(context.form)
  try {
    const { guid } = await createCheck(context.deps, editorOf(context), entryOf(draft), choiceOf(draft))
    return redirect(`/checks/${guid}`, `${draft.texts.name} is made.`)
  } catch (error) {
    return draw(
      context,
      null,
      () => draft,
      (kept) => ({ ...newForm(kept), fault: refusal(error, QUOTED) }),
    )
  }
}

export async function editPage(context: MemberContext): Promise<PageAnswer> {
  const check = await readOneCheck(context.deps, context.org.org_id, context.params.check ?? '')
  return draw(
    context,
    check.check_id,
    ({ options }) => draftOf(check, ...whoOf(options)),
    (draft) => editForm(check, draft),
  )
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, params, form } = context
  const check = await readOneCheck(deps, org.org_id, params.check ?? '')
  const draft = draftFrom(form)
  try {
    await editCheck(deps, editorOf(context), check.guid, entryOf(draft, check), choiceOf(draft))
    return redirect(`/checks/${check.guid}`, 'Saved.')
  } catch (error) {
    const fault = refusal(error, QUOTED)
    return draw(
      context,
      check.check_id,
      () => draft,
      (kept) => ({ ...editForm(check, kept), fault }),
    )
  }
}

async function clonePage(context: MemberContext, guid: string): Promise<PageAnswer> {
  const check = await readOneCheck(context.deps, context.org.org_id, guid)
  const copy = { ...check, name: Array.from(`Copy of ${check.name}`).slice(0, 200).join('') }
  return draw(
    context,
    check.check_id,
    ({ options }) => draftOf(copy, ...whoOf(options)),
    (draft) => newForm(draft),
  )
}

export type Form = Omit<Shown, 'options' | 'settings'>

export function newForm(draft: Draft): Form {
  return { title: 'New check', action: '/checks/new', button: 'Make it', draft, mayBePrivate: true }
}

export function editForm({ guid, name, url }: { guid: string; name: string; url: string }, draft: Draft): Form {
  return { title: `Edit ${name}`, action: `/checks/${guid}/edit`, button: 'Save', draft, mayBePrivate: url === '' }
}

interface Known {
  options: Options
  settings: Settings
}

export async function draw(
  { deps, org }: MemberContext,
  check_id: number | null,
  fill: (known: Known) => Draft,
  form: (draft: Draft) => Form,
): Promise<PageAnswer> {
  const [options, settings] = await Promise.all([
    readMonitorOptions(deps, org.org_id, check_id),
    readSettings(deps, org.org_id),
  ])
  const shown = { ...form(fill({ options, settings })), options: options.options, settings }
  return page(shown.title, <CheckForm {...shown} />, shown.fault === undefined ? 200 : 400)
}

function whoOf({ options, is_for_all }: Options): [Who, string[]] {
  const chosen = options.filter(({ is_assigned }) => is_assigned).map(({ id }) => id)
  return [is_for_all ? 'all' : chosen.length > 0 ? 'chosen' : 'none', chosen]
}

/** So many monitors that a majority of them outvotes one that is wrong. */
const OUTVOTING = 3

function blank({ options: { options }, settings: { plan } }: Known): Draft {
  const draft = blankDraft()
  const down_majority = options.filter(({ is_on }) => is_on).length >= OUTVOTING
  return {
    ...draft,
    texts: { ...draft.texts, interval_sec: String(Math.max(60, plan.min_interval_sec)) },
    ticks: { ...draft.ticks, down_majority },
  }
}

function CheckForm(shown: Shown): VNode {
  const { title, action, button, draft, mayBePrivate, fault, settings } = shown
  return (
    <section class="narrow">
      <h1>{title}</h1>
      <Fault line={fault} />
      {action === '/checks/new' ? <Room {...settings} /> : null}
      <PostForm action={action}>
        <Input field="name" {...shown} />
        <Input field="url" {...shown} />
        {mayBePrivate ? (
          <Tick
            name="private"
            label="The definition is private"
            checked={draft.isPrivate}
            hint="Leave the target and all that says how to ask and what to look for empty: they are written in the agents of your own monitors, and are not known here."
          />
        ) : null}
        {namesOf('top').map((field) => (
          <Input key={field} field={field} {...shown} />
        ))}
        <Who {...shown} />
        {PARTS.map((part) => (
          <Part key={part.part} {...shown} {...part} />
        ))}
        <p class="actions">
          <button type="submit">{button}</button>
        </p>
        {draft.isPrivate ? null : <TestParts {...shown} />}
      </PostForm>
    </section>
  )
}

function Room({ plan, plan_name, usage }: Settings): VNode | null {
  if (plan.max_checks === 0) return null
  return (
    <p class={usage.checks >= plan.max_checks ? 'fault' : 'hint'}>
      {usage.checks} of the {plan.max_checks} checks that the {plan_name} plan allows are made.
    </p>
  )
}

const WHO: readonly (readonly [Who, string])[] = [
  ['all', 'All monitors, including ones added later'],
  ['chosen', 'Only these monitors:'],
  ['none', 'None for now'],
]

function Who(shown: Shown): VNode {
  const { draft, options } = shown
  return (
    <fieldset id="who">
      <legend>Who runs it</legend>
      <input type="hidden" name="shown_who" value={draft.shown.who} />
      {draft.shown.monitors.map((id) => (
        <input type="hidden" name="shown_monitors" value={id} key={id} />
      ))}
      {WHO.map(([who, text]) => (
        <div class="tick" key={who}>
          <label>
            <input type="radio" name="who" value={who} checked={draft.who === who} /> {text}
          </label>
          {who === 'chosen' ? <MonitorTicks draft={draft} options={options} /> : null}
        </div>
      ))}
      {namesOf('monitors').map((field) => (
        <Input key={field} field={field} {...shown} />
      ))}
    </fieldset>
  )
}

function MonitorTicks({ draft, options }: Pick<Shown, 'draft' | 'options'>): VNode {
  if (options.length === 0) {
    return (
      <p class="hint">
        There is no monitor yet. <a href="/monitors">Add one</a>.
      </p>
    )
  }
  return (
    <div class="inset">
      {options.map((monitor) => (
        <Tick
          key={monitor.id}
          name="monitors"
          value={monitor.id}
          checked={draft.monitors.includes(monitor.id)}
          label={`${monitor.name === '' ? monitor.id : monitor.name} (${monitor.city}, ${monitor.country}${monitor.is_shared ? ', shared' : ''}${monitor.is_on ? '' : ', switched off'})`}
        />
      ))}
    </div>
  )
}

type PartName = FieldRow['part']

/** Fields in an order other than that of the rows. Fields of a section that are not named here follow. */
const FIRST: Readonly<Record<PartName, readonly FieldName[]>> = {
  top: ['interval_sec'],
  monitors: [],
  rules: ['status_code_op', 'status_code_value', 'match_mode', 'match_string', 'timeout_sec', 'max_response_time_ms'],
  request: ['headers', 'post_data'],
  alerts: [
    'down_interval_sec',
    'down_majority',
    'down_places',
    'up_successes',
    'alert_every_change',
    'resend_interval_sec',
  ],
}

const PARTS = [
  { part: 'rules', title: 'When it is well' },
  { part: 'request', title: 'How it asks' },
  { part: 'alerts', title: 'When to tell, and what to keep' },
] as const

/** The fields of a section, without the name and the target, which come first in the form. */
function namesOf(part: PartName): FieldName[] {
  const names = new Set([...FIRST[part], ...fieldsWith({ part })])
  return [...names].filter((field) => field !== 'name' && field !== 'url')
}

/** These mean nothing by themselves. */
const HOLLOW: readonly FieldName[] = ['match_mode', 'status_code_value']

/** Open when something in it is set, or has to be corrected. */
function Part({ part, title, ...shown }: Shown & { part: PartName }): VNode {
  const { draft, fault } = shown
  const unset = blankDraft()
  const isSet = (field: FieldName): boolean => valueOf(draft, field) !== valueOf(unset, field)
  const names = namesOf(part)
  return (
    <details class="part" open={fault !== undefined || names.some((field) => !HOLLOW.includes(field) && isSet(field))}>
      <summary>{title}</summary>
      {names.map((field) => (
        <Input key={field} field={field} {...shown} />
      ))}
    </details>
  )
}

function valueOf({ texts, ticks }: Draft, field: FieldName): string | boolean {
  const values: Readonly<Record<FieldName, string | boolean>> = { ...texts, ...ticks }
  return values[field]
}

/** Hints that mention the plan's limits. */
const PLAN_HINTS: Readonly<Partial<Record<FieldName, (settings: Settings) => string | undefined>>> = {
  interval_sec: ({ plan, plan_name }) =>
    `All its monitors together, taking turns. The ${plan_name} plan allows ${plan.min_interval_sec} and more.`,
  timeout_sec: ({ plan, plan_name }) => `Empty: 10. The ${plan_name} plan allows up to ${plan.max_timeout_sec}.`,
  cert_expiry_warn_days: ({ plan, plan_name }) =>
    plan.allows_cert_expiry ? undefined : `Not on the ${plan_name} plan.`,
  cert_warn_days: ({ plan, plan_name }) => (plan.allows_cert_expiry ? undefined : `Not on the ${plan_name} plan.`),
}

interface InputProps extends Pick<Shown, 'draft' | 'settings' | 'mayBePrivate'> {
  field: FieldName
}

/** The input of one field, from its row. */
function Input({ field, draft, settings, mayBePrivate }: InputProps): VNode {
  const row = rowOf(field)
  const hint = PLAN_HINTS[field]?.(settings) ?? row.hint
  const value = valueOf(draft, field)
  const given = { name: field, label: row.label, ...(hint !== undefined && { hint }) }
  if (row.kind === 'yes-no') return <Tick {...given} checked={value === true} />
  const text = { ...given, value: String(value) }
  const must = row.isRequired ? { required: true } : {}
  switch (row.kind) {
    case 'word':
      return <Choice {...text} options={row.words} />
    case 'whole':
      return <Field {...text} {...must} type="number" min={row.min} max={row.max} />
    case 'headers':
      return <Field {...text} {...must} rows={4} />
    case 'text':
      return <Field {...text} {...must} {...(row.rows !== undefined && { rows: row.rows })} />
    case 'tags':
      return <Field {...text} {...must} />
    case 'url':
      return <Field {...text} placeholder="https://example.com/" required={!mayBePrivate} />
  }
}
