// Renders the open incidents on the first page. Those that began together appear as one.

import { list } from '@dogwatch/channels/wording'
import { commonCauses, countedKinds, withinWords } from '@dogwatch/domain/incidents/at-once'
import { causeOf, heldWords, type Sight, sightWords } from '@dogwatch/domain/incidents/cause'
import type { IncidentNow, ToldChannel } from '@dogwatch/domain/overview/read'
import type { ComponentChildren } from 'preact'
import { Badge, StateBadge } from '../../design/badge.tsx'
import { Acknowledge } from '../../parts/acknowledged.tsx'
import { MutedUntil } from '../../parts/muted.tsx'
import { At, Since } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { Care, incidentPath, Line, Told, Verbs } from '../incidents/parts.tsx'

export function OpenIncident({ incident }: { incident: IncidentNow }) {
  const { incident_id, kind, name, began_at, sight, muted_until, muted_by, unmonitored_since } = incident
  const where = sightWords(sight)
  return (
    <Problem
      tone="bad"
      name={name}
      href={incidentPath(incident_id)}
      badges={[
        <StateBadge state="down" />,
        kind === 'heartbeat' ? <Badge icon="heart-pulse" text="Heartbeat" /> : null,
      ]}
      since={began_at}
      cause={causeOf(incident)}
      lines={
        <>
          {where === '' ? null : <Line icon="radar">{where}.</Line>}
          {unmonitored_since === null ? null : (
            <Line icon="eye-off">
              Not monitored for <Since at={unmonitored_since} />.
            </Line>
          )}
          <Line icon="bell">
            <Told told={incident.told} held_by={incident.held_by} due_at={incident.due_at} />
          </Line>
          <Line icon="hand">
            <Care incident={incident} />
          </Line>
          {muted_until === null ? null : (
            <Line icon="bell-off">
              Muted by {muted_by}
              <MutedUntil muted_until={muted_until} until_resolved={incident.until_resolved} />.
            </Line>
          )}
        </>
      }
    >
      <Verbs subject={incident} incident={incident} muted_until={muted_until} to="/" />
    </Problem>
  )
}

interface ProblemProps {
  tone: 'bad' | 'warn'
  name: string
  /** Path of the page about the problem. */
  href?: string
  badges: ComponentChildren
  since: string
  cause: ComponentChildren
  /** Items of the list of details. */
  lines: ComponentChildren
  children?: ComponentChildren
}

/** Renders a problem: its name and state, since when, its cause and its details. */
export function Problem({ tone, name, href, badges, since, cause, lines, children }: ProblemProps) {
  return (
    <article class={`trouble ${tone}`} aria-label={name}>
      <header>
        <h2>{href === undefined ? name : <Link href={href}>{name}</Link>}</h2>
        {badges}
        <span class="since">
          for <Since at={since} />, since <At at={since} />
        </span>
      </header>
      <p class="cause">{cause}</p>
      <ul class="lines">{lines}</ul>
      {children}
    </article>
  )
}

interface GroupProps {
  /** Incidents, newest first. */
  incidents: readonly IncidentNow[]
  /** Whether more incidents than these can exist. */
  isCut: boolean
}

/** Renders several incidents as one, because twelve checks that fail at once read as one problem. */
export function Group({ incidents, isCut }: GroupProps) {
  const oldest = incidents.at(-1) as IncidentNow
  const title = `${countedKinds(incidents)}${isCut ? ' or more' : ''} went down ${withinWords(incidents)}`
  const sight = sightOfAll(incidents)
  const where = sightWords(sight)
  const isAlone = sight.failing.length === 1 && sight.fine.length > 0
  const open = incidents.filter(({ acknowledged_at }) => acknowledged_at === null)
  return (
    <Problem
      tone="bad"
      name={title}
      badges={[<StateBadge state="down" />, isAlone ? <PossibleMonitorIssue /> : null]}
      since={oldest.began_at}
      cause={commonCauses(incidents.map(causeOf))}
      lines={
        <>
          {where === '' ? null : <Line icon="radar">{where}.</Line>}
          <Line icon="bell">
            <ToldOfAll incidents={incidents} />
          </Line>
          <Line icon="hand">
            {open.length === incidents.length
              ? 'Not acknowledged.'
              : open.length === 0
                ? 'All acknowledged.'
                : `${incidents.length - open.length} of ${incidents.length} acknowledged.`}
          </Line>
        </>
      }
    >
      <Members incidents={incidents} isCut={isCut} />
    </Problem>
  )
}

export function PossibleMonitorIssue() {
  return <Badge tone="bad" icon="triangle-alert" text="Possible monitor issue" />
}

/** Renders the names of the incidents, which unfold to the incidents in full. */
export function Members({ incidents, isCut = false }: Omit<GroupProps, 'isCut'> & Partial<GroupProps>) {
  const open = incidents.filter(({ acknowledged_at }) => acknowledged_at === null)
  const names = incidents.map(({ name }) => name)
  return (
    <>
      <details class="members">
        <summary>{list(names, NAMED)}</summary>
        <ul class="troubles">
          {incidents.map((incident) => (
            <li>
              <OpenIncident incident={incident} />
            </li>
          ))}
        </ul>
      </details>
      {open.length < 2 ? null : (
        <div class="actions">
          <Acknowledge
            action="/incidents/acknowledge"
            incident_ids={open.map(({ incident_id }) => incident_id)}
            name={names.slice(0, NAMED).join(', ')}
            label={`Acknowledge ${isCut ? 'these' : 'all'} ${open.length}`}
            to="/"
          />
        </div>
      )}
    </>
  )
}

const NAMED = 5

/** Returns the monitors that see any of the checks fail, and those that see none of them fail. */
function sightOfAll(incidents: readonly IncidentNow[]): Sight {
  const failing = new Set(incidents.flatMap(({ sight }) => sight.failing))
  const fine = new Set(incidents.flatMap(({ sight }) => sight.fine.filter((name) => !failing.has(name))))
  return { failing: [...failing].toSorted(), fine: [...fine].toSorted() }
}

/** Renders each notified channel once, with the worst of its deliveries, and the number of incidents without a notification. */
function ToldOfAll({ incidents }: { incidents: readonly IncidentNow[] }) {
  const told = [
    ...Map.groupBy(
      incidents.flatMap((one) => one.told),
      ({ id }) => id,
    ).values(),
  ].map(worst)
  const untold = incidents.filter((one) => one.told.length === 0)
  const reasons = new Set(untold.map(({ held_by }) => held_by))
  const [held_by = null] = reasons
  const why = reasons.size === 1 && held_by !== null ? `: alerts will be sent ${heldWords(held_by)}` : ''
  const whom =
    untold.length === incidents.length ? 'any of these incidents' : `${untold.length} of ${incidents.length} incidents`
  return (
    <>
      {told.length === 0 ? null : <Told told={told} held_by={null} />}
      {untold.length === 0 ? null : `No one has been notified of ${whom} yet${why}.`}
    </>
  )
}

function worst(deliveries: readonly ToldChannel[]): ToldChannel {
  const rank = ({ state }: ToldChannel) => (state === 'failed' ? 0 : state === 'pending' ? 1 : 2)
  const [first] = deliveries.toSorted((a, b) => rank(a) - rank(b) || (a.at < b.at ? -1 : 1))
  return first as ToldChannel
}
