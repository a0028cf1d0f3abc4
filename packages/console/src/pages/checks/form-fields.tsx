// Renders the fields of a check's form, from the rows that describe its fields.
import { type FieldName, rowOf } from '@dogwatch/check-rules/fields'
import { faultOfRetries } from '@dogwatch/check-rules/retries'
import { HIDDEN, secretsIn } from '@dogwatch/check-rules/secrets'
import { OPTION_FIELDS } from '@dogwatch/check-rules/target-options'
import { ableWords, canRun } from '@dogwatch/domain/checks/able'
import { downWithin } from '@dogwatch/domain/checks/unconfirmed'
import { duration } from '../../parts/duration.ts'
import { Choice, Field, FieldFault, Tick } from '../../parts/field.tsx'
import { useFault } from '../../parts/form-faults.tsx'
import type { FormFault } from '../../refusal.ts'
import { Link } from '../../rights.tsx'
import { nameAndCity } from '../monitors/parts.tsx'
import { AssertionFields } from './assertion-fields.tsx'
import { type CheckDraft, optionInput, urlOf, type Who } from './draft.ts'
import { FOR_RUNS, namesOf, notFor, type PartName, usualOf, valueOf } from './form-parts.ts'
import type { CheckFormData, CheckFormProps } from './form-shape.ts'
import { TargetField } from './kind-fields.tsx'
import { Summary } from './part-summary.tsx'

const WHO: readonly (readonly [Who, string])[] = [
  ['all', 'All monitors, including any added later'],
  ['chosen', 'Selected monitors'],
  ['none', 'No monitors'],
]

export function MonitorPart(shown: CheckFormProps) {
  const { draft } = shown
  const { fault, autofocus } = useFault('monitors')
  return (
    <fieldset
      id="field-monitors"
      aria-describedby={fault === undefined ? undefined : 'field-monitors-fault'}
      {...FOR_RUNS}
    >
      <legend>Monitors</legend>
      <p class="hint">
        A monitor is an agent that runs checks from one location. If you select several monitors, they take turns.
      </p>
      <AbleHint {...shown} />
      <FieldFault id="field-monitors" fault={fault} />
      <input type="hidden" name="shown_who" value={draft.shown.who} />
      {draft.shown.monitors.map((id) => (
        <input type="hidden" name="shown_monitors" value={id} />
      ))}
      {WHO.map(([who, text]) => (
        <div class="tick">
          <label>
            <input
              type="radio"
              name="who"
              value={who}
              checked={draft.who === who}
              autofocus={draft.who === who && autofocus}
            />{' '}
            {text}
          </label>
          {who === 'chosen' ? <MonitorTicks {...shown} /> : null}
        </div>
      ))}
      {namesOf('monitors').map((field) => (
        <Input field={field} {...shown} />
      ))}
    </fieldset>
  )
}

/** Says how many of the enabled monitors can run the target of the form, unless all can. */
function AbleHint({ draft, options }: Pick<CheckFormProps, 'draft' | 'options'>) {
  const words = ableWords(
    contentOf(draft),
    options.filter(({ is_on }) => is_on),
  )
  return words === undefined ? null : <p class="hint">{`${words}.`}</p>
}

function MonitorTicks({ draft, options }: Pick<CheckFormProps, 'draft' | 'options'>) {
  if (options.length === 0) {
    return (
      <p class="hint">
        No monitors yet. <Link href="/monitors">Add a monitor</Link>.
      </p>
    )
  }
  const ticks = (
    <div class="inset">
      {options.map((monitor) => (
        <Tick
          name="monitors"
          value={monitor.id}
          checked={draft.monitors.includes(monitor.id)}
          label={`${nameAndCity(monitor)}${monitor.is_on ? '' : ' (disabled)'}${canRun(contentOf(draft), monitor) ? '' : ' (cannot run this check)'}`}
        />
      ))}
    </div>
  )
  if (options.length <= MOST_UNFOLDED) return ticks
  const chosen = options.filter(({ id }) => draft.monitors.includes(id)).length
  return (
    <details class="inset" open={draft.who === 'chosen'}>
      <summary>
        {chosen} of {options.length} selected
      </summary>
      {ticks}
    </details>
  )
}

