// Renders and saves the form of a maintenance window.
import { createWindow, editWindow } from '../../../domain/maintenance/edit.ts'
import { type EditedWindow, type MaintenanceWindow, requireWindow } from '../../../domain/maintenance/window.ts'
import { wallTime } from '../../../domain/people/wall-clock.ts'
import { readSubjects } from '../../../domain/routing/preview.ts'
import type { Form } from '../../form.ts'
import { Button } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../post-form.tsx'
import { duration, readDuration } from '../../parts/duration.ts'
import { Choice, Field, Tick } from '../../parts/field.tsx'
import { everyFault, FaultyForm, type FormFault } from '../../parts/form-faults.tsx'
import { dayTimeInput, in24Hours } from '../../parts/typed-time.ts'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { type ScopeDraft, scopeDraft, scopeFrom, scopeOf } from '../routing/draft.ts'
import { RIGHT_SCOPE, SCOPE_LABELS, ScopeFields, zonesWith } from '../routing/form.tsx'

const LABELS = {
  name: 'Name',
  scope: 'Scope',
  ...SCOPE_LABELS,
  starts_at: 'Starts',
  zone: 'Time zone',
  duration_sec: { label: 'Duration', input: 'duration' },
  rule: 'Custom rule',
}
/** Values without faults, by the name of the field. There is none for the start, because a correct one is not known here. */
const RIGHT: Readonly<Record<string, Partial<Draft>>> = {
  name: { name: 'x' },
  ...RIGHT_SCOPE,
  duration_sec: { duration: '1 h' },
  zone: { zone: 'UTC' },
  rule: { repeat: 'once' },
}
const RULES = new Map(
  Object.entries({
    daily: 'FREQ=DAILY',
    weekly: 'FREQ=WEEKLY',
    monthly: 'FREQ=MONTHLY',
  }),
)

interface Draft extends ScopeDraft {
  name: string
  starts_at: string
  duration: string
  zone: string
  repeat: string
  rule: string
  is_public: boolean
}

function draftFrom(form: Form): Draft {
  const text = (name: string) => form.text(name).trim()
  return {
    name: text('name'),
    ...scopeFrom(form),
    starts_at: text('starts_at'),
    duration: text('duration'),
    zone: text('zone'),
    repeat: text('repeat'),
    rule: text('rule'),
    is_public: form.isOn('is_public'),
  }
}

function draftOf({ name, scope, starts_at, duration_sec, zone, rule, is_public }: MaintenanceWindow): Draft {
  const known = [...RULES].find(([, one]) => one === rule)?.[0]
  return {
    name,
    ...scopeDraft(scope),
    starts_at: starts_at.replace('T', ' '),
    duration: duration(duration_sec),
    zone,
    repeat: rule === null ? 'once' : (known ?? 'custom'),
    rule: known === undefined ? (rule ?? '') : '',
    is_public,
  }
}

function wantedOf(draft: Draft): EditedWindow {
  const { name, starts_at, zone, repeat, rule, is_public } = draft
  return {
    name,
    scope: scopeOf(draft),
    starts_at: in24Hours(starts_at).replace(' ', 'T'),
    duration_sec: readDuration('duration_sec', draft.duration),
    zone,
    rule: repeat === 'custom' ? rule : (RULES.get(repeat) ?? null),
    is_public,
  }
}

/** Returns an empty form. The window starts at the next full hour by the clock of the person who creates it. */
function blank(now: Date, zone: string): Draft {
  const next = new Date(Math.ceil((now.getTime() + 1) / 3_600_000) * 3_600_000)
  return {
    name: '',
    scope: 'all',
    tags: '',
    chosen: [],
    starts_at: wallTime(next, zone).replace('T', ' '),
    duration: '1 h',
    zone,
    repeat: 'once',
    rule: '',
    is_public: true,
  }
}

