// Shows one heartbeat: its state, its ping URL, its newest pings and its incidents.

import { heartbeatSubject } from '@dogwatch/domain/heartbeats/event-data'
import { pingUrl } from '@dogwatch/domain/heartbeats/ping-url'
import {
  type HeartbeatIncident,
  type OneHeartbeat,
  type PingRow,
  readHeartbeat,
  readHeartbeatBars,
  readHeartbeatHistory,
} from '@dogwatch/domain/heartbeats/read'
import { readMute } from '@dogwatch/domain/mutes/mute'
import { StateBadge } from '../../design/badge.tsx'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Card, type Fact, Facts, PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { AcknowledgedBy } from '../../parts/acknowledged.tsx'
import { CareOf } from '../../parts/care.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { duration, intervalText } from '../../parts/duration.ts'
import { deletionPage } from '../../parts/pages.tsx'
import { Ago, At, Lasted, Since, useNow } from '../../parts/time.tsx'
import { PostButton, PostForm } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { DaysBar, RunTimes } from './bars.tsx'
import { LastBeat, NextDue, NextTimes, RunTime, scheduleText, sinceWhen, stateOf } from './parts.tsx'
import { recipesFor } from './recipes.ts'

/** Number of pings to show at first. Each can have a long body. */
const PINGS_AT_FIRST = 20
const KINDS: Readonly<Record<PingRow['kind'], string>> = {
  beat: 'Success',
  start: 'Start',
  fail: 'Failure',
  log: 'Log',
  exit_code: 'Failure',
}
const END_REASONS = new Map(Object.entries({ recovered: 'Ping received', disabled: 'Heartbeat paused' }))

export async function heartbeatOf({ deps, org, params }: MemberContext): Promise<OneHeartbeat> {
  return readHeartbeat(deps, org.org_id, params.heartbeat ?? '')
}

export async function heartbeatPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, options, query, viewer } = context
  const heartbeat = await heartbeatOf(context)
  const { pings, incidents } = await readHeartbeatHistory(deps, heartbeat)
  const muted = await readMute(deps, heartbeat.org_id, heartbeatSubject(heartbeat))
  const bars = await readHeartbeatBars(deps, heartbeat.org_id, [heartbeat.heartbeat_id])
  const now = deps.clock.now()
  return page(
    heartbeat.name,
    <>
      <PageHead
        title={heartbeat.name}
        crumbs={[{ href: '/heartbeats', label: 'Heartbeats' }]}
        state={<StateBadge state={stateOf(heartbeat, now)} />}
        actions={<Actions heartbeat={heartbeat} />}
      >
        <Headline heartbeat={heartbeat} pings={pings} />
      </PageHead>
      <Facts facts={factsOf(heartbeat, now)} />
      <CareOf path={`/heartbeats/${heartbeat.guid}`} name={heartbeat.name} incidents={incidents} muted={muted} />
      <Card title="Last 30 days (UTC)">
        <DaysBar days={bars.get(heartbeat.heartbeat_id) ?? []} />
        <RunTimes pings={pings} />
      </Card>
      <Card title="Ping URL">
        {maySeeSecrets(viewer) ? (
          <PingUrl heartbeat={heartbeat} url={pingUrl(options.public_url, heartbeat.token)} />
        ) : (
          <HiddenWhileImpersonating viewer={viewer}>The ping URL is</HiddenWhileImpersonating>
        )}
      </Card>
      <Card title="Recent pings">
        <Pings guid={heartbeat.guid} pings={pings} showsAll={query.calls === 'all'} />
      </Card>
      <Card title="Incidents">
        <Incidents incidents={incidents} />
      </Card>
    </>,
  )
}

interface HeadlineProps {
  heartbeat: OneHeartbeat
  /** Pings, newest first. */
  pings: readonly PingRow[]
}

/** Renders the state of the heartbeat as a sentence. */
function Headline({ heartbeat, pings }: HeadlineProps) {
  const now = useNow()
  const { down_since, due_at } = heartbeat
  const state = stateOf(heartbeat, now)
  if (state === 'down' && down_since !== null) {
    return (
      <>
        Down for <Since at={down_since} />, since <At at={down_since} />. {downWords(pings)}
      </>
    )
  }
  if (state === 'late' && due_at !== null) {
    return (
      <>
        Late: the next ping is overdue. The heartbeat goes down <Ago at={due_at} /> unless the job pings first.
      </>
    )
  }
  if (state === 'unmonitored')
    return <>Overdue. The current state is unknown, because no worker is running on this server.</>
  if (state === 'new') return <>Waiting for the first ping.</>
  if (state === 'up') return <>Pings are arriving on time.</>
  if (state === 'disabled') return <>Disabled by Dogwatch. Pings are recorded, but no alerts are sent.</>
  return <>Paused. Pings are recorded, but no alerts are sent.</>
}

/** Explains why a heartbeat is down, by the newest ping that ended a run. */
function downWords(pings: readonly PingRow[]): string {
  const last = pings.find(({ kind }) => kind !== 'start' && kind !== 'log')
  if (last === undefined) return 'No ping received in time, or the job reported a failure.'
  return last.kind === 'beat' ? 'No ping received in time.' : 'The latest run reported a failure.'
}

