// Shows one channel: its destination and its delivery log.

import { factsOf } from '@dogwatch/channels/destination'
import { confirmationStateOf } from '@dogwatch/domain/channels/confirmation'
import { type ChannelRow, readChannel } from '@dogwatch/domain/channels/edit'
import { readLastOutcomes } from '@dogwatch/domain/events/delivery-log'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Facts, Notice, PageHead } from '../../design/layout.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { deletionPage } from '../../parts/pages.tsx'
import { Ago, useNow } from '../../parts/time.tsx'
import { PostButton, PostForm } from '../../post-form.tsx'
import { type MemberContext, type PageAnswer, page, readNumber } from '../../route.ts'
import { deliveryLog } from './delivery-log.tsx'
import { ChannelState, destinationOf, kindLabel } from './parts.tsx'

export async function channelOf({ deps, org, params }: MemberContext): ReturnType<typeof readChannel> {
  // No channel has the ID 0, so an invalid ID finds none.
  return readChannel(deps, { org_id: org.org_id, id: readNumber(params.channel) ?? 0 })
}

export async function channelPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, query, viewer } = context
  const channel = await channelOf(context)
  const outcomes = await readLastOutcomes(deps, org.org_id, [channel.id])
  const log = await deliveryLog(deps, org.org_id, query, {
    path: `/channels/${channel.id}`,
    only: { channel_id: channel.id },
    nothing: 'No deliveries yet. Send a test message to try this channel.',
  })
  return page(
    channel.name,
    <>
      <PageHead
        title={channel.name}
        crumbs={[{ href: '/channels', label: 'Channels' }]}
        actions={<Actions channel={channel} viewer={viewer} />}
      />
      {channel.enabled || channel.gone_at === null ? null : (
        <Notice tone="warn">
          This channel was disabled <Ago at={channel.gone_at} /> because the receiver reported that the URL no longer
          exists. Check the URL, then enable the channel again.
        </Notice>
      )}
      <Facts
        facts={[
          ['State', <ChannelState channel={channel} outcome={outcomes.get(channel.id)} />],
          ['Type', kindLabel(channel.kind)],
          ['Destination', destinationOf(channel, viewer)],
          ...factsOf(channel).map(({ label, value }) => [label, value] as const),
        ]}
      />
      <Unconfirmed channel={channel} />
      <h2>Delivery log</h2>
      {log}
    </>,
  )
}

function Actions({ channel, viewer }: { channel: ChannelRow; viewer: Viewer }) {
  const now = useNow()
  const path = `/channels/${channel.id}`
  return (
    <>
      {channel.enabled && confirmationStateOf(channel, now) !== 'waiting' ? (
        <PostButton action={`${path}/test`} kind="primary" text="Send test message" />
      ) : null}
      {maySeeSecrets(viewer) ? <ButtonLink icon="pencil" href={`${path}/edit`} text="Edit channel" /> : null}
      <PostButton
        action={`${path}/${channel.enabled ? 'disable' : 'enable'}`}
        text={channel.enabled ? 'Disable channel' : 'Enable channel'}
      />
      <ButtonLink kind="danger" href={`${path}/delete`} opensDialog text="Delete channel…" />
    </>
  )
}

/** Explains why an email address gets no alerts yet, or will stop getting them. */
function Unconfirmed({ channel }: { channel: ChannelRow }) {
  const now = useNow()
  const { id, email, asked_at, confirm_by } = channel
  const confirmation = confirmationStateOf(channel, now)
  if (confirmation === 'confirmed') return null
  return (
    <div class="hint">
      <p>
        {confirmation === 'waiting' ? (
          `Alerts to ${email} start when the owner of the address confirms the address through the link in our email. Until then, alerts are held for up to 3 days.`
        ) : (
          <>
            The owner of {email} has not confirmed the address yet. Without confirmation, alerts stop{' '}
            <Ago at={confirm_by ?? ''} />.
          </>
        )}{' '}
        {asked_at === null
          ? 'No confirmation email has been sent yet.'
          : ['Confirmation email sent ', <Ago at={asked_at} />, '.']}
      </p>
      <PostForm action={`/channels/${id}/ask`}>
        <Button text="Send confirmation email" />
      </PostForm>
    </div>
  )
}

export function deleteChannelPage({ id, name }: ChannelRow): PageAnswer {
  const about =
    'The channel stops sending alerts. Pending alerts and the delivery log of this channel are deleted. This cannot be undone. To keep the log, disable the channel instead.'
  return deletionPage({ name, path: `/channels/${id}`, what: 'channel', about })
}
