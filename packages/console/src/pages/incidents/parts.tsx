// Renders the parts that the overview and the pages of incidents share: links, notified channels, and the buttons of an open
// incident.

import { heldWords } from '@dogwatch/domain/incidents/cause'
import type { ToldChannel } from '@dogwatch/domain/overview/read'
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../../design/icons.tsx'
import { type Acknowledgeable, AcknowledgedBy, AcknowledgementButtons } from '../../parts/acknowledged.tsx'
import { MuteMenu } from '../../parts/muted.tsx'
import { Ago, At, useNow } from '../../parts/time.tsx'
import { PostButton } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'

/** Check or heartbeat of an incident, with the data that links need. */
export interface Subject {
  kind: 'check' | 'heartbeat'
  guid: string
  name: string
}

export function subjectPath({ kind, guid }: Pick<Subject, 'kind' | 'guid'>): string {
  return `/${kind}s/${guid}`
}

export function incidentPath(incident_id: string): string {
  return `/incidents/${incident_id}`
}

/** Returns the path of the incidents of one check or heartbeat. */
export function incidentsPathOf(subject: { kind: 'check' | 'heartbeat'; guid: string }): string {
  return `/incidents?${subject.kind}=${encodeURIComponent(subject.guid)}`
}

/** Renders a line with an icon in front of it. */
export function Line({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <li>
      <Icon name={icon} /> <span>{children}</span>
    </li>
  )
}

interface ToldProps {
  told: readonly ToldChannel[]
  /** Reason why no one was notified yet. `due_at` is the time of the next decision about it. */
  held_by: string | null
  due_at?: string | null
}

/** Renders the notified channels: `Notified: Ops mail (14:03). Delivery failing: Slack (404).` */
export function Told({ told, held_by, due_at = null }: ToldProps) {
  const reached = told.filter(({ state }) => state === 'delivered' || state === 'summarised')
  const failing = told.filter(
    ({ state, last_error }) => state === 'failed' || (state === 'pending' && last_error !== null),
  )
  const others = told.filter((one) => !reached.includes(one) && !failing.includes(one))
  return (
    <>
      {reached.length === 0 ? null : ['Notified: ', <Channels channels={reached} />, '. ']}
      {failing.length === 0 ? null : (
        <>
          <strong class="bad">Delivery failing:</strong> <Channels channels={failing} showsErrors />.{' '}
        </>
      )}
      {others.length === 0 ? null : ['Sending to ', <Channels channels={others} />, '. ']}
      {held_by === null ? null : <Held held_by={held_by} due_at={due_at} />}
      {told.length === 0 && held_by === null ? 'No one was notified.' : null}
    </>
  )
}

/** Renders `No one has been notified yet. The alert will be sent if it lasts that long (in 4 min, 14:03).` */
export function Held({ held_by, due_at }: { held_by: string; due_at: string | null }) {
  const now = useNow()
  return (
    <>
      No one has been notified yet. The alert will be sent {heldWords(held_by)}
      {due_at === null || Date.parse(due_at) <= now.getTime()
        ? null
        : [' (', <Ago at={due_at} brief />, ', ', <At at={due_at} />, ')']}
      .{' '}
    </>
  )
}

function Channels(props: { channels: readonly ToldChannel[]; showsErrors?: boolean }) {
  const { channels, showsErrors } = props
  return (
    <>
      {channels.map(({ id, name, at, last_error }, index) => (
        <span>
          {index > 0 ? ', ' : ''}
          <Link href={`/channels/${id}`}>{name}</Link>
          {showsErrors && last_error !== null ? (
            <span class="hint-inline"> ({last_error})</span>
          ) : (
            <span class="hint-inline">
              {' '}
              (<At at={at} />)
            </span>
          )}
        </span>
      ))}
    </>
  )
}

/** Renders who acknowledged an open incident. */
export function Care({ incident }: { incident: Acknowledgeable }) {
  return incident.acknowledged_at === null ? (
    <>Not acknowledged.</>
  ) : (
    <>
      Acknowledged by <AcknowledgedBy incident={incident} />.
    </>
  )
}

interface VerbProps {
  subject: Subject
  incident: Acknowledgeable
  muted_until: string | null
  /** Path of the page to return to. */
  to: string
  /** Whether the page is about this incident alone. */
  isMain?: boolean
}

/** Renders the buttons to acknowledge and mute, or to undo each. */
export function Verbs({ subject, incident, muted_until, to, isMain = false }: VerbProps) {
  const path = subjectPath(subject)
  return (
    <div class="actions">
      <AcknowledgementButtons
        path={path}
        name={subject.name}
        incident={incident}
        kind={isMain ? 'primary' : 'secondary'}
        to={to}
      />
      {muted_until === null ? (
        <MuteMenu path={path} name={subject.name} to={to} isDown />
      ) : (
        <PostButton
          action={`${path}/unmute`}
          hidden={{ to }}
          kind="quiet"
          icon="bell"
          label={`Unmute: ${subject.name}`}
          text="Unmute"
        />
      )}
    </div>
  )
}
