// Renders and saves the form of a route. It needs no script: an empty step follows the existing ones.
import { type ChannelRow, readChannels } from '@dogwatch/domain/channels/edit'
import { createRoute, editRoute, readRoute } from '@dogwatch/domain/routing/edit'
import { newlyLeftOut } from '@dogwatch/domain/routing/left-out'
import { GROUPS } from '@dogwatch/domain/routing/natures'
import { type NamedSubject, readSubjects } from '@dogwatch/domain/routing/preview'
import type { AlertRoute } from '@dogwatch/domain/routing/route'
import { requireRoute } from '@dogwatch/domain/routing/validate'
import {
  Choice,
  type ChoiceProps,
  describedBy,
  Field,
  FieldFault,
  TextFields,
  Tick,
  ZoneChoice,
} from '../../parts/field.tsx'
import { everyFault, type FieldRows, useFault } from '../../parts/form-faults.tsx'
import { type FormHead, formPage } from '../../parts/pages.tsx'
import { useTimes } from '../../parts/time.tsx'
import { byClock, dayInput } from '../../parts/typed-time.ts'
import type { FormFault } from '../../refusal.ts'
import { type Answer, type MemberContext, nameParam, type PageAnswer, redirect } from '../../route.ts'
import {
  BLANK,
  type Draft,
  draftFrom,
  draftOf,
  MOST_WEEKS,
  SCOPE_WORDS,
  type ScopeDraft,
  type StepDraft,
  stepsShown,
  wantedOf,
} from './draft.ts'
import { leftOutWords } from './left-out-words.ts'
import { DAYS } from './list.tsx'

/** Fields of a scope, for routes and for maintenance windows. */
export const SCOPE_ROWS: FieldRows<ScopeDraft> = {
  scope: { label: 'Scope', right: { scope: 'all', tags: '', chosen: [] } },
  tags: { label: 'Tags', hint: 'Separate tags with commas.', right: { tags: '' } },
  chosen: { label: 'Checks and heartbeats', right: { chosen: [] } },
}
const ROWS: FieldRows<Draft> = {
  name: { label: 'Name', required: true, right: { name: 'x' } },
  ...SCOPE_ROWS,
  events: { label: 'Alert types', right: { events: [] } },
  severity: { label: 'Severity', right: { severity: '' } },
  delay_sec: {
    label: 'Delay',
    input: 'delay',
    hint: 'How long to wait before notifying, for example 5 min. No alert is sent if the problem recovers first. Leave empty to notify immediately.',
    right: { delay: '' },
  },
  zone: { label: 'Time zone', right: { zone: 'UTC' } },
  quiet: { label: 'Quiet hours', input: 'quiet_from', right: { quiet_from: '', quiet_to: '' } },
  steps: { label: 'Escalation steps' },
}
/** Number of empty weeks to show after the weeks that a rotation has. */
const SPARE_WEEKS = 2

export async function newRoutePage(context: MemberContext): Promise<PageAnswer> {
  const title = 'Create route'
  const stored = { ...BLANK, zone: context.times.zone }
  return draw(context, stored, { title, action: '/channels/routes/new', button: title })
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  const leftOut = await newlyLeftOut(deps, org.org_id, () => createRoute(deps, org.org_id, wantedOf(draft), viewer))
  return redirect('/channels/routes', `${draft.name} created.${leftOutWords(leftOut)}`)
}

export async function editRoutePage(context: MemberContext): Promise<PageAnswer> {
  const route = await routeOf(context)
  const action = `/channels/routes/${route.guid}/edit`
  return draw(context, draftOf(route), { title: `Edit ${route.name}`, action, button: 'Save changes' })
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const draft = draftFrom(form)
  const { guid } = await routeOf(context)
  const edit = () => editRoute(deps, { org_id: org.org_id, guid }, wantedOf(draft), viewer)
  const leftOut = await newlyLeftOut(deps, org.org_id, edit)
  return redirect('/channels/routes', `${draft.name} saved.${leftOutWords(leftOut)}`)
}

export function faultsOfRoute(error: unknown, { form }: MemberContext): FormFault[] {
  return everyFault(error, ROWS, draftFrom(form), (one) => requireRoute(wantedOf(one)))
}

export function routeOf(context: MemberContext): Promise<AlertRoute> {
  return readRoute(context.deps, context.org.org_id, nameParam(context, 'route'))
}

async function draw(context: MemberContext, stored: Draft, form: FormHead): Promise<PageAnswer> {
  const { deps, org, refused } = context
  const draft = refused ? draftFrom(refused.form) : stored
  const [channels, subjects] = await Promise.all([readChannels(deps, org.org_id), readSubjects(deps, org.org_id)])
  const fields = (
    <>
      <TextFields rows={ROWS} names={['name']} draft={draft} />
      <Tick name="enabled" label="Enabled" checked={draft.enabled} hint="A disabled route is ignored." />
      <ScopeFields draft={draft} subjects={subjects} />
      <fieldset>
        <legend>Alert types</legend>
        <p class="hint">Select none to include every alert type.</p>
        <div class="actions">
          {Object.entries(GROUPS).map(([group, label]) => (
            <Tick name="events" value={group} label={label} checked={draft.events.includes(group)} />
          ))}
        </div>
        <Choice
          name="severity"
          label="Severity"
          value={draft.severity}
          hint="Sets the priority in channels that support priorities, such as ntfy."
          options={[
            ['', 'Default for the alert type'],
            ['critical', 'Critical'],
            ['warning', 'Warning'],
            ['info', 'Info'],
          ]}
        />
      </fieldset>
      <WhenFields draft={draft} />
      <StepsFault />
      {stepsShown(draft).map((step, n) => (
        <StepFields n={n} step={step} channels={channels} />
      ))}
    </>
  )
  return formPage({ ...form, crumbs: [{ href: '/channels/routes', label: 'Routes' }], fields })
}

