// Lists what is wrong now, newest first: incidents, offline monitors, failing channels.
import {
  type Doubtful,
  type FailingChannel,
  type FailingMonitor,
  type IncidentNow,
  type OfflineMonitor,
  type Overview,
  type Trouble,
} from '@dogwatch/domain/overview/read'
import { Badge, StateBadge, stateWord } from '../../design/badge.tsx'
import { Card } from '../../design/layout.tsx'
import { Ago, At, Since } from '../../parts/time.tsx'
import { Link } from '../../rights.tsx'
import { Line, Told } from '../incidents/parts.tsx'
import { Group, Members, OpenIncident, PossibleMonitorIssue, Problem } from './incidents.tsx'

export function Troubles({ overview }: { overview: Overview }) {
  const { troubles, open, unmonitored, failing, degraded, counts } = overview
  const shown = troubles.reduce((sum, trouble) => sum + countIn(trouble), 0)
  return (
    <section aria-label="Current problems">
      {troubles.length === 0 ? null : (
        <ul class="troubles">
          {troubles.map((trouble) => (
            <li>
              <Shown trouble={trouble} />
            </li>
          ))}
        </ul>
      )}
      {open > shown ? (
        <p>
          <Link href="/incidents?state=open">
            View all {open} open incidents ({open - shown} more)
          </Link>
        </p>
      ) : null}
      <Doubtfuls
        state="unmonitored"
        title="Not monitored"
        some={unmonitored}
        counts={counts}
        hint="No recent results, so the current state is unknown."
      />
      <Doubtfuls
        state="failing"
        title="Failing, but not yet down"
        some={failing.map(({ guid, name, at }) => ({ guid, name, since: at, reason: null }))}
        counts={counts}
        hint="The latest runs of these checks failed. A check goes down when it reaches its failure threshold."
      />
      <Doubtfuls
        state="degraded"
        title="Degraded"
        some={degraded}
        counts={counts}
        hint="Up, but slow or with a certificate that expires soon."
      />
    </section>
  )
}

/** Returns the number of incidents that a problem contains. */
function countIn(trouble: Trouble): number {
  if (trouble.kind === 'incident') return 1
  return trouble.kind === 'group' || trouble.kind === 'failing' ? trouble.incidents.length : 0
}

function Shown({ trouble }: { trouble: Trouble }) {
  if (trouble.kind === 'incident') return <OpenIncident incident={trouble.incident} />
  if (trouble.kind === 'monitor') return <Offline monitor={trouble.monitor} />
  if (trouble.kind === 'group') return <Group incidents={trouble.incidents} isCut={trouble.isCut} />
  if (trouble.kind === 'failing') {
    return <Suspected monitor={trouble.monitor} incidents={trouble.incidents} />
  }
  return <Failing channel={trouble.channel} />
}

function Offline({ monitor: { id, name, since, checks, told } }: { monitor: OfflineMonitor }) {
  return (
    <Problem
      tone="warn"
      name={name.trim() === '' ? id : name}
      href={`/monitors/${id}`}
      badges={[<StateBadge state="offline" />, <Badge icon="radar" text="Monitor" />]}
      since={since}
      cause={`This monitor has stopped reporting. ${checks} ${checks === 1 ? 'check' : 'checks'} affected.`}
      lines={<ToldLine told={told} />}
    />
  )
}

function ToldLine({ told }: Pick<OfflineMonitor, 'told'>) {
  return (
    <Line icon="bell">
      <Told told={told} held_by={null} />
    </Line>
  )
}

/** Renders a monitor with many checks that fail from it and from nowhere else. One alert covers all of them. */
function Suspected(props: { monitor: FailingMonitor; incidents: readonly IncidentNow[] }) {
  const { monitor, incidents } = props
  const { id, name, since, names, count, told } = monitor
  const rest = count - names.length
  return (
    <Problem
      tone="bad"
      name={name.trim() === '' ? id : name}
      href={`/monitors/${id}`}
      badges={[<PossibleMonitorIssue />, <Badge icon="radar" text="Monitor" />]}
      since={since}
      cause={`${count} ${count === 1 ? 'check fails' : 'checks fail'} only from this monitor.`}
      lines={
        <>
          {names.length === 0 || incidents.length > 0 ? null : (
            <Line icon="list-checks">{`${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`}</Line>
          )}
          <ToldLine told={told} />
        </>
      }
    >
      {incidents.length === 0 ? null : <Members incidents={incidents} />}
    </Problem>
  )
}

function Failing({ channel }: { channel: FailingChannel }) {
  const { id, name, since, last_error, next_attempt_at } = channel
  return (
    <Problem
      tone="warn"
      name={name}
      href={`/channels/${id}`}
      badges={[
        <Badge tone="bad" icon="triangle-alert" text="Delivery failing" />,
        <Badge icon="bell" text="Channel" />,
      ]}
      since={since}
      cause={last_error ?? 'Alerts are not being delivered.'}
      lines={
        <Line icon="bell">
          {next_attempt_at === null
            ? 'Delivery stopped after repeated failures. No alerts are sent through this channel.'
            : ['Alerts are queued. Next attempt ', <Ago at={next_attempt_at} />, '.']}
        </Line>
      }
    />
  )
}

interface DoubtfulsProps {
  state: 'unmonitored' | 'failing' | 'degraded'
  title: string
  /** Checks in this state, with its start: a few of them. For failing checks, `since` is the time of the last failure. */
  some: readonly Doubtful[]
  counts: Overview['counts']
  hint: string
}

/** Renders checks that are not down but need attention: a few of them, and a link to the others. */
function Doubtfuls({ state, title, some, counts, hint }: DoubtfulsProps) {
  const count = counts.checks[state] ?? 0
  if (count === 0) return null
  return (
    <Card title={title} tone="warn">
      <p class="hint">{hint}</p>
      <ul class="plain" hidden={some.length === 0}>
        {some.map(({ guid, name, since, reason }) => (
          <li>
            <Link href={`/checks/${guid}`}>{name}</Link>
            {state === 'failing'
              ? [': last failed ', <Ago at={since} />]
              : [': ', stateWord(state).toLowerCase(), ' for ', <Since at={since} />, ', since ', <At at={since} />]}
            {reason === null ? '' : ` (${reason})`}
          </li>
        ))}
      </ul>
      {count > some.length ? (
        <p>
          {some.length === 0 ? '' : `+${count - some.length} more. `}
          <Link href={`/checks?state=${state}`}>{count === 1 ? 'View check' : `View all ${count} checks`}</Link>
        </p>
      ) : null}
    </Card>
  )
}
