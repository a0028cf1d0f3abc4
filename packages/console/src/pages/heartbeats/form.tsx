// Renders and saves the form of a heartbeat: for a new one, or for editing.
import { readTagLine } from '@dogwatch/check-rules/tags'
import { createHeartbeat, editHeartbeat, type NewHeartbeat, soundHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import type { OneHeartbeat } from '@dogwatch/domain/heartbeats/read'
import type { Form } from '../../form.ts'
import { duration, readDuration } from '../../parts/duration.ts'
import { Radio, TextFields, ZoneChoice } from '../../parts/field.tsx'
import { everyFault, type FieldRows } from '../../parts/form-faults.tsx'
import { type FormHead, formPage } from '../../parts/pages.tsx'
import { useTimes } from '../../parts/time.tsx'
import type { FormFault } from '../../refusal.ts'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, type PageAnswer, redirect } from '../../route.ts'
import { heartbeatOf } from './one.tsx'
import { NextTimes } from './parts.tsx'

const TEXTS = ['name', 'cron', 'cron_zone', 'interval_sec', 'grace_sec', 'resend_interval_sec', 'tags'] as const

interface HeartbeatDraft extends Record<(typeof TEXTS)[number], string> {
  schedule: 'period' | 'cron'
}

const PERIOD = { schedule: 'period', interval_sec: '1 d' } as const
const BLANK: HeartbeatDraft = {
  ...PERIOD,
  name: '',
  cron: '',
  cron_zone: '',
  grace_sec: '1 h',
  resend_interval_sec: '',
  tags: '',
}

const ROWS: FieldRows<HeartbeatDraft> = {
  name: { label: 'Name', required: true, right: { name: 'x' } },
  interval_sec: {
    label: 'Ping interval',
    hint: 'How often the job pings, for example 90 s, 5 min, 1 h or 1 d.',
    right: PERIOD,
  },
  cron: {
    label: 'Cron expression',
    placeholder: '30 2 * * 1-5',
    hint: 'Minute, hour, day of month, month, day of week. Use the same values as in your crontab.',
    right: PERIOD,
  },
  cron_zone: { label: 'Time zone', hint: 'Time zone of the machine that runs the job.', right: PERIOD },
  grace_sec: {
    label: 'Grace period',
    hint: 'How late a ping can be before the heartbeat goes down.',
    right: { grace_sec: BLANK.grace_sec },
  },
  resend_interval_sec: {
    label: 'Reminder interval',
    hint: 'How often to repeat the alert while the heartbeat is down. Leave empty for no reminders.',
    right: { resend_interval_sec: '' },
  },
  tags: {
    label: 'Tags',
    hint: 'Separate tags with commas. Use tags to route alerts. Tags are not case-sensitive.',
    right: { tags: '' },
  },
}

export function newHeartbeatPage(context: MemberContext): PageAnswer {
  return draw(context, BLANK, { title: 'New heartbeat', action: '/heartbeats/new', button: 'Create heartbeat' })
}

export function faultsOfHeartbeat(error: unknown, { deps, form }: MemberContext): FormFault[] {
  const now = deps.clock.now()
  return everyFault(error, ROWS, draftFrom(form), (one) => soundHeartbeat(wantedOf(one, false), now))
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  const { guid } = await createHeartbeat(deps, org.org_id, wantedOf(draft, false), viewer)
  return redirect(`/heartbeats/${guid}`, `${draft.name} created. Next, add the ping URL to your job.`)
}

export async function editHeartbeatPage(context: MemberContext): Promise<PageAnswer> {
  const heartbeat = await heartbeatOf(context)
  const action = `/heartbeats/${heartbeat.guid}/edit`
  return draw(context, draftOf(heartbeat), { title: `Edit ${heartbeat.name}`, action, button: 'Save changes' })
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const { guid, show_on_status_page } = await heartbeatOf(context)
  await editHeartbeat(deps, { org_id: org.org_id, guid }, wantedOf(draftFrom(form), show_on_status_page), viewer)
  return redirect(`/heartbeats/${guid}`, 'Changes saved.')
}

function draw({ refused }: MemberContext, stored: HeartbeatDraft, form: FormHead): PageAnswer {
  const draft = refused ? draftFrom(refused.form) : stored
  const fields = (
    <>
      <TextFields rows={ROWS} names={['name']} draft={draft} />
      <ScheduleFields draft={draft} />
      <TextFields rows={ROWS} names={['grace_sec', 'resend_interval_sec', 'tags']} draft={draft} />
      <p>
        To show this heartbeat on the public status page, add the heartbeat under{' '}
        <Link href="/settings/status-page/entries">Status page content</Link>.
      </p>
    </>
  )
  return formPage({ ...form, crumbs: [{ href: '/heartbeats', label: 'Heartbeats' }], fields })
}

/** Renders the choice between a period and cron times. The server reads only the fields of the chosen one. */
function ScheduleFields({ draft }: { draft: HeartbeatDraft }) {
  const times = useTimes()
  const zone = draft.cron_zone === '' ? times.zone : draft.cron_zone
  return (
    <fieldset class="schedule">
      <legend>Schedule</legend>
      <Radio name="schedule" value="period" label="Fixed interval" chosen={draft.schedule} />
      <div class="of-period">
        <TextFields rows={ROWS} names={['interval_sec']} draft={draft} />
      </div>
      <Radio name="schedule" value="cron" label="Cron expression" chosen={draft.schedule} />
      <div class="of-cron">
        <TextFields rows={ROWS} names={['cron']} draft={draft} />
        <ZoneChoice name="cron_zone" value={zone} hint={ROWS.cron_zone?.hint} />
        {draft.schedule === 'cron' ? (
          <p class="next-times">
            <NextTimes cron={draft.cron} zone={zone} />
          </p>
        ) : null}
      </div>
    </fieldset>
  )
}

function draftFrom(form: Form): HeartbeatDraft {
  return { ...form.texts(TEXTS), schedule: form.text('schedule') === 'cron' ? 'cron' : 'period' }
}

function draftOf({
  name,
  interval_sec,
  grace_sec,
  resend_interval_sec,
  tags,
  cron,
  cron_zone,
}: OneHeartbeat): HeartbeatDraft {
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

function wantedOf(draft: HeartbeatDraft, show_on_status_page: boolean): NewHeartbeat {
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
