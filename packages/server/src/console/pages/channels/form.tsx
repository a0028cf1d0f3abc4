// The form of a channel: its kind is chosen first and does not change.
import type { VNode } from 'preact'
import {
  type ChannelRow,
  createChannel,
  type Destination,
  editChannel,
  type NewChannel,
  readChannel,
} from '../../../domain/channels/edit.ts'
import { readSettings } from '../../../domain/organisations/entitlements.ts'
import type { Plan } from '../../../domain/organisations/plans.ts'
import type { Viewer } from '../../../domain/people/sessions.ts'
import type { Form } from '../../form.ts'
import { PostForm } from '../../frame.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { Fault, Field } from '../../parts/field.tsx'
import { refusal } from '../../refusal.ts'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { kindLabel, KINDS } from './parts.tsx'

type Draft = Required<{ [Field in keyof NewChannel]: string }>

const BLANK: Draft = { kind: '', name: '', ntfy_topic: '', email: '', webhook_url: '', webhook_secret: '' }
const LABELS: Readonly<Record<string, string>> = {
  kind: 'Kind',
  name: 'Name',
  ntfy_topic: 'Topic',
  email: 'Address',
  webhook_url: 'URL',
  webhook_secret: 'Secret',
}

/** The choice of kinds, or the form of the chosen one. */
export async function newChannelPage({ deps, org, query, viewer }: MemberContext): Promise<PageAnswer> {
  if (!maySeeSecrets(viewer)) return hiddenPage('New channel', viewer)
  const kind = query.kind ?? ''
  if (KINDS.some(([known]) => known === kind)) return newForm({ ...BLANK, kind })
  const { plan, plan_name } = await readSettings(deps, org.org_id)
  return page(
    'New channel',
    <section class="narrow">
      <h1>New channel</h1>
      <p>Where should alerts go?</p>
      <ul class="plain">
        {KINDS.map(([known, label, about]) => (
          <li key={known}>
            {allows(plan, known) ? <a href={`/channels/new?kind=${known}`}>{label}</a> : <strong>{label}</strong>}
            <br />
            {about}
            {allows(plan, known) ? null : ` Not on the ${plan_name} plan.`}
          </li>
        ))}
      </ul>
    </section>,
  )
}

function allows({ channel_kinds }: Plan, kind: (typeof KINDS)[number][0]): boolean {
  return channel_kinds.includes(kind)
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  try {
    const { id } = await createChannel(deps, org.org_id, draft, viewer)
    const { confirmed_at } = await readChannel(deps, { org_id: org.org_id, id })
    const next =
      draft.kind === 'email' && confirmed_at === null
        ? 'Its owner has to allow alerts first: a mail asks them.'
        : 'Send a test message to see whether it arrives.'
    return redirect(`/channels/${id}`, `The channel is made. ${next}`)
  } catch (error) {
    return newForm(draft, refusal(error, LABELS))
  }
}

export function editChannelPage(
  { viewer }: MemberContext,
  channel: ChannelRow,
  draft: Destination = channel,
  fault?: string,
): PageAnswer {
  const action = `/channels/${channel.id}/edit`
  const title = `Edit ${channel.name}`
  if (!maySeeSecrets(viewer)) return hiddenPage(title, viewer)
  return formPage({ title, action, button: 'Save it', draft: { ...BLANK, ...draft, kind: channel.kind }, fault })
}

export async function editOne(context: MemberContext, channel: ChannelRow): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const { kind: _, ...draft } = draftFrom(form)
  try {
    await editChannel(deps, { org_id: org.org_id, id: channel.id }, draft, viewer)
    return redirect(`/channels/${channel.id}`, 'The channel is saved.')
  } catch (error) {
    return editChannelPage(context, channel, draft, refusal(error, LABELS))
  }
}

function hiddenPage(title: string, viewer: Viewer): PageAnswer {
  return page(
    title,
    <section class="narrow">
      <h1>{title}</h1>
      <HiddenWhileImpersonating viewer={viewer}>Where alerts go, and with which secret, is</HiddenWhileImpersonating>
    </section>,
  )
}

function newForm(draft: Draft, fault?: string): PageAnswer {
  const title = `New channel: ${kindLabel(draft.kind)}`
  return formPage({ title, action: '/channels/new', button: 'Create it', draft, fault })
}

interface Shown {
  title: string
  action: string
  button: string
  draft: { [Field in keyof Draft]?: string | undefined }
  fault: string | undefined
}

function formPage({ title, action, button, draft, fault }: Shown): PageAnswer {
  return page(
    title,
    <section class="narrow">
      <h1>{title}</h1>
      <Fault line={fault} />
      <PostForm action={action}>
        <input type="hidden" name="kind" value={draft.kind} />
        <Field name="name" label="Name" value={draft.name ?? ''} hint="What people call it." required />
        <DestinationFields draft={draft} />
        <button type="submit">{button}</button>
      </PostForm>
    </section>,
    fault === undefined ? 200 : 400,
  )
}

function DestinationFields({ draft }: Pick<Shown, 'draft'>): VNode {
  const { kind, ntfy_topic = '', email = '', webhook_url = '', webhook_secret = '' } = draft
  if (kind === 'ntfy') {
    const hint = 'Whoever knows the topic can read it: choose one that is hard to guess.'
    return <Field name="ntfy_topic" label="Topic" value={ntfy_topic} hint={hint} autocomplete="off" required />
  }
  if (kind === 'email') {
    const hint = 'A mail asks its owner to confirm it. Alerts are sent there once they have.'
    return <Field name="email" label="Address" type="email" value={email} hint={hint} required />
  }
  if (kind === 'slack') {
    const hint = 'That of an incoming webhook, as Slack shows it: https://hooks.slack.com/services/...'
    return (
      <Field name="webhook_url" label="URL" type="url" value={webhook_url} hint={hint} autocomplete="off" required />
    )
  }
  return (
    <>
      <Field
        name="webhook_url"
        label="URL"
        type="url"
        value={webhook_url}
        hint="It answers with a status from 200 to 299 within 15 seconds; redirects are not followed."
        autocomplete="off"
        required
      />
      <Field
        name="webhook_secret"
        label="Secret"
        value={webhook_secret}
        hint="Messages are signed with it: whsec_ and base64, or any text. Left empty, they are not signed."
        autocomplete="off"
      />
    </>
  )
}

function draftFrom(form: Form): Draft {
  const text = (name: string) => form.text(name).trim()
  return {
    kind: text('kind'),
    name: text('name'),
    ntfy_topic: text('ntfy_topic'),
    email: text('email'),
    webhook_url: text('webhook_url'),
    webhook_secret: text('webhook_secret'),
  }
}