const MOST_UNFOLDED = 8

const contentOf = (draft: CheckDraft) => ({ ...draft.texts, ...draft.ticks, url: urlOf(draft) })

export const PARTS = [
  { part: 'rules', heading: 'Success criteria' },
  { part: 'request', heading: 'Request' },
  { part: 'alerts', heading: 'Alerting and retention' },
] as const

/** Renders a section, folded to a summary of the fields that are set. It is unfolded if a field needs correction. */
export function Part({ part, heading, ...shown }: CheckFormProps & { part: PartName; heading: string }) {
  const { draft, faults } = shown
  const names = namesOf(part)
  const isFaulty = faults.some(({ input }) => names.some((field) => field === fieldOf(input)))
  return (
    <details class="part" open={isFaulty}>
      <summary>
        {heading} <Summary part={part} draft={draft} />
      </summary>
      {part === 'alerts' ? <ToldWithin {...shown} /> : null}
      {names.map((field) => (
        <Input field={field} {...shown} />
      ))}
    </details>
  )
}

/** Renders how soon a failure counts as down, calculated from the values in the form when it was loaded. */
function ToldWithin({ draft, options }: Pick<CheckFormProps, 'draft' | 'options'>) {
  const { who, monitors, texts, ticks } = draft
  const running = options.filter(
    ({ id, is_on }) => is_on && (who === 'all' || (who === 'chosen' && monitors.includes(id))),
  )
  const numberIn = (field: keyof typeof texts) => Number(texts[field])
  const interval_sec = numberIn('interval_sec')
  const down = { down_interval_sec: numberIn('down_interval_sec'), down_places: numberIn('down_places') }
  if (![interval_sec, ...Object.values(down)].every(Number.isFinite)) return null
  const within = downWithin({ interval_sec, ...down, down_majority: ticks.down_majority }, running.length)
  const retry = { retry_count: numberIn('retry_count'), retry_interval_sec: numberIn('retry_interval_sec') }
  const idle = faultOfRetries({ interval_sec, ...retry, timeout_sec: numberIn('timeout_sec') }, running.length)
  const retries = idle === undefined ? null : <p class="hint" {...FOR_RUNS}>{`The number of retries ${idle}.`}</p>
  if (within === undefined) return retries
  const of = `${running.length} ${running.length === 1 ? 'monitor' : 'monitors taking turns'}`
  return (
    <div {...FOR_RUNS}>
      <p class="hint">
        If the check fails on every monitor, it goes down within about {within}. This estimate uses the settings from
        when you opened the form: one run every {duration(interval_sec)}, {of}.
      </p>
      {retries}
    </div>
  )
}

const ORDER: readonly (string | undefined)[] = [
  'name',
  'url',
  ...OPTION_FIELDS.map(({ name }) => optionInput(name)),
  ...namesOf('top'),
  'monitors',
  ...namesOf('monitors'),
  ...PARTS.flatMap(({ part }) => namesOf(part)),
]

/** Sorts faults into the order of the page. Those of the form as a whole come first. */
export function inOrder(faults: readonly FormFault[]): FormFault[] {
  return faults.toSorted((a, b) => ORDER.indexOf(fieldOf(a.input)) - ORDER.indexOf(fieldOf(b.input)))
}

/** Returns the field of an input. Each assertion has inputs of its own. */
function fieldOf(input: string | undefined): string | undefined {
  return input?.startsWith('assertions-') ? 'assertions' : input
}

type Settings = CheckFormData['settings']

/** Returns ` on the … plan` for the name of a plan. Returns an empty text for custom limits, because these are no plan. */
export function onPlan(name: string): string {
  return name === 'custom' ? '' : ` on the ${name} plan`
}

