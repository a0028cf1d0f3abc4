// Renders the form of a channel: its kind is chosen first and does not change.

import { wholeDestination } from '@dogwatch/channels/destination'
import type { ChannelKind, Field as FieldRules } from '@dogwatch/channels/kind'
import { channelKinds, fieldNames, findKind, goesByMail } from '@dogwatch/channels/registry'
import { confirmationStateOf } from '@dogwatch/domain/channels/confirmation'
import {
  createChannel,
  editChannel,
  type NewChannel,
  readChannel,
  refusalsOfFields,
} from '@dogwatch/domain/channels/edit'
import { FieldError } from '@dogwatch/domain/errors'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import type { Plan } from '@dogwatch/domain/organisations/plans'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import { ButtonLink } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import type { Form } from '../../form.ts'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { Choice, Fault, Field } from '../../parts/field.tsx'
import { faultsOfAll } from '../../parts/form-faults.tsx'
import { type FormHead, formPage, narrowPage } from '../../parts/pages.tsx'
import type { FormFault } from '../../refusal.ts'
import { showAgain } from '../../refused-form.ts'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, type PageAnswer, page, redirect } from '../../route.ts'
import { channelOf } from './one.tsx'
import { kindLabel } from './parts.tsx'

const CRUMBS = [{ href: '/channels', label: 'Channels' }]
const LINES_SHOWN = 12
export const NO_MAIL = 'This server cannot send email. Ask your server admin to set SMTP_URL and MAIL_FROM.'

/** Renders the choice of kinds, or the form of the chosen one. */
export async function newChannelPage(context: MemberContext, preview?: Preview): Promise<PageAnswer> {
  const { deps, org, query, viewer, refused } = context
  if (!maySeeSecrets(viewer)) return hiddenPage('Create channel', viewer)
  const kind = refused?.form.text('kind') ?? query.kind ?? ''
  if (lacksMail(context, kind)) return noMailPage(kind, 200)
  if (refused || findKind(kind)) {
    const title = `Create channel: ${kindLabel(kind)}`
    return channelFormPage({ title, action: '/channels/new', button: 'Create channel' }, { kind, name: '' }, preview)
  }
  const { plan, plan_name } = await readSettings(deps, org.org_id)
  return page(
    'Create channel',
    <section>
      <PageHead title="Create channel" crumbs={CRUMBS}>
        Choose where to send alerts.
      </PageHead>
      <ul class="plain grid">
        {channelKinds().map(({ name: known, label, about }) => (
          <li class="card">
            <strong>
              {allows(plan, known) && !lacksMail(context, known) ? (
                <Link href={`/channels/new?kind=${known}`}>{label}</Link>
              ) : (
                label
              )}
            </strong>
            <br />
            {about}
            {allows(plan, known) ? null : ` Not available on the ${plan_name} plan.`}
            {lacksMail(context, known) ? ' Email is not set up on this server.' : null}
          </li>
        ))}
      </ul>
    </section>,
  )
}

function allows({ channel_kinds }: Plan, kind: string): boolean {
  return channel_kinds.includes(kind)
}

/** Whether alerts of a kind go by email, and this server has no mail server. */
function lacksMail({ options }: Pick<MemberContext, 'options'>, kind: string): boolean {
  return options.mailer === undefined && goesByMail(kind)
}

function noMailPage(kind: string, status: number): PageAnswer {
  return narrowPage(
    `Create channel: ${kindLabel(kind)}`,
    <>
      <Fault line={NO_MAIL} />
      <p>
        <ButtonLink href="/channels/new" text="Choose another channel type" />
      </p>
    </>,
    { crumbs: CRUMBS, status },
  )
}

export async function createOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const draft = draftFrom(form)
  if (lacksMail(context, draft.kind)) return noMailPage(draft.kind, 400)
  if (form.isOn('preview') && maySeeSecrets(viewer)) {
    const preview = await previewOf(org.org_id, draft)
    return showAgain(context, [], (again) => newChannelPage(again, preview))
  }
  const { id } = await createChannel(deps, org.org_id, draft, viewer)
  const channel = await readChannel(deps, { org_id: org.org_id, id })
  const next =
    confirmationStateOf(channel, deps.clock.now()) === 'waiting'
      ? 'We emailed a confirmation link to this address. Alerts start when the owner confirms the address.'
      : 'Send a test message to check that it works.'
  return redirect(`/channels/${id}`, `${channel.name} created. ${next}`)
}