/** Renders the fault of the steps above the first one, because steps consist of several fields. */
function StepsFault() {
  const { fault } = useFault('steps')
  return fault === undefined ? null : (
    <p class="field-fault" id="field-steps">
      {fault}
    </p>
  )
}

/** Renders the choice of a scope: everything, items with a tag, or selected items. */
export function ScopeFields({ draft, subjects }: { draft: ScopeDraft; subjects: readonly NamedSubject[] }) {
  return (
    <fieldset>
      <legend>Scope</legend>
      <Choice name="scope" label="Scope" value={draft.scope} options={Object.entries(SCOPE_WORDS)} />
      <div data-scope="tags">
        <TextFields rows={SCOPE_ROWS} names={['tags']} draft={draft} />
      </div>
      <div data-scope="chosen">
        <Many
          name="chosen"
          label="Checks and heartbeats"
          values={draft.chosen}
          options={subjects.map(({ kind, guid, name }) => [`${kind} ${guid}`, `${name} (${kind})`])}
        />
      </div>
    </fieldset>
  )
}

function WhenFields({ draft }: { draft: Draft }) {
  const times = useTimes()
  return (
    <fieldset>
      <legend>Timing</legend>
      <TextFields rows={ROWS} names={['delay_sec']} draft={draft} />
      <ZoneChoice name="zone" value={draft.zone} hint="Used for quiet hours and the on-call rotation." />
      <Field
        name="quiet_from"
        label="Quiet hours start"
        value={byClock(draft.quiet_from, times)}
        hint={`For example, ${byClock('22:00', times)}. Leave empty for no quiet hours.`}
      />
      <Field
        name="quiet_to"
        label="Quiet hours end"
        value={byClock(draft.quiet_to, times)}
        hint={`For example, ${byClock('07:00', times)}. Held alerts are sent at this time.`}
      />
      <p class="hint">Days on which quiet hours start. If you select none, quiet hours start every day.</p>
      <div class="actions">
        {DAYS.map((day, n) => (
          <Tick
            name="quiet_days"
            value={String(n + 1)}
            label={day}
            checked={draft.quiet_days.includes(String(n + 1))}
          />
        ))}
      </div>
      <Tick
        name="quiet_holds_down"
        label="Apply quiet hours to Down and Recovered alerts too"
        checked={draft.quiet_holds_down}
        hint="If this is off, Down and Recovered alerts are sent even during quiet hours."
      />
    </fieldset>
  )
}

function StepFields({ n, step, channels }: { n: number; step: StepDraft; channels: readonly ChannelRow[] }) {
  const times = useTimes()
  const options = channels.map(({ id, name, enabled }) => [String(id), enabled ? name : `${name} (disabled)`] as const)
  const slots = Math.min(step.weeks.length + SPARE_WEEKS, MOST_WEEKS)
  return (
    <fieldset>
      <legend>{n === 0 ? 'Step 1: notify first' : `Step ${n + 1}: escalation`}</legend>
      {n === 0 ? null : (
        <Field
          name={`step${n}-after`}
          label={`Delay for step ${n + 1}`}
          value={step.after}
          hint="If the incident is not acknowledged, these channels are notified this long after step 1, for example 15 min. Leave empty to skip this step."
        />
      )}
      {options.map(([id, label]) => (
        <Tick name={`step${n}-channels`} value={id} label={label} checked={step.channels.includes(id)} />
      ))}
      <details open={step.weeks.length > 0}>
        <summary>On-call rotation (weekly)</summary>
        {Array.from({ length: slots }, (_, week) => (
          <Choice
            name={`step${n}-weeks`}
            id={`step${n}-week${week}`}
            label={`Week ${week + 1}, step ${n + 1}`}
            value={step.weeks[week] ?? ''}
            options={[['', 'No one'], ...options]}
          />
        ))}
        <Field
          name={`step${n}-starts_on`}
          label={`Rotation start date, step ${n + 1}`}
          {...dayInput(step.starts_on)}
          hint="In the route’s time zone."
        />
        <Field
          name={`step${n}-at`}
          label={`Handover time, step ${n + 1}`}
          value={byClock(step.at, times)}
          hint={`Defaults to ${byClock('09:00', times)}.`}
        />
      </details>
    </fieldset>
  )
}

type ManyProps = Pick<ChoiceProps, 'name' | 'label' | 'options'> & { values: readonly string[] }

/** Renders a list that allows any number of choices. */
function Many({ name, label, values, options }: ManyProps) {
  const id = `field-${name}`
  const { fault, autofocus } = useFault(name)
  const size = Math.min(8, Math.max(2, options.length))
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} multiple size={size} autofocus={autofocus} {...describedBy(id, { fault })}>
        {options.map(([value, text]) => (
          <option value={value} selected={values.includes(value)}>
            {text}
          </option>
        ))}
      </select>
      <FieldFault id={id} fault={fault} />
    </div>
  )
}