function factsOf(heartbeat: OneHeartbeat, now: Date): (Fact | undefined)[] {
  const { cron, cron_zone, grace_sec, resend_interval_sec, show_on_status_page, tags } = heartbeat
  const since = sinceWhen(heartbeat, now)
  const next = <NextTimes cron={cron ?? ''} zone={cron_zone ?? 'UTC'} none="None. Correct the cron expression." />
  return [
    since === null ? undefined : ['Time in this state', <Since at={since} />],
    ['Last ping', <LastBeat heartbeat={heartbeat} />],
    ['Next ping due', <NextDue heartbeat={heartbeat} />],
    ['Last run duration', <RunTime duration_ms={heartbeat.last_duration_ms} />],
    ['Schedule', `${scheduleText(heartbeat)} (${duration(grace_sec)} grace period)`],
    cron === null ? undefined : ['Next scheduled pings', next],
    ['Reminder interval', resend_interval_sec === 0 ? 'No reminders' : `Every ${intervalText(resend_interval_sec)}`],
    ['Public status page', show_on_status_page ? 'Shown' : 'Not shown'],
    tags.length === 0 ? undefined : ['Tags', tags.join(', ')],
  ]
}

function Actions({ heartbeat: { guid, enabled } }: { heartbeat: OneHeartbeat }) {
  const path = `/heartbeats/${guid}`
  return (
    <>
      <PostButton
        action={`${path}/${enabled ? 'pause' : 'resume'}`}
        text={enabled ? 'Pause heartbeat' : 'Resume heartbeat'}
      />
      <ButtonLink href={`${path}/edit`} icon="pencil" text="Edit heartbeat" />
      <ButtonLink href={`${path}/delete`} kind="danger" opensDialog text="Delete heartbeat…" />
    </>
  )
}

function PingUrl({ heartbeat, url }: { heartbeat: OneHeartbeat; url: string }) {
  return (
    <>
      <p>
        Send a request to this URL after each successful run. To report the start of a run, append <code>/start</code>{' '}
        to the URL. To report a failure, append <code>/fail</code> or the exit code, for example <code>/3</code>. To
        send only a message, append <code>/log</code>. If runs can overlap, add <code>?rid=</code> with an ID for each
        run.
      </p>
      <CopyBlock id="ping-url" text={url} label="Ping URL" />
      {recipesFor(url, heartbeat.interval_sec, heartbeat.cron).map(({ id, label, hint, text }, i) => (
        <details class="part" open={i === 0 && heartbeat.last_heartbeat_at === null}>
          <summary>{label}</summary>
          <p class="hint">{hint}</p>
          <CopyBlock id={`recipe-${id}`} text={text} label={`${label} example`} />
        </details>
      ))}
      <details class="part">
        <summary>Replace ping URL</summary>
        <p>Replace the URL if it may have been exposed. The old URL stops working immediately, so update your job.</p>
        <PostForm action={`/heartbeats/${heartbeat.guid}/rotate`}>
          <Button kind="danger" text="Replace ping URL" />
        </PostForm>
      </details>
    </>
  )
}

function Pings(props: { guid: string; pings: readonly PingRow[]; showsAll: boolean }) {
  const { guid, pings, showsAll } = props
  if (pings.length === 0) return <p class="empty">No pings yet. Add the ping URL to your job.</p>
  const shown = showsAll ? pings : pings.slice(0, PINGS_AT_FIRST)
  return (
    <>
      <Table
        columns={['No.', 'Time', 'Type', 'Run duration', 'Run ID', 'Log']}
        numbers={['No.']}
        words={['Type']}
        rows={shown.map((ping) => [
          ping.n,
          ping.n,
          <Ago at={ping.created_at} />,
          <PingKind ping={ping} />,
          <RunTime duration_ms={ping.duration_ms} none="–" />,
          ping.rid ?? '–',
          <PingLog ping={ping} />,
        ])}
      />
      {shown.length < pings.length ? (
        <p>
          <Link href={`/heartbeats/${guid}?calls=all`}>Show latest {pings.length} pings</Link>
        </p>
      ) : null}
    </>
  )
}

function PingKind({ ping: { kind, exit_code } }: { ping: PingRow }) {
  const tone = kind === 'beat' ? 'good' : kind === 'fail' || kind === 'exit_code' ? 'bad' : 'idle'
  return (
    <>
      <span class={tone}>{KINDS[kind]}</span>
      {exit_code === null ? null : `, exit code ${exit_code}`}
    </>
  )
}

function PingLog({ ping: { n, body } }: { ping: PingRow }) {
  if (body === null || body === '') return <>–</>
  return (
    <pre class="sample" tabIndex={0} aria-label={`Log of ping ${n}`}>
      {body}
    </pre>
  )
}

function Incidents({ incidents }: { incidents: readonly HeartbeatIncident[] }) {
  if (incidents.length === 0) return <p>No incidents. This heartbeat has never been down.</p>
  return (
    <Table
      columns={['Started', 'Duration', 'Resolution', 'Acknowledged by', 'Reminders sent']}
      numbers={['Reminders sent']}
      rows={incidents.map(({ began_at, ended_at, end_reason, reminders, ...incident }) => [
        incident.incident_id,
        <Link href={`/incidents/${incident.incident_id}`}>
          <Ago at={began_at} />
        </Link>,
        ended_at === null ? <Since at={began_at} /> : <Lasted began_at={began_at} ended_at={ended_at} />,
        ended_at === null ? <span class="bad">Ongoing</span> : (END_REASONS.get(end_reason ?? '') ?? '–'),
        <AcknowledgedBy incident={incident} />,
        reminders,
      ])}
    />
  )
}

export function deleteHeartbeatPage({ guid, name }: OneHeartbeat): PageAnswer {
  const about =
    'The ping URL stops working, and all pings and incidents are deleted. This cannot be undone. To stop alerts but keep the history, pause the heartbeat instead.'
  return deletionPage({ name, path: `/heartbeats/${guid}`, what: 'heartbeat', about })
}
