// Renders and saves the form of a heartbeat: for a new one, or for editing.
import { readTagLine } from '@dogwatch/check-rules/tags'
import type { VNode } from 'preact'
import {
  createHeartbeat,
  editHeartbeat,
  type NewHeartbeat,
  requireSoundHeartbeat,
} from '../../../domain/heartbeats/edit.ts'
import type { OneHeartbeat } from '../../../domain/heartbeats/read.ts'
import type { Form } from '../../form.ts'
import { Button } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../post-form.tsx'
import { duration, readDuration } from '../../parts/duration.ts'
import { Choice, Field } from '../../parts/field.tsx'
import { everyFault, FaultyForm, type FormFault } from '../../parts/form-faults.tsx'
import { useTimes } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { NextTimes } from './parts.tsx'

/** Fields of the form, as texts. */
interface Draft {
  name: string
  /** `period` or `cron`. */
  schedule: string
  cron: string
  cron_zone: string
  interval_sec: string
  grace_sec: string
  resend_interval_sec: string
  tags: string
}

const BLANK: Draft = {
  name: '',
  schedule: 'period',
  cron: '',
  cron_zone: '',
  interval_sec: '1 d',
  grace_sec: '1 h',
  resend_interval_sec: '',
  tags: '',
}
const LABELS = {
  name: 'Name',
  interval_sec: 'Ping interval',
  cron: 'Cron expression',
  cron_zone: 'Time zone',
  grace_sec: 'Grace period',
  resend_interval_sec: 'Reminder interval',
  tags: 'Tags',
}

export function newHeartbeatPage(draft = BLANK, faults: readonly FormFault[] = []): PageAnswer {
  return formPage({ title: 'New heartbeat', action: '/heartbeats/new', button: 'Create heartbeat', draft, faults })
}

/** Values without faults, by the name of the field. */
const RIGHT: Readonly<Record<string, Partial<Draft>>> = {
  name: { name: 'x' },
  interval_sec: { interval_sec: BLANK.interval_sec },
  cron: { schedule: 'period', interval_sec: BLANK.interval_sec },
  cron_zone: { schedule: 'period', interval_sec: BLANK.interval_sec },
  grace_sec: { grace_sec: BLANK.grace_sec },
  resend_interval_sec: { resend_interval_sec: '' },
  tags: { tags: '' },
}

function faultsIn(error: unknown, draft: Draft, now: Date): FormFault[] {
  const attempt = (one: Draft) => requireSoundHeartbeat(wantedOf(one, false), now)
  return everyFault(error, LABELS, { draft, right: RIGHT, attempt })
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  try {
    const { guid } = await createHeartbeat(deps, org.org_id, wantedOf(draft, false), viewer)
    return redirect(`/heartbeats/${guid}`, `${draft.name} created. Next, add the ping URL to your job.`)
  } catch (error) {
    return newHeartbeatPage(draft, faultsIn(error, draft, deps.clock.now()))
  }
}

export function editHeartbeatPage(
  heartbeat: OneHeartbeat,
  draft = draftOf(heartbeat),
  faults: readonly FormFault[] = [],
): PageAnswer {
  const action = `/heartbeats/${heartbeat.guid}/edit`
  return formPage({ title: `Edit ${heartbeat.name}`, action, button: 'Save changes', draft, faults })
}

export async function editOne({ deps, org, viewer, form }: MemberContext, heartbeat: OneHeartbeat): Promise<Answer> {
  const draft = draftFrom(form)
  try {
    const { guid, show_on_status_page } = heartbeat
    await editHeartbeat(deps, { org_id: org.org_id, guid }, wantedOf(draft, show_on_status_page), viewer)
    return redirect(`/heartbeats/${guid}`, 'Changes saved.')
  } catch (error) {
    return editHeartbeatPage(heartbeat, draft, faultsIn(error, draft, deps.clock.now()))
  }
}

interface HeartbeatFormProps {
  title: string
  action: string
  button: string
  draft: Draft
  faults: readonly FormFault[]
}

