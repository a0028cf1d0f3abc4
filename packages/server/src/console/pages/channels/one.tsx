// One channel: its destination and its delivery log.
import type { VNode } from 'preact'
import { confirmationStateOf } from '../../../domain/channels/confirmation.ts'
import { factsOf } from '../../../channels/destination.ts'
import { type ChannelRow, readChannel } from '../../../domain/channels/edit.ts'
import type { Viewer } from '../../../domain/people/sessions.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Question } from '../../design/dialog.tsx'
import { Facts, Notice, PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../frame.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { Ago } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { deliveryLog } from './delivery-log.tsx'
import { ChannelState, destinationOf, kindLabel, NUMBER } from './parts.tsx'

export async function channelOf({ deps, org, params }: MemberContext): ReturnType<typeof readChannel> {
  const { channel = '' } = params
  // There is no channel 0.
  return readChannel(deps, { org_id: org.org_id, id: NUMBER.test(channel) ? Number(channel) : 0 })
}

export async function channelPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, query, viewer } = context
  const channel = await channelOf(context)
  const log = await deliveryLog(deps, org.org_id, query, {
    path: `/channels/${channel.id}`,
    only: { channel_id: channel.id },
    nothing: 'Nothing was sent yet. Send a test message to try it.',
  })
  return page(
    channel.name,
    <>
      <PageHead
        title={channel.name}
        crumbs={[{ href: '/channels', label: 'Channels' }]}
        actions={<Actions channel={channel} viewer={viewer} now={deps.clock.now()} />}
      />
      {channel.enabled || channel.gone_at === null ? null : (
        <Notice tone="warn">
          Switched off <Ago at={channel.gone_at} now={deps.clock.now()} />, because its receiver answered that it is
          gone: it wants no more messages. Check the URL, then enable the channel.
        </Notice>
      )}
      <Facts
        facts={[
          { term: 'State', value: <ChannelState channel={channel} now={deps.clock.now()} /> },
          { term: 'Kind', value: kindLabel(channel.kind) },
          { term: 'Destination', value: destinationOf(channel, viewer) },
          ...factsOf(channel).map(({ label, value }) => ({ term: label, value })),
        ]}
      />
      <Unconfirmed channel={channel} now={deps.clock.now()} />
      <h2>Delivery log</h2>
      {log}
    </>,
  )
}

function Actions({ channel, viewer, now }: { channel: ChannelRow; viewer: Viewer; now: Date }): VNode {
  const path = `/channels/${channel.id}`
  return (
    <>
      {channel.enabled && confirmationStateOf(channel, now) !== 'waiting' ? (
        <PostForm action={`${path}/test`} class="inline">
          <Button kind="primary">Send a test message</Button>
        </PostForm>
      ) : null}
      {maySeeSecrets(viewer) ? (
        <ButtonLink icon="pencil" href={`${path}/edit`}>
          Edit
        </ButtonLink>
      ) : null}
      <PostForm action={`${path}/${channel.enabled ? 'disable' : 'enable'}`} class="inline">
        <Button>{channel.enabled ? 'Disable' : 'Enable'}</Button>
      </PostForm>
      <ButtonLink kind="danger" href={`${path}/delete`} opensDialog>
        Delete…
      </ButtonLink>
    </>
  )
}

/** Why an email address gets no alerts, or will get none. */
function Unconfirmed({ channel, now }: { channel: ChannelRow; now: Date }): VNode | null {
  const { id, email, asked_at, confirm_by } = channel
  const confirmation = confirmationStateOf(channel, now)
  if (confirmation === 'confirmed') return null
  return (
    <div class="hint">
      <p>
        {confirmation === 'waiting' ? (
          `No alerts are sent to ${email} until its owner opens the link in our mail and allows them. Alerts wait for that up to 3 days, and the delivery log shows them as unconfirmed.`
        ) : (
          <>
            The owner of {email} has not confirmed yet that they want these alerts. Without that, none are sent{' '}
            <Ago at={confirm_by ?? ''} now={now} />.
          </>
        )}{' '}
        {asked_at === null ? (
          'No mail has asked them yet.'
        ) : (
          <>
            A mail asked them <Ago at={asked_at} now={now} />.
          </>
        )}
      </p>
      <PostForm action={`/channels/${id}/ask`}>
        <Button>Send confirmation mail</Button>
      </PostForm>
    </div>
  )
}

/** The question before it is deleted. */
export function deleteChannelPage({ id, name }: ChannelRow): PageAnswer {
  return page(
    `Delete ${name}`,
    <Question
      title={`Delete ${name}?`}
      back={`/channels/${id}`}
      form={
        <PostForm action={`/channels/${id}/delete`}>
          <Button kind="danger">Delete channel</Button>
        </PostForm>
      }
    >
      <p>
        Nothing is sent to it any more, what still waits for it is given up, and the log of what was sent is gone. This
        cannot be undone. To keep the log, disable it instead.
      </p>
    </Question>,
  )
}