/** Hints that mention the plan's limits. */
const PLAN_HINTS: Readonly<Partial<Record<FieldName, (settings: Settings) => string | undefined>>> = {
  interval_sec: ({ plan, plan_name }) =>
    `The check runs once per interval, on one monitor at a time. Minimum${onPlan(plan_name)}: ${plan.min_interval_sec} s.`,
  timeout_sec: ({ plan, plan_name }) => `Leave empty for 10 s. Maximum${onPlan(plan_name)}: ${plan.max_timeout_sec} s.`,
  cert_expiry_warn_days: ({ plan, plan_name }) =>
    plan.allows_cert_expiry ? undefined : `Not available${onPlan(plan_name)}.`,
  cert_warn_days: ({ plan, plan_name }) => (plan.allows_cert_expiry ? undefined : `Not available${onPlan(plan_name)}.`),
  cert_warn_percent: ({ plan, plan_name }) =>
    plan.allows_cert_expiry ? undefined : `Not available${onPlan(plan_name)}.`,
}

/** Renders the input of one field, from its row. Scripts hide it if it does not apply and is empty. */
export function Input({ field, ...shown }: CheckFormProps & { field: FieldName }) {
  const attribute = notFor(field)
  if (Object.keys(attribute).length === 0) return <BareInput field={field} {...shown} />
  return (
    <div {...attribute}>
      <BareInput field={field} {...shown} />
    </div>
  )
}

function BareInput({ field, draft, settings, mayBePrivate, others, options }: CheckFormProps & { field: FieldName }) {
  const row = rowOf(field)
  const value = valueOf(draft, field)
  const ownHint = PLAN_HINTS[field]?.(settings) ?? hintOfHidden(field, value)
  const hint = ownHint ?? row.hint
  const given = { name: field, label: row.label, hint }
  if (row.kind === 'yes-no') return <Tick {...given} checked={value === true} />
  const text = { ...given, value: String(value), required: row.isRequired === true }
  if (field === 'depends_on') return <DependsOn {...text} others={others} options={options} />
  switch (row.kind) {
    case 'word':
      return (
        <Choice
          {...text}
          value={SAID.includes(text.value) ? '' : text.value}
          options={row.words.filter(([word]) => !SAID.includes(word))}
        />
      )
    case 'whole':
      return <Field {...text} unit={row.unit} data-usual={usualOf(field)} type="number" min={row.min} max={row.max} />
    case 'assertions':
      return <AssertionFields {...text} />
    case 'headers':
      return <Field {...text} rows={4} />
    case 'statuses':
      return <Field {...text} placeholder="200-299, 301" />
    case 'text':
      return <Field {...text} rows={row.rows} />
    case 'tags':
      return <Field {...text} placeholder="web, production" />
    case 'url':
      return <TargetField {...text} hint={ownHint} required={!mayBePrivate} />
  }
}

/** Returns what to do about a hidden value, if the field has one. */
function hintOfHidden(field: FieldName, value: string | boolean): string | undefined {
  if (field === 'headers') return String(value).includes(`: ${HIDDEN}`) ? HIDDEN_HINT : undefined
  if (field !== 'url' && field !== 'post_data' && field !== 'proxy') return undefined
  return secretsIn({ [field]: String(value) }).some((secret) => secret.value === HIDDEN) ? HIDDEN_HINT : undefined
}

const HIDDEN_HINT = `Secrets are shown as ${HIDDEN}. Leave ${HIDDEN} to keep the stored value. If you change the scheme, host or port of the target, enter the secrets again.`

/** Values with the same meaning as the empty value. The form offers the empty value in their place. */
const SAID: readonly string[] = ['contains', 'any']

type DependsOnProps = Pick<CheckFormProps, 'others' | 'options'> & {
  name: string
  label: string
  value: string
  hint?: string | undefined
}

function DependsOn({ others, options, ...choice }: DependsOnProps) {
  const count = Map.groupBy(others, ({ name }) => name)
  const checks = others.map(({ guid, name }): [string, string] => [
    guid,
    (count.get(name)?.length ?? 0) > 1 ? `${name} (${guid.slice(0, 8)})` : name,
  ])
  const monitors = options.map((monitor): [string, string] => [monitor.id, nameAndCity(monitor)])
  const isKnown = choice.value === '' || [...checks, ...monitors].some(([value]) => value === choice.value)
  const lost: [string, string][] = isKnown ? [] : [[choice.value, `${choice.value.slice(0, 64)} (not found)`]]
  return (
    <Choice
      {...choice}
      options={[['', 'None'], ...lost]}
      groups={[
        { label: 'Checks', options: checks },
        { label: 'Monitors', options: monitors },
      ]}
    />
  )
}
