// Lists the channels of an organisation, and the delivery log of all of them.

import { readChannels } from '@dogwatch/domain/channels/edit'
import { type LastOutcome, readLastOutcomes } from '@dogwatch/domain/events/delivery-log'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import { ButtonLink } from '../../design/button.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { AlertingNav } from '../../parts/nav.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { Ago } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { DeliveryMark, deliveryLog } from './delivery-log.tsx'
import { ChannelState, destinationOf, kindLabel } from './parts.tsx'

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
  const create = <ButtonLink kind="primary" icon="plus" href="/channels/new" text="Create channel" />
  return page(
    'Channels',
    <>
      <PageHead title="Alerting" actions={usage.channels === 0 ? undefined : create} />
      <AlertingNav at="/channels" />
      {usage.channels === 0 ? (
        <EmptyState icon="bell" title="No channels yet" action={create}>
          Add a channel to get notified when something goes down.
        </EmptyState>
      ) : (
        <>
          <Table
            columns={['Name', 'Type', 'Destination', 'State', 'Last delivery']}
            name="Name"
            rows={channels.map((channel) => [
              channel.id,
              <Link href={`/channels/${channel.id}`}>{channel.name}</Link>,
              kindLabel(channel.kind),
              destinationOf(channel, viewer),
              <ChannelState channel={channel} outcome={outcomes.get(channel.id)} />,
              <Outcome outcome={outcomes.get(channel.id)} />,
            ])}
          />
          <Pager path="/channels" pages={pages} read={read} of="channels" />
        </>
      )}
      {plan.max_channels === 0 ? null : (
        <p class="hint">
          {usage.channels} of {plan.max_channels} channels used on the {plan_name} plan.
        </p>
      )}
    </>,
  )
}

function Outcome({ outcome }: { outcome: LastOutcome | undefined }) {
  if (!outcome) return <>None yet</>
  return (
    <>
      <DeliveryMark state={outcome.state} /> <Ago at={outcome.last_attempt_at ?? outcome.created_at} />
      {outcome.state === 'delivered' || outcome.last_error === null
        ? null
        : [<br />, <small>{outcome.last_error}</small>]}
    </>
  )
}

export async function deliveriesPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const log = await deliveryLog(deps, org.org_id, query, {
    path: '/channels/deliveries',
    channels: await readChannels(deps, org.org_id),
    nothing: 'No deliveries yet. Open a channel and send a test message to try it.',
  })
  return page(
    'Delivery log',
    <>
      <PageHead title="Alerting" />
      <AlertingNav at="/channels/deliveries" />
      <h2 class="heard">Delivery log</h2>
      {log}
    </>,
  )
}