function formPage({ title, action, button, draft, faults }: HeartbeatFormProps): PageAnswer {
  return page(
    title,
    <section class="narrow">
      <PageHead title={title} crumbs={[{ href: '/heartbeats', label: 'Heartbeats' }]} />
      <FaultyForm faults={faults}>
        <PostForm action={action}>
          <Field name="name" label={LABELS.name} value={draft.name} required />
          <ScheduleFields draft={draft} />
          <Field
            name="grace_sec"
            label={LABELS.grace_sec}
            value={draft.grace_sec}
            hint="How late a ping can be before the heartbeat goes down."
          />
          <Field
            name="resend_interval_sec"
            label={LABELS.resend_interval_sec}
            value={draft.resend_interval_sec}
            hint="How often to repeat the alert while the heartbeat is down. Leave empty for no reminders."
          />
          <Field
            name="tags"
            label={LABELS.tags}
            value={draft.tags}
            hint="Separate tags with commas. Use tags to route alerts. Tags are not case-sensitive."
          />
          <p>
            To show this heartbeat on the public status page, add the heartbeat under{' '}
            <Link href="/settings/status-page/entries">Status page content</Link>.
          </p>
          <Button kind="primary">{button}</Button>
        </PostForm>
      </FaultyForm>
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Renders the choice between a period and cron times. The server reads only the fields of the chosen one. */
function ScheduleFields({ draft }: { draft: Draft }): VNode {
  const times = useTimes()
  const zone = draft.cron_zone === '' ? times.zone : draft.cron_zone
  const zones = ZONES.includes(zone) ? ZONES : [zone, ...ZONES]
  return (
    <fieldset class="schedule">
      <legend>Schedule</legend>
      <ScheduleChoice value="period" label="Fixed interval" draft={draft} />
      <div class="of-period">
        <Field
          name="interval_sec"
          label={LABELS.interval_sec}
          value={draft.interval_sec}
          hint="How often the job pings, for example 90 s, 5 min, 1 h or 1 d."
        />
      </div>
      <ScheduleChoice value="cron" label="Cron expression" draft={draft} />
      <div class="of-cron">
        <Field
          name="cron"
          label={LABELS.cron}
          value={draft.cron}
          placeholder="30 2 * * 1-5"
          hint="Minute, hour, day of month, month, day of week. Use the same values as in your crontab."
        />
        <Choice
          name="cron_zone"
          label={LABELS.cron_zone}
          value={zone}
          options={zones.map((one) => [one, one] as const)}
          hint="Time zone of the machine that runs the job."
        />
        {draft.schedule === 'cron' ? (
          <p class="next-times">
            <NextTimes cron={draft.cron} zone={zone} />
          </p>
        ) : null}
      </div>
    </fieldset>
  )
}

function ScheduleChoice({ value, label, draft }: { value: string; label: string; draft: Draft }): VNode {
  return (
    <div class="tick">
      <label>
        <input type="radio" name="schedule" value={value} checked={draft.schedule === value} /> {label}
      </label>
    </div>
  )
}

function draftFrom(form: Form): Draft {
  return {
    name: form.text('name').trim(),
    schedule: form.text('schedule') === 'cron' ? 'cron' : 'period',
    cron: form.text('cron').trim(),
    cron_zone: form.text('cron_zone').trim(),
    interval_sec: form.text('interval_sec').trim(),
    grace_sec: form.text('grace_sec').trim(),
    resend_interval_sec: form.text('resend_interval_sec').trim(),
    tags: form.text('tags').trim(),
  }
}

function draftOf({ name, interval_sec, grace_sec, resend_interval_sec, tags, cron, cron_zone }: OneHeartbeat): Draft {
  return {
    name,
    schedule: cron === null ? 'period' : 'cron',
    cron: cron ?? '',
    cron_zone: cron_zone ?? '',
    interval_sec: cron === null ? duration(interval_sec) : BLANK.interval_sec,
    grace_sec: duration(grace_sec),
    resend_interval_sec: resend_interval_sec === 0 ? '' : duration(resend_interval_sec),
    tags: tags.join(', '),
  }
}

function wantedOf(draft: Draft, show_on_status_page: boolean): NewHeartbeat {
  return {
    name: draft.name,
    ...(draft.schedule === 'cron'
      ? // The interval follows from the expression.
        { interval_sec: 1, cron: draft.cron, cron_zone: draft.cron_zone }
      : { interval_sec: readDuration('interval_sec', draft.interval_sec), cron: null, cron_zone: null }),
    grace_sec: readDuration('grace_sec', draft.grace_sec),
    resend_interval_sec: readDuration('resend_interval_sec', draft.resend_interval_sec),
    tags: readTagLine(draft.tags),
    show_on_status_page,
  }
}
