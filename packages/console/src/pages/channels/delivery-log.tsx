// Renders the delivery log, newest first, with filters in the URL.

import type { Deps } from '@dogwatch/domain/deps'
import {
  cursorOf,
  DELIVERY_STATES,
  type LogFilter,
  type LoggedDelivery,
  placeAt,
  readDeliveryLog,
} from '@dogwatch/domain/events/delivery-log'
import { eventName } from '@dogwatch/domain/events/names'
import type { ComponentChildren, VNode } from 'preact'
import { Mood, type Tone } from '../../design/badge.tsx'
import { Button, ButtonLink } from '../../design/button.tsx'
import type { IconName } from '../../design/icons.tsx'
import { Table } from '../../design/table.tsx'
import { Choice } from '../../parts/field.tsx'
import { Ago, At } from '../../parts/time.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { type MemberContext, pathWith, readNumber } from '../../route.ts'

type DeliveryState = LoggedDelivery['state']
const STATES: Readonly<Record<DeliveryState, readonly [icon: IconName, word: string, tone: Tone]>> = {
  pending: ['hourglass', 'Pending', 'warn'],
  delivered: ['circle-check', 'Delivered', 'good'],
  failed: ['circle-x', 'Failed', 'bad'],
  superseded: ['chevron-right', 'Superseded', 'idle'],
  summarised: ['list-checks', 'Summarised', 'idle'],
  unconfirmed: ['hourglass', 'Awaiting confirmation', 'warn'],
}

export function DeliveryMark({ state }: { state: DeliveryState }) {
  const [icon, word, tone] = STATES[state]
  return <Mood icon={icon} tone={tone} text={word} />
}

/** Filters that a delivery log offers, and those that always apply to it. */
interface LogOf {
  /** Path of the log's pages. */
  path: string
  /** Channels to choose from. Absent in the log of a single channel. */
  channels?: readonly { id: number; name: string }[] | undefined
  /** Filter that always applies: one channel or one check. */
  only?: Pick<LogFilter, 'channel_id' | 'check_id'>
  /** Text of a log without deliveries. */
  nothing: string
}

/** Renders the page of a log that the query selects. */
export async function deliveryLog(
  deps: Deps,
  org_id: number,
  query: MemberContext['query'],
  log: LogOf,
): Promise<VNode> {
  const { path, channels, only, nothing } = log
  const filter: LogFilter = {
    channel_id: channels === undefined ? undefined : readNumber(query.channel),
    state: DELIVERY_STATES.find((one) => one === query.state),
    incident_id: query.incident || undefined,
    ...only,
  }
  const from = placeAt(query.before ?? '')
  const { deliveries, before, searched_to } = await readDeliveryLog(deps, org_id, { ...filter, before: from })
  const namesChannel = only?.channel_id === undefined
  const chosen = {
    channel: namesChannel ? filter.channel_id?.toString() : undefined,
    state: filter.state,
    incident: filter.incident_id,
  }
  const isFiltered = Object.values(chosen).some((value) => value !== undefined)
  if (deliveries.length === 0 && from === undefined && !isFiltered) return <p class="empty">{nothing}</p>
  return (
    <>
      <Filters log={log} filter={filter} isFiltered={isFiltered} />
      <Table
        columns={[...ABOUT, ...(namesChannel ? ['Channel'] : []), ...OUTCOME]}
        numbers={['Attempts']}
        rows={deliveries.map((delivery) => [delivery.delivery_id, ...cellsOf(delivery, namesChannel)])}
        empty={isFiltered ? 'No deliveries match these filters.' : 'No earlier deliveries.'}
      />
      {searched_to === undefined ? null : (
        <p class="hint">
          Searched as far back as <At at={searched_to} />.
        </p>
      )}
      <p class="actions">
        {from === undefined ? null : <Link href={pathWith(path, chosen)}>Back to latest deliveries</Link>}
        {before === undefined ? null : (
          <Link href={pathWith(path, { ...chosen, before: cursorOf(before) })}>
            {searched_to === undefined ? 'Show earlier deliveries' : 'Search earlier deliveries'}
          </Link>
        )}
      </p>
    </>
  )
}

function Filters({ log, filter, isFiltered }: { log: LogOf; filter: LogFilter; isFiltered: boolean }) {
  const { path, channels } = log
  const { channel_id, state = '', incident_id } = filter
  return (
    <SearchForm action={path} class="filters">
      {channels === undefined ? null : (
        <Choice
          name="channel"
          label="Channel"
          value={String(channel_id ?? '')}
          options={[['', 'All'], ...channels.map(({ id, name }) => [String(id), name] as const)]}
        />
      )}
      <Choice
        name="state"
        label="State"
        value={state}
        options={[['', 'All'], ...DELIVERY_STATES.map((one) => [one, STATES[one][1]] as const)]}
      />
      {incident_id === undefined ? null : (
        <p class="tick">
          <label>
            <input type="checkbox" name="incident" value={incident_id} checked /> Only for{' '}
            <Link href={`/incidents/${encodeURIComponent(incident_id)}`}>this incident</Link>
          </label>
        </p>
      )}
      <p class="actions">
        <Button text="Apply filters" />
        {isFiltered ? <ButtonLink href={path} kind="quiet" text="Clear filters" /> : null}
      </p>
    </SearchForm>
  )
}

const ABOUT = ['Created', 'Event', 'Check or heartbeat']
const OUTCOME = ['State', 'Attempts', 'Next attempt', 'Response', 'Last error']

function cellsOf(delivery: LoggedDelivery, namesChannel: boolean): ComponentChildren[] {
  const { channel, last_status, last_latency_ms } = delivery
  const answer = [
    ...(last_status === null ? [] : [`Status ${last_status}`]),
    ...(last_latency_ms === null ? [] : [`${last_latency_ms} ms`]),
  ]
  return [
    <Ago at={delivery.created_at} />,
    eventName(delivery.event),
    <About delivery={delivery} />,
    ...(namesChannel ? [<Link href={`/channels/${channel.id}`}>{channel.name}</Link>] : []),
    <DeliveryMark state={delivery.state} />,
    delivery.attempts,
    delivery.next_attempt_at === null ? '–' : <Ago at={delivery.next_attempt_at} />,
    answer.length === 0 ? '–' : answer.join(', '),
    <span class="lines">{delivery.last_error ?? '–'}</span>,
  ]
}

/** Renders the names in a delivery, ten at most, with a link to the incident. */
function About({ delivery: { names, incident_id } }: { delivery: LoggedDelivery }) {
  if (names.length === 0) return <>–</>
  const text = names.length > 10 ? `${names.slice(0, 10).join(', ')} and more` : names.join(', ')
  return incident_id === null ? <>{text}</> : <Link href={`/incidents/${incident_id}`}>{text}</Link>
}
