// One channel: its destination and its delivery log.
import type { VNode } from 'preact'
import { confirmationStateOf } from '../../../domain/channels/confirmation.ts'
import { factsOf } from '../../../channels/destination.ts'
import { readDeliveryLog } from '../../../domain/events/delivery-log.ts'
import { type ChannelRow, readChannel } from '../../../domain/channels/edit.ts'
import { PostForm } from '../../frame.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { Ago } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { beforeOf, ChannelState, DeliveryLog, destinationOf, kindLabel, NUMBER } from './parts.tsx'

export async function channelOf({ deps, org, params }: MemberContext): ReturnType<typeof readChannel> {
  const { channel = '' } = params
  // There is no channel 0.
  return readChannel(deps, { org_id: org.org_id, id: NUMBER.test(channel) ? Number(channel) : 0 })
}

export async function channelPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, query, viewer } = context
  const channel = await channelOf(context)
  const before = beforeOf(query)
  const log = await readDeliveryLog(deps, org.org_id, { channel_id: channel.id, before })
  const path = `/channels/${channel.id}`
  const confirmation = confirmationStateOf(channel, deps.clock.now())
  return page(
    channel.name,
    <>
      <p>
        <a href="/channels">Channels</a>
      </p>
      <h1>{channel.name}</h1>
      {channel.enabled || channel.gone_at === null ? null : (
        <p class="notice" role="status">
          Switched off <Ago at={channel.gone_at} now={deps.clock.now()} />, because its receiver answered that it is
          gone: it wants no more messages. Check the URL, then enable the channel.
        </p>
      )}
      <dl class="facts grid">
        <div>
          <dt>State</dt>
          <dd>
            <ChannelState channel={channel} now={deps.clock.now()} />
          </dd>
        </div>
        <div>
          <dt>Kind</dt>
          <dd>{kindLabel(channel.kind)}</dd>
        </div>
        <div>
          <dt>Destination</dt>
          <dd>{destinationOf(channel, viewer)}</dd>
        </div>
        {factsOf(channel).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Unconfirmed channel={channel} now={deps.clock.now()} />
      <div class="actions">
        {channel.enabled && confirmation !== 'waiting' ? (
          <PostForm action={`${path}/test`} class="inline">
            <button type="submit">Send a test message</button>
          </PostForm>
        ) : null}
        {maySeeSecrets(viewer) ? (
          <a class="button quiet" href={`${path}/edit`}>
            Edit
          </a>
        ) : null}
        <PostForm action={`${path}/${channel.enabled ? 'disable' : 'enable'}`} class="inline">
          <button type="submit" class="quiet">
            {channel.enabled ? 'Disable' : 'Enable'}
          </button>
        </PostForm>
        <a class="button quiet" href={`${path}/delete`}>
          Delete…
        </a>
      </div>
      <h2>Delivery log</h2>
      <DeliveryLog log={log} now={deps.clock.now()} path={path} isFirst={before === undefined} />
    </>,
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
        <button type="submit">Send confirmation mail</button>
      </PostForm>
    </div>
  )
}

/** The question before it is deleted. */
export function deleteChannelPage({ id, name }: ChannelRow): PageAnswer {
  return page(
    `Delete ${name}`,
    <section class="narrow">
      <h1>Delete {name}?</h1>
      <p>
        Nothing is sent to it any more, what still waits for it is given up, and the log of what was sent is gone. This
        cannot be undone. To keep the log, disable it instead.
      </p>
      <PostForm action={`/channels/${id}/delete`}>
        <div class="actions">
          <button type="submit" class="danger">
            Delete it
          </button>
          <a href={`/channels/${id}`}>Keep it</a>
        </div>
      </PostForm>
    </section>,
  )
}
