// Renders and saves the form of a maintenance window.
import { createWindow, editWindow, readWindow } from '@dogwatch/domain/maintenance/edit'
import { type EditedWindow, type MaintenanceWindow, requireWindow } from '@dogwatch/domain/maintenance/window'
import { wallTime } from '@dogwatch/domain/people/wall-clock'
import { readSubjects } from '@dogwatch/domain/routing/preview'
import type { Form } from '../../form.ts'
import { duration, readDuration } from '../../parts/duration.ts'
import { Choice, Field, TextFields, Tick, ZoneChoice } from '../../parts/field.tsx'
import { everyFault, type FieldRows } from '../../parts/form-faults.tsx'
import { type FormHead, formPage } from '../../parts/pages.tsx'
import { dayTimeInput, in24Hours } from '../../parts/typed-time.ts'
import type { FormFault } from '../../refusal.ts'
import { type Answer, type MemberContext, nameParam, type PageAnswer, redirect } from '../../route.ts'
import { type ScopeDraft, scopeDraft, scopeFrom, scopeOf } from '../routing/draft.ts'
import { SCOPE_ROWS, ScopeFields } from '../routing/form.tsx'

const ROWS: FieldRows<Draft> = {
  name: { label: 'Name', required: true, right: { name: 'x' } },
  ...SCOPE_ROWS,
  starts_at: { label: 'Starts' },
  zone: { label: 'Time zone', right: { zone: 'UTC' } },
  duration_sec: {
    label: 'Duration',
    input: 'duration',
    hint: 'For example, 2 h.',
    required: true,
    right: { duration: '1 h' },
  },
  rule: {
    label: 'Custom rule',
    hint: 'A calendar rule (RFC 5545), for example FREQ=MONTHLY;BYDAY=2TU for the second Tuesday of each month.',
    right: { repeat: 'once' },
  },
}

/** Choices of how a window repeats: value, label and rule. A custom rule has a field of its own. */
const REPEATS = [
  ['once', 'Does not repeat', null],
  ['daily', 'Daily', 'FREQ=DAILY'],
  ['weekly', 'Weekly on the same day', 'FREQ=WEEKLY'],
  ['monthly', 'Monthly on the same date', 'FREQ=MONTHLY'],
  ['custom', 'Custom', undefined],
] as const

const TEXTS = ['name', 'starts_at', 'duration', 'zone', 'repeat', 'rule'] as const

interface Draft extends ScopeDraft, Record<(typeof TEXTS)[number], string> {
  is_public: boolean
}

function draftFrom(form: Form): Draft {
  return { ...form.texts(TEXTS), ...scopeFrom(form), is_public: form.isOn('is_public') }
}

function draftOf({ name, scope, starts_at, duration_sec, zone, rule, is_public }: MaintenanceWindow): Draft {
  const repeat = REPEATS.find(([, , known]) => known === rule)?.[0] ?? 'custom'
  return {
    name,
    ...scopeDraft(scope),
    starts_at: starts_at.replace('T', ' '),
    duration: duration(duration_sec),
    zone,
    repeat,
    rule: repeat === 'custom' ? (rule ?? '') : '',
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
    rule: repeat === 'custom' ? rule : (REPEATS.find(([value]) => value === repeat)?.[2] ?? null),
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

export async function newWindowPage(context: MemberContext): Promise<PageAnswer> {
  const title = 'Create maintenance window'
  const stored = blank(context.deps.clock.now(), context.times.zone)
  return draw(context, stored, { title, action: '/channels/maintenance/new', button: title })
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  await createWindow(deps, org.org_id, wantedOf(draft), viewer)
  return redirect('/channels/maintenance', `${draft.name} created.`)
}

export async function editWindowPage(context: MemberContext): Promise<PageAnswer> {
  const window = await windowOf(context)
  const action = `/channels/maintenance/${window.guid}/edit`
  return draw(context, draftOf(window), { title: `Edit ${window.name}`, action, button: 'Save changes' })
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const draft = draftFrom(form)
  const { guid } = await windowOf(context)
  await editWindow(deps, { org_id: org.org_id, guid }, wantedOf(draft), viewer)
  return redirect('/channels/maintenance', `${draft.name} saved.`)
}

export function faultsOfWindow(error: unknown, { deps, times, form }: MemberContext): FormFault[] {
  const now = deps.clock.now()
  // Adds a correct start, which depends on the present time.
  const rows = { ...ROWS, starts_at: { label: 'Starts', right: { starts_at: blank(now, times.zone).starts_at } } }
  return everyFault(error, rows, draftFrom(form), (one) => requireWindow(wantedOf(one), now))
}

export function windowOf(context: MemberContext): Promise<MaintenanceWindow> {
  return readWindow(context.deps, context.org.org_id, nameParam(context, 'window'))
}

async function draw(context: MemberContext, stored: Draft, form: FormHead): Promise<PageAnswer> {
  const { deps, org, refused } = context
  const draft = refused ? draftFrom(refused.form) : stored
  const fields = (
    <>
      <TextFields rows={ROWS} names={['name']} draft={draft} />
      <ScopeFields draft={draft} subjects={await readSubjects(deps, org.org_id)} />
      <fieldset>
        <legend>Schedule</legend>
        <Field
          name="starts_at"
          label="Starts"
          {...dayTimeInput(draft.starts_at)}
          hint="In the time zone below. Must be in the future."
          required
        />
        <ZoneChoice
          name="zone"
          value={draft.zone}
          hint="If a clock change skips the start time, the window starts 1 h later. If the start time occurs twice, the window starts at the first occurrence."
        />
        <TextFields rows={ROWS} names={['duration_sec']} draft={draft} />
        <Choice
          name="repeat"
          label="Repeats"
          value={draft.repeat}
          options={REPEATS.map(([value, label]) => [value, label])}
        />
        <TextFields rows={ROWS} names={['rule']} draft={draft} />
      </fieldset>
      <Tick
        name="is_public"
        label="Show on status page"
        checked={draft.is_public}
        hint="Shows the name of the window if the window affects a check or heartbeat on the status page."
      />
    </>
  )
  return formPage({ ...form, crumbs: [{ href: '/channels/maintenance', label: 'Maintenance' }], fields })
}