export async function editChannelPage(context: MemberContext, preview?: Preview): Promise<PageAnswer> {
  const { viewer } = context
  const { id, name, kind, destination } = await channelOf(context)
  const title = `Edit ${name}`
  if (!maySeeSecrets(viewer)) return hiddenPage(title, viewer)
  const form = { title, action: `/channels/${id}/edit`, button: 'Save changes' }
  return channelFormPage(form, { ...destination, name, kind }, preview)
}

export async function editOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const { id, kind } = await channelOf(context)
  const { kind: _, ...draft } = draftFrom(form)
  if (form.isOn('preview')) {
    const preview = await previewOf(org.org_id, { ...draft, kind })
    return showAgain(context, [], (again) => editChannelPage(again, preview))
  }
  await editChannel(deps, { org_id: org.org_id, id }, draft, viewer)
  return redirect(`/channels/${id}`, 'Channel saved.')
}

function hiddenPage(title: string, viewer: Viewer): PageAnswer {
  return narrowPage(
    title,
    <HiddenWhileImpersonating viewer={viewer}>Channel destinations and secrets are</HiddenWhileImpersonating>,
    { crumbs: CRUMBS },
  )
}

type Preview = Exclude<Awaited<ReturnType<NonNullable<ChannelKind['preview']>>>, { fault: unknown }>

/** Returns a preview of the message that the entered channel would get. It neither stores nor sends anything. */
async function previewOf(org_id: number, draft: NewChannel): Promise<Preview | undefined> {
  const { name: _, kind, ...given } = draft
  const destination = Object.fromEntries(Object.entries(given).map(([field, value]) => [field, value ?? '']))
  const preview = await findKind(kind)?.preview?.(wholeDestination({ kind, destination }), org_id)
  if (preview && 'fault' in preview) throw new FieldError('invalid', preview.fault.field, preview.fault.must)
  return preview
}

function channelFormPage(form: FormHead, stored: NewChannel, preview: Preview | undefined): PageAnswer {
  const { kind, name } = stored
  const fields = (
    <>
      <Field
        name="name"
        label="Name"
        value={name}
        hint="A name your team will recognise, for example “On-call Slack”."
        required
      />
      {Object.entries(findKind(kind)?.fields ?? {}).map(([field, rules]) => (
        <DestinationField name={field} field={rules} value={stored[field] ?? ''} />
      ))}
    </>
  )
  const buttons = findKind(kind)?.preview ? (
    <button type="submit" class="quiet" name="preview" value="on" formnovalidate>
      Preview messages
    </button>
  ) : null
  const more = preview ? (
    <>
      <h2>Message preview</h2>
      <p class="hint">Examples of the messages this channel would send. Nothing has been sent or saved.</p>
      {preview.map(({ label, value }) => (
        <figure>
          <figcaption>{label}</figcaption>
          <pre>{value}</pre>
        </figure>
      ))}
    </>
  ) : null
  return formPage({ ...form, crumbs: CRUMBS, hidden: { kind }, fields, buttons, more })
}

export function faultsOfChannel(error: unknown, { form }: MemberContext): FormFault[] {
  const draft = draftFrom(form)
  return faultsOfAll(error, labelsOf(draft.kind), refusalsOfFields(draft))
}

/** Labels of the options `on` and `off`. Other options are names that a service has given, and need no label. */
const ON_OFF = new Map([
  ['on', 'On'],
  ['off', 'Off'],
])

function DestinationField({ name, field, value }: { name: string; field: FieldRules; value: string }) {
  const { label, hint, input, isOptional, options } = field
  if (options) {
    const listed = options.map((option) => [option, ON_OFF.get(option) ?? option] as const)
    return <Choice name={name} label={label} hint={hint} value={value} options={listed} />
  }
  return (
    <Field
      name={name}
      label={label}
      value={value}
      hint={hint}
      // A browser can suggest useful email addresses, but nothing useful for the other fields.
      autocomplete={input === 'email' ? undefined : 'off'}
      required={isOptional !== true}
      {...(input === 'lines' ? { rows: LINES_SHOWN } : { type: input === 'url' && field.schemes ? 'text' : input })}
    />
  )
}

function draftFrom(form: Form): NewChannel {
  // Browsers send two characters, \r
  // , at the end of each line.
  const text = (name: string) => form.text(name).replaceAll('\r\n', '\n').trim()
  const typed = fieldNames().map((name) => [name, text(name)])
  return { ...(Object.fromEntries(typed) as Record<string, string>), kind: text('kind'), name: text('name') }
}

/** Returns the form's labels for the fields of a kind. */
function labelsOf(kind: string): Record<string, string> {
  const fields = Object.entries(findKind(kind)?.fields ?? {}).map(([name, { label }]) => [name, label])
  return { name: 'Name', ...(Object.fromEntries(fields) as Record<string, string>) }
}