export async function newWindowPage(
  context: MemberContext,
  draft = blank(context.deps.clock.now(), context.times.zone),
  faults: readonly FormFault[] = [],
): Promise<PageAnswer> {
  const title = 'Create maintenance window'
  return formPage(context, {
    title,
    action: '/channels/maintenance/new',
    button: 'Create maintenance window',
    draft,
    faults,
  })
}

export async function createOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const draft = draftFrom(form)
  try {
    await createWindow(deps, org.org_id, wantedOf(draft), viewer)
    return redirect('/channels/maintenance', `${draft.name} created.`)
  } catch (error) {
    return newWindowPage(context, draft, faultsIn(context, error, draft))
  }
}

export async function editWindowPage(
  context: MemberContext,
  window: MaintenanceWindow,
  draft = draftOf(window),
  faults: readonly FormFault[] = [],
): Promise<PageAnswer> {
  const action = `/channels/maintenance/${window.guid}/edit`
  return formPage(context, { title: `Edit ${window.name}`, action, button: 'Save changes', draft, faults })
}

export async function editOne(context: MemberContext, window: MaintenanceWindow): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const draft = draftFrom(form)
  try {
    await editWindow(deps, { org_id: org.org_id, guid: window.guid }, wantedOf(draft), viewer)
    return redirect('/channels/maintenance', `${draft.name} saved.`)
  } catch (error) {
    return editWindowPage(context, window, draft, faultsIn(context, error, draft))
  }
}

function faultsIn({ deps, times }: MemberContext, error: unknown, draft: Draft): FormFault[] {
  const now = deps.clock.now()
  const right = { ...RIGHT, starts_at: { starts_at: blank(now, times.zone).starts_at } }
  return everyFault(error, LABELS, { draft, right, attempt: (one) => requireWindow(wantedOf(one), now) })
}

interface WindowFormProps {
  title: string
  action: string
  button: string
  draft: Draft
  faults: readonly FormFault[]
}

async function formPage({ deps, org }: MemberContext, shown: WindowFormProps): Promise<PageAnswer> {
  const { title, action, button, draft, faults } = shown
  const subjects = await readSubjects(deps, org.org_id)
  return page(
    title,
    <section class="narrow">
      <PageHead title={title} crumbs={[{ href: '/channels/maintenance', label: 'Maintenance' }]} />
      <FaultyForm faults={faults}>
        <PostForm action={action}>
          <Field name="name" label={LABELS.name} value={draft.name} required />
          <ScopeFields draft={draft} subjects={subjects} legend={LABELS.scope} />
          <fieldset>
            <legend>Schedule</legend>
            <Field
              name="starts_at"
              label={LABELS.starts_at}
              {...dayTimeInput(draft.starts_at)}
              hint="In the time zone below. Must be in the future."
              required
            />
            <Choice
              name="zone"
              label={LABELS.zone}
              value={draft.zone}
              hint="If a clock change skips the start time, the window starts 1 h later. If the start time occurs twice, the window starts at the first occurrence."
              options={zonesWith(draft.zone).map((zone) => [zone, zone])}
            />
            <Field
              name="duration"
              label={LABELS.duration_sec.label}
              value={draft.duration}
              hint="For example, 2 h."
              required
            />
            <Choice
              name="repeat"
              label="Repeats"
              value={draft.repeat}
              options={[
                ['once', 'Does not repeat'],
                ['daily', 'Daily'],
                ['weekly', 'Weekly on the same day'],
                ['monthly', 'Monthly on the same date'],
                ['custom', 'Custom'],
              ]}
            />
            <Field
              name="rule"
              label={LABELS.rule}
              value={draft.rule}
              hint="A calendar rule (RFC 5545), for example FREQ=MONTHLY;BYDAY=2TU for the second Tuesday of each month."
            />
          </fieldset>
          <Tick
            name="is_public"
            label="Show on status page"
            checked={draft.is_public}
            hint="Shows the name of the window if the window affects a check or heartbeat on the status page."
          />
          <Button kind="primary">{button}</Button>
        </PostForm>
      </FaultyForm>
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}
