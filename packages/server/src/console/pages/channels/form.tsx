// The form of a channel: its kind is chosen first and does not change.
import type { VNode } from 'preact'
import { channelKinds, fieldNames, findKind } from '../../../channels/registry.ts'
import { confirmationStateOf } from '../../../domain/channels/confirmation.ts'
import {
  type ChannelRow,
  createChannel,
  editChannel,
  type EditedChannel,
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
import { kindLabel } from './parts.tsx'

/** The choice of kinds, or the form of the chosen one. */
export async function newChannelPage({ deps, org, query, viewer }: MemberContext): Promise<PageAnswer> {
  if (!maySeeSecrets(viewer)) return hiddenPage('New channel', viewer)
  const kind = query.kind ?? ''
  if (findKind(kind)) return newForm({ kind, name: '' })
  const { plan, plan_name } = await readSettings(deps, org.org_id)
  return page(
    'New channel',
    <section class="narrow">
      <h1>New channel</h1>
      <p>Where should alerts go?</p>
      <ul class="plain">
        {channelKinds().map(({ name: known, label, about }) => (
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

function allows({ channel_kinds }: Plan, kind: string): boolean {
  return channel_kinds.includes(kind)
}

export async function createOne({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const draft = draftFrom(form)
  try {
    const { id } = await createChannel(deps, org.org_id, draft, viewer)
    const channel = await readChannel(deps, { org_id: org.org_id, id })
    const next =
      confirmationStateOf(channel, deps.clock.now()) === 'waiting'
        ? 'Its owner has to allow alerts first: a mail asks them.'
        : 'Send a test message to see whether it arrives.'
    return redirect(`/channels/${id}`, `The channel is made. ${next}`)
  } catch (error) {
    return newForm(draft, refusal(error, labelsOf(draft.kind)))
  }
}

export function editChannelPage(
  { viewer }: MemberContext,
  channel: ChannelRow,
  draft: EditedChannel = { ...channel.destination, name: channel.name },
  fault?: string,
): PageAnswer {
  const action = `/channels/${channel.id}/edit`
  const title = `Edit ${channel.name}`
  if (!maySeeSecrets(viewer)) return hiddenPage(title, viewer)
  return formPage({ title, action, button: 'Save it', draft: { ...draft, kind: channel.kind }, fault })
}

export async function editOne(context: MemberContext, channel: ChannelRow): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const { kind: _, ...draft } = draftFrom(form)
  try {
    await editChannel(deps, { org_id: org.org_id, id: channel.id }, draft, viewer)
    return redirect(`/channels/${channel.id}`, 'The channel is saved.')
  } catch (error) {
    return editChannelPage(context, channel, draft, refusal(error, labelsOf(channel.kind)))
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

function newForm(draft: NewChannel, fault?: string): PageAnswer {
  const title = `New channel: ${kindLabel(draft.kind)}`
  return formPage({ title, action: '/channels/new', button: 'Create it', draft, fault })
}

interface Shown {
  title: string
  action: string
  button: string
  draft: NewChannel
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
        <Field name="name" label="Name" value={draft.name} hint="What people call it." required />
        <DestinationFields draft={draft} />
        <button type="submit">{button}</button>
      </PostForm>
    </section>,
    fault === undefined ? 200 : 400,
  )
}

function DestinationFields({ draft }: Pick<Shown, 'draft'>): VNode {
  const fields = Object.entries(findKind(draft.kind)?.fields ?? {})
  return (
    <>
      {fields.map(([name, { label, hint, input, isOptional }]) => (
        <Field
          key={name}
          name={name}
          label={label}
          type={input}
          value={draft[name] ?? ''}
          hint={hint}
          // A browser knows addresses that are worth offering, and nothing else of these.
          {...(input !== 'email' && { autocomplete: 'off' })}
          {...(isOptional ? {} : { required: true })}
        />
      ))}
    </>
  )
}

function draftFrom(form: Form): NewChannel {
  const text = (name: string) => form.text(name).trim()
  const typed = fieldNames().map((name) => [name, text(name)])
  return { ...(Object.fromEntries(typed) as Record<string, string>), kind: text('kind'), name: text('name') }
}

/** What the form calls the fields of a kind. */
function labelsOf(kind: string): Record<string, string> {
  const fields = Object.entries(findKind(kind)?.fields ?? {}).map(([name, { label }]) => [name, label])
  return { kind: 'Kind', name: 'Name', ...(Object.fromEntries(fields) as Record<string, string>) }
}
