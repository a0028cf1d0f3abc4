// The channels of an org, and the delivery log of all of them.
import type { VNode } from 'preact'
import { type LastOutcome, readDeliveryLog, readLastOutcomes } from '../../../domain/events/delivery-log.ts'
import { type ChannelRow, readChannels } from '../../../domain/channels/edit.ts'
import type { Viewer } from '../../../domain/people/sessions.ts'
import { readSettings } from '../../../domain/organisations/entitlements.ts'
import { AlertingNav } from '../../parts/alerting-nav.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { Ago } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { beforeOf, ChannelState, DeliveryLog, DeliveryMark, destinationOf, kindLabel } from './parts.tsx'

export async function channelsPage({ deps, org, viewer, query }: MemberContext): Promise<PageAnswer> {
  const pages = pagesOf(query)
  const [read, { plan, plan_name, usage }] = await Promise.all([
    readChannels(deps, org.org_id, pages.slice),
    readSettings(deps, org.org_id),
  ])
  const channels = rowsOf(read)
  const outcomes = await readLastOutcomes(
    deps,
    org.org_id,
    channels.map(({ id }) => id),
  )
  const most = plan.max_channels === 0 ? '' : ` of ${plan.max_channels}`
  return page(
    'Channels',
    <>
      <h1>Alerting</h1>
      <AlertingNav at="/channels" />
      {usage.channels === 0 ? (
        <div class="empty">
          <p>There is no channel yet, so nobody is told when something goes down.</p>
          <a class="button" href="/channels/new">
            New channel
          </a>
        </div>
      ) : (
        <>
          <p class="actions">
            <a class="button" href="/channels/new">
              New channel
            </a>
          </p>
          <Table channels={channels} outcomes={outcomes} viewer={viewer} now={deps.clock.now()} />
          <Pager path="/channels" pages={pages} read={read} of="channels" />
        </>
      )}
      <p class="hint">
        {usage.channels}
        {most} {usage.channels === 1 && most === '' ? 'channel' : 'channels'} on the {plan_name} plan.
      </p>
    </>,
  )
}

interface TableProps {
  channels: readonly ChannelRow[]
  outcomes: ReadonlyMap<number, LastOutcome>
  viewer: Viewer
  now: Date
}

function Table({ channels, outcomes, viewer, now }: TableProps): VNode {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Destination</th>
            <th scope="col">State</th>
            <th scope="col">Last delivery</th>
          </tr>
        </thead>
        <tbody>
          {channels.map((channel) => (
            <tr key={channel.id}>
              <td class="name">
                <a href={`/channels/${channel.id}`}>{channel.name}</a>
              </td>
              <td class="word">{kindLabel(channel.kind)}</td>
              <td class="name">{destinationOf(channel, viewer)}</td>
              <td class="name">
                <ChannelState channel={channel} now={now} />
              </td>
              <td class="name">
                <Outcome outcome={outcomes.get(channel.id)} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Outcome({ outcome, now }: { outcome: LastOutcome | undefined; now: Date }): VNode {
  if (!outcome) return <>none yet</>
  return (
    <>
      <DeliveryMark state={outcome.state} /> <Ago at={outcome.last_attempt_at ?? outcome.created_at} now={now} />
      {outcome.state === 'delivered' || outcome.last_error === null ? null : (
        <>
          <br />
          <small>{outcome.last_error}</small>
        </>
      )}
    </>
  )
}

export async function deliveriesPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const before = beforeOf(query)
  const log = await readDeliveryLog(deps, org.org_id, { before })
  return page(
    'Delivery log',
    <>
      <h1>Alerting</h1>
      <AlertingNav at="/channels/deliveries" />
      <h2>Delivery log</h2>
      <DeliveryLog
        log={log}
        now={deps.clock.now()}
        path="/channels/deliveries"
        namesChannels
        isFirst={before === undefined}
      />
    </>,
  )
}
