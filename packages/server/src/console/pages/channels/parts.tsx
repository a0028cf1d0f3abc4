// Shared by the pages of channels: the kinds, and the delivery log.
import type { ComponentChildren, VNode } from 'preact'
import { shownDestination } from '../../../channels/destination.ts'
import { findKind } from '../../../channels/registry.ts'
import { confirmationStateOf } from '../../../domain/channels/confirmation.ts'
import type { ChannelRow } from '../../../domain/channels/edit.ts'
import type { DeliveryPage, LoggedDelivery } from '../../../domain/events/delivery-log.ts'
import type { Viewer } from '../../../domain/people/sessions.ts'
import { Mood, type Tone } from '../../design/badge.tsx'
import type { IconName } from '../../design/icons.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { StateMark } from '../../parts/state.tsx'
import { Ago } from '../../parts/time.tsx'

export function kindLabel(kind: string): string {
  return findKind(kind)?.label ?? kind
}

/** The destination, as far as the viewer may see it. */
export function destinationOf(channel: ChannelRow, viewer: Viewer): string {
  return shownDestination(channel, maySeeSecrets(viewer))
}

/** Whether alerts go to it, and if not, why. */
export function ChannelState({ channel, now }: { channel: ChannelRow; now: Date }): VNode {
  if (!channel.enabled) return <StateMark state="disabled" />
  const confirmation = confirmationStateOf(channel, now)
  if (confirmation === 'confirmed') return <Enabled />
  if (confirmation === 'waiting') {
    return (
      <Mood icon="hourglass" tone="warn">
        Waiting for confirmation
      </Mood>
    )
  }
  return (
    <>
      <Enabled />
      <br />
      <small>
        to be confirmed: alerts stop <Ago at={channel.confirm_by ?? ''} now={now} />
      </small>
    </>
  )
}

function Enabled(): VNode {
  return (
    <Mood icon="circle-check" tone="good">
      Enabled
    </Mood>
  )
}

/** The form of ids in paths and queries. */
export const NUMBER = /^\d{1,15}$/

/** The delivery before which a page of the log begins. */
export function beforeOf({ before = '' }: Readonly<Record<string, string>>): number | undefined {
  return NUMBER.test(before) ? Number(before) : undefined
}

type DeliveryState = LoggedDelivery['state']
const STATES: Readonly<Record<DeliveryState, readonly [icon: IconName, word: string, tone: Tone]>> = {
  pending: ['hourglass', 'Waiting', 'warn'],
  delivered: ['circle-check', 'Delivered', 'good'],
  failed: ['circle-x', 'Failed', 'bad'],
  superseded: ['chevron-right', 'Superseded', 'idle'],
  summarised: ['list-checks', 'Summarised', 'idle'],
  unconfirmed: ['hourglass', 'Unconfirmed', 'warn'],
}

export function DeliveryMark({ state }: { state: DeliveryState }): VNode {
  const [icon, word, tone] = STATES[state]
  return (
    <Mood icon={icon} tone={tone}>
      {word}
    </Mood>
  )
}

interface LogProps {
  log: DeliveryPage
  now: Date
  /** The path of its pages. */
  path: string
  /** Whether it is the log of all channels. */
  namesChannels?: boolean
  isFirst: boolean
}

export function DeliveryLog({
  log: { deliveries, before },
  now,
  path,
  namesChannels = false,
  isFirst,
}: LogProps): VNode {
  if (deliveries.length === 0) {
    return (
      <p class="empty">
        {isFirst ? 'Nothing was sent yet. Send a test message to try it.' : 'There is nothing older.'}
      </p>
    )
  }
  return (
    <>
      <Table
        columns={LOG.filter(({ label }) => namesChannels || label !== 'Channel')}
        rows={deliveries.map((delivery) => ({
          key: delivery.delivery_id,
          cells: cellsOf(delivery, now, namesChannels),
        }))}
      />
      <p class="actions">
        {isFirst ? null : <a href={path}>Newest</a>}
        {before === undefined ? null : <a href={`${path}?before=${before}`}>Older</a>}
      </p>
    </>
  )
}

const LOG: readonly Column[] = [
  { label: 'When' },
  { label: 'Event' },
  { label: 'About' },
  { label: 'Channel' },
  { label: 'State' },
  { label: 'Attempts', isNumber: true },
  { label: 'Next attempt' },
  { label: 'Answer' },
  { label: 'Last error' },
]

function cellsOf(delivery: LoggedDelivery, now: Date, namesChannel: boolean): ComponentChildren[] {
  const { channel, last_status, last_latency_ms } = delivery
  const answer = [
    ...(last_status === null ? [] : [`${last_status}`]),
    ...(last_latency_ms === null ? [] : [`${last_latency_ms} ms`]),
  ]
  return [
    <Ago at={delivery.created_at} now={now} />,
    delivery.event.replace('.', ' '),
    listed(delivery.names),
    ...(namesChannel ? [<a href={`/channels/${channel.id}`}>{channel.name}</a>] : []),
    <DeliveryMark state={delivery.state} />,
    delivery.attempts,
    delivery.next_attempt_at === null ? '–' : <Ago at={delivery.next_attempt_at} now={now} />,
    answer.length === 0 ? '–' : answer.join(', '),
    <span class="lines">{delivery.last_error ?? '–'}</span>,
  ]
}

/** Ten names at most. */
function listed(names: readonly string[]): string {
  if (names.length === 0) return '–'
  return names.length > 10 ? `${names.slice(0, 10).join(', ')} and more` : names.join(', ')
}
