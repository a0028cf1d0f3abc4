// The form of a check: a new one, a copy of another, or one that is changed.
import type { VNode } from 'preact'
import { createCheck, editCheck } from '../../../domain/checks/define.ts'
import { readMonitorOptions } from '../../../domain/checks/inspect.ts'
import { readOneCheck } from '../../../domain/checks/read.ts'
import { readSettings } from '../../../domain/organisations/entitlements.ts'
import { PostForm } from '../../frame.tsx'
import { Choice, Fault, Field, Tick } from '../../parts/field.tsx'
import { refusal } from '../../refusal.ts'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { type Draft, choiceOf, draftFrom, draftOf, entryOf, type Who } from './draft.ts'
import { editorOf } from './editor.ts'
import { LABELS, MATCH_WORDS, QUOTED, STATUS_WORDS } from './words.ts'

type Options = Awaited<ReturnType<typeof readMonitorOptions>>
type Settings = Awaited<ReturnType<typeof readSettings>>

interface Shown {
  title: string
  action: string
  button: string
  draft: Draft
  /** Whether the form may make the definition private: of one that is there already, that has a page of its own. */
  mayBePrivate: boolean
  fault?: string
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

type Form = Omit<Shown, 'options' | 'settings'>

function newForm(draft: Draft): Form {
  return { title: 'New check', action: '/checks/new', button: 'Make it', draft, mayBePrivate: true }
}

function editForm({ guid, name, url }: { guid: string; name: string; url: string }, draft: Draft): Form {
  return { title: `Edit ${name}`, action: `/checks/${guid}/edit`, button: 'Save', draft, mayBePrivate: url === '' }
}

interface Known {
  options: Options
  settings: Settings
}

async function draw(
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

function blank({ settings: { plan } }: Known): Draft {
  const texts = {
    name: '',
    url: '',
    post_data: '',
    match_string: '',
    match_mode: '',
    status_code_op: '',
    interval_sec: String(Math.max(60, plan.min_interval_sec)),
    timeout_sec: '',
    status_code_value: '',
    cert_expiry_warn_days: '',
    max_response_time_ms: '',
    result_detail_max_chars: '256',
    down_interval_sec: '',
    resend_interval_sec: '',
    headers: '',
  }
  const ticks = {
    enabled: true,
    restricted: false,
    disable_redirects: false,
    insecure_skip_verify: false,
    invert_result: false,
  }
  return { texts, ticks, isPrivate: false, who: 'all', monitors: [], shown: { who: 'all', monitors: [] } }
}

function CheckForm(shown: Shown): VNode {
  const { title, action, button, draft, mayBePrivate, fault, settings } = shown
  const { texts, ticks } = draft
  const { plan, plan_name } = settings
  return (
    <section class="narrow">
      <h1>{title}</h1>
      <Fault line={fault} />
      {action === '/checks/new' ? <Room {...settings} /> : null}
      <PostForm action={action}>
        <Field name="name" label={LABELS.name} value={texts.name} required />
        <Field
          name="url"
          label={LABELS.url}
          value={texts.url}
          hint="https:// or http:// fetches a page, tcp://host:port connects, tls://host:port does a TLS handshake."
          placeholder="https://example.com/"
          required={!mayBePrivate}
        />
        {mayBePrivate ? (
          <Tick
            name="private"
            label="The definition is private"
            checked={draft.isPrivate}
            hint="Leave the target and all that says how to ask and what to look for empty: they are written in the agents of your own monitors, and are not known here."
          />
        ) : null}
        <Field
          name="interval_sec"
          label={LABELS.interval_sec}
          type="number"
          min={1}
          value={texts.interval_sec}
          hint={`All its monitors together, taking turns. The ${plan_name} plan allows ${plan.min_interval_sec} and more.`}
          required
        />
        <Tick name="enabled" label={LABELS.enabled} checked={ticks.enabled} hint="Without it, the check is paused." />
        <Who {...shown} />
        <Rules {...shown} />
        <Request {...shown} />
        <Alerts {...shown} />
        <p class="actions">
          <button type="submit">{button}</button>
        </p>
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

function Who({ draft, options }: Shown): VNode {
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
      <Tick
        name="restricted"
        label={LABELS.restricted}
        checked={draft.ticks.restricted}
        hint="Always so for internal addresses, and for private definitions: the shared fleet never runs those."
      />
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

/** Open when something in it is set, or when something is to be mended. */
function Part(props: { title: string; isOpen: boolean; children: unknown }): VNode {
  return (
    <details class="part" open={props.isOpen}>
      <summary>{props.title}</summary>
      {props.children as VNode}
    </details>
  )
}

function isAnySet(draft: Draft, names: readonly string[]): boolean {
  const values: Readonly<Record<string, string | boolean>> = { ...draft.texts, ...draft.ticks }
  return names.some((name) => Boolean(values[name]))
}

function Rules({ draft, fault, settings: { plan, plan_name } }: Shown): VNode {
  const { texts, ticks } = draft
  const names = [
    'status_code_op',
    'match_string',
    'max_response_time_ms',
    'cert_expiry_warn_days',
    'invert_result',
    'timeout_sec',
  ]
  return (
    <Part title="When it is well" isOpen={fault !== undefined || isAnySet(draft, names)}>
      <Choice name="status_code_op" label={LABELS.status_code_op} value={texts.status_code_op} options={STATUS_WORDS} />
      <Field
        name="status_code_value"
        label={LABELS.status_code_value}
        type="number"
        min={0}
        max={599}
        value={texts.status_code_value}
        hint="100 to 599. Leave it empty when the code must be below 400."
      />
      <Choice name="match_mode" label={LABELS.match_mode} value={texts.match_mode} options={MATCH_WORDS} />
      <Field
        name="match_string"
        label={LABELS.match_string}
        rows={2}
        value={texts.match_string}
        hint="In the page, in what a tcp service says first, or in the summary of a certificate. Empty: anything will do."
      />
      <Field
        name="timeout_sec"
        label={LABELS.timeout_sec}
        type="number"
        min={0}
        max={60}
        value={texts.timeout_sec}
        hint={`Empty: 10. The ${plan_name} plan allows up to ${plan.max_timeout_sec}.`}
      />
      <Field
        name="max_response_time_ms"
        label={LABELS.max_response_time_ms}
        type="number"
        min={0}
        value={texts.max_response_time_ms}
        hint="Empty: as slow as it likes."
      />
      <Field
        name="cert_expiry_warn_days"
        label={LABELS.cert_expiry_warn_days}
        type="number"
        min={0}
        value={texts.cert_expiry_warn_days}
        hint={plan.allows_cert_expiry ? 'For https:// and tls://. Empty: never.' : `Not on the ${plan_name} plan.`}
      />
      <Tick
        name="invert_result"
        label={LABELS.invert_result}
        checked={ticks.invert_result}
        hint="For what must not be reachable."
      />
    </Part>
  )
}

function Request({ draft, fault }: Shown): VNode {
  const { texts, ticks } = draft
  const names = ['headers', 'post_data', 'disable_redirects', 'insecure_skip_verify']
  return (
    <Part title="How it asks" isOpen={fault !== undefined || isAnySet(draft, names)}>
      <Field
        name="headers"
        label={LABELS.headers}
        rows={4}
        value={texts.headers}
        hint="A line for each, as Name: value. At most 10."
      />
      <Field name="post_data" label={LABELS.post_data} rows={4} value={texts.post_data} />
      <Tick name="disable_redirects" label={LABELS.disable_redirects} checked={ticks.disable_redirects} />
      <Tick name="insecure_skip_verify" label={LABELS.insecure_skip_verify} checked={ticks.insecure_skip_verify} />
    </Part>
  )
}

function Alerts({ draft, fault }: Shown): VNode {
  const { texts } = draft
  const isOpen =
    isAnySet(draft, ['down_interval_sec', 'resend_interval_sec']) || texts.result_detail_max_chars !== '256'
  return (
    <Part title="When to tell, and what to keep" isOpen={fault !== undefined || isOpen}>
      <Field
        name="down_interval_sec"
        label={LABELS.down_interval_sec}
        type="number"
        min={0}
        value={texts.down_interval_sec}
        hint="Over all its monitors. Empty: the first failure counts."
      />
      <Field
        name="resend_interval_sec"
        label={LABELS.resend_interval_sec}
        type="number"
        min={0}
        value={texts.resend_interval_sec}
        hint="Empty: tell once."
      />
      <Field
        name="result_detail_max_chars"
        label={LABELS.result_detail_max_chars}
        type="number"
        min={0}
        max={10_000}
        value={texts.result_detail_max_chars}
        hint="Of each result. 0: nothing of what the target sent is kept."
      />
    </Part>
  )
}
