// Renders the part above every tab of a check: its state, the cause, the monitors, since when, and who was notified.

import { failureWords } from '@dogwatch/channels/failure-words'
import { faultOfRetries } from '@dogwatch/check-rules/retries'
import { ableWords } from '@dogwatch/domain/checks/able'
import { daysLeft } from '@dogwatch/domain/checks/degraded'
import { subjectOf } from '@dogwatch/domain/checks/event-data'
import type { CheckInDetail, MonitorSight } from '@dogwatch/domain/checks/inspect'
import { unconfirmedWords } from '@dogwatch/domain/checks/unconfirmed'
import type { Deps } from '@dogwatch/domain/deps'
import { sightWords, verdictWords } from '@dogwatch/domain/incidents/cause'
import { type MuteRow, readMute } from '@dogwatch/domain/mutes/mute'
import type { ComponentChildren } from 'preact'
import { StateBadge, StateMark, stateWord } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { type Fact, Facts, PageHead } from '../../design/layout.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { CareOf } from '../../parts/care.tsx'
import { Ago, At, Since, span, useNow } from '../../parts/time.tsx'
import { PostButton } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type PageAnswer, page } from '../../route.ts'
import { dayText } from '../../status/wording.ts'
import { incidentPath, Told } from '../incidents/parts.tsx'
import { nameOf } from '../monitors/parts.tsx'
import { RunNow } from './run-now.tsx'
import { expiryText } from './shown.tsx'

const TABS = [
  ['', 'Overview'],
  ['/results', 'Results'],
  ['/incidents', 'Incidents'],
  ['/definition', 'Definition'],
  ['/alerts', 'Alerts'],
] as const
type Tab = (typeof TABS)[number][0]

/** Renders a page of a check: its head, its tabs, and the content of the chosen tab. */
export async function tabPage(
  deps: Deps,
  view: CheckInDetail & { org_id: number },
  tab: Tab,
  children: ComponentChildren,
): Promise<PageAnswer> {
  const { check } = view
  const muted = await readMute(deps, view.org_id, subjectOf(view.check))
  const path = `/checks/${check.guid}`
  const tabs = TABS.filter(([end]) => end !== '/results' || !view.judged_by_server)
  const pages = tabs.map(([end, label]) => ({ href: `${path}${end}`, label }))
  return page(
    check.name,
    <>
      <Head view={view} muted={muted} />
      <Tabs label="Check" pages={pages} at={`${path}${tab}`} />
      {children}
    </>,
  )
}

function Head({ view, muted }: { view: CheckInDetail; muted: MuteRow | undefined }) {
  const now = useNow()
  const { check, state, latest } = view
  const path = `/checks/${check.guid}`
  return (
    <div class="check-head" data-live="standing">
      <PageHead title={check.name} state={<StateBadge state={state} />} />
      <div class="standing" data-look-again={latest === undefined && check.enabled ? 'yes' : undefined}>
        <StandingLine view={view} />
        <Cause view={view} />
        <Unconfirmed view={view} />
        <Places view={view} />
        <Flapping view={view} />
        <Degraded view={view} />
        <Unwatched view={view} />
        <Able view={view} />
        <IdleRetries view={view} />
        <WhoKnows view={view} />
      </div>
      <Actions view={view} />
      <Facts facts={factsOf(view, now)} />
      <CareOf path={path} name={check.name} incidents={view.incidents} muted={muted} />
    </div>
  )
}

function StandingLine({
  view: { state, since, latest, judged_by_server },
}: {
  view: Pick<CheckInDetail, 'state' | 'since' | 'latest' | 'judged_by_server'>
}) {
  if (state === 'unknown' && latest === undefined)
    return <p>{judged_by_server ? 'Not judged yet' : 'No results yet'}</p>
  return (
    <p>
      {stateWord(state)}
      {since === null ? null : [' for ', <Since at={since} />]}
      {latest === undefined ? (
        judged_by_server ? null : (
          ' · no results yet'
        )
      ) : (
        <>
          {' '}
          · last run <Ago at={latest.ran_at} />:{' '}
          {latest.success ? `passed in ${latest.latency_ms} ms` : <span class="bad">failed</span>}
        </>
      )}
    </p>
  )
}

/** Renders why a check is down: the error of the newest failure, and the rule that makes it count. */
function Cause({ view: { state, incidents, newest, judgement } }: { view: CheckInDetail }) {
  if (state !== 'down') return null
  if (judgement !== undefined) {
    return judgement.state !== 'down' ? null : (
      <p class="cause">
        <strong class="bad">{judgement.reason}</strong>
      </p>
    )
  }
  const open = incidents.find(({ ended_at }) => ended_at === null)
  // `Places` already renders the monitors, so a verdict about places is not repeated.
  const why = open && !open.verdict?.places ? verdictWords(open.verdict, open.began_at) : ''
  const error = newest.find(({ success }) => !success)?.error ?? ''
  if (error === '' && why === '') return null
  return (
    <p class="cause">
      {error === '' ? null : <strong class="bad">{failureWords(error)}</strong>}
      {why === '' ? null : ` Trigger: ${why}.`}
    </p>
  )
}

/** Explains why a check that fails is not down. */
function Unconfirmed({ view: { state, check, monitors, newest } }: { view: CheckInDetail }) {
  if (state !== 'failing') return null
  const error = newest.find(({ success }) => !success)?.error ?? ''
  return (
    <p>
      {error === '' ? null : <strong>{failureWords(error)}</strong>} {unconfirmedWords(check, monitors, newest)}
    </p>
  )
}

/** Renders which monitors see the check fail: `Failing from 2 of 3 monitors: fra-1, sgp-1. Passing: nyc-2.` */
function Places({ view: { state, monitors } }: { view: CheckInDetail }) {
  const seen = monitors.filter(({ is_on, is_able, latest }) => is_on && is_able && latest !== undefined)
  const failing = seen.filter(({ latest }) => latest?.success === false)
  if (state === 'paused' || failing.length === 0) return null
  const fine = seen.filter((one) => !failing.includes(one))
  return <p>{sightWords({ failing: namesOf(failing), fine: namesOf(fine) })}.</p>
}

function namesOf(monitors: readonly MonitorSight[]): string[] {
  return monitors.map(nameOf).toSorted((a, b) => a.localeCompare(b, 'en'))
}

function Flapping({ view: { flapping_since } }: { view: CheckInDetail }) {
  if (flapping_since === null) return null
  return (
    <p>
      Flapping between up and down since <At at={flapping_since} /> (
      <Ago at={flapping_since} brief />
      ). Alerts are paused until the check has been down for 7 min 30 s or up for 30 min.
    </p>
  )
}

/** Says how many of the enabled monitors can run the check, unless all can. */
function Able({ view: { check, monitors } }: { view: CheckInDetail }) {
  const words = ableWords(
    check,
    monitors.filter(({ is_on }) => is_on),
  )
  return words === undefined ? null : <p>{`${words}.`}</p>
}

/** Warns of retries that are never made with the check's number of monitors. */
function IdleRetries({ view: { check, monitors } }: { view: CheckInDetail }) {
  const fault = faultOfRetries({ ...check }, monitors.filter(({ is_able }) => is_able).length)
  return fault === undefined ? null : <p>{`The number of retries ${fault}.`}</p>
}

/** Renders the reasons of a degradation, also while the check is down or unmonitored. */
function Degraded({ view: { state, degraded_reasons, judged_by_server } }: { view: CheckInDetail }) {
  if (state === 'paused' || degraded_reasons.length === 0) return null
  // If the server judges the check, the reason of its latest judgement replaces that of a degradation.
  if (judged_by_server && state !== 'degraded') return null
  return (
    <p>
      {state === 'degraded' ? 'Degraded' : <StateMark state="degraded" />}: {degraded_reasons.join('; ')}.
    </p>
  )
}

/** Renders why the state of the check is unknown, and since when. */
function Unwatched({ view }: { view: CheckInDetail }) {
  const { state, unmonitored_since, monitors, judged_by_server, judgement } = view
  if (state === 'paused' || unmonitored_since === null) return null
  if (judged_by_server) return <p>{`Not monitored: ${judgement?.reason ?? 'not judged yet'}.`}</p>
  const online = monitors.filter(({ is_online, is_able }) => is_online && is_able).length
  const isAnyUnable = monitors.some(({ is_on, is_able }) => is_on && !is_able)
  return (
    <p>
      {state === 'down' ? <StateMark state="unmonitored" /> : 'Not monitored'} since <At at={unmonitored_since} /> (
      <Ago at={unmonitored_since} brief />
      ):{' '}
      {online === 0
        ? `no assigned monitor ${isAnyUnable ? 'that is online can run this check' : 'is online'}.`
        : `${online} ${online === 1 ? 'monitor is' : 'monitors are'} online but not sending results.`}
      {state === 'down' ? ' Reminders are paused until a monitor runs this check again.' : ''}
    </p>
  )
}

/** Renders who was notified of the open incident. */
function WhoKnows({ view: { state, told, incidents } }: { view: CheckInDetail }) {
  const open = incidents.find(({ ended_at }) => ended_at === null)
  if (state !== 'down' || !open) return null
  return (
    <p>
      <Told told={told} held_by={open.held_by} /> <Link href={incidentPath(open.incident_id)}>Open incident</Link>
    </p>
  )
}

function factsOf(view: CheckInDetail, now: Date): (Fact | undefined)[] {
  const { check, latest, next_run_at, cert_expires_at, judged_by_server } = view
  return [
    ['Target', check.url === '' ? 'Private (stored on your monitors)' : check.url],
    latest && ['Last run', <Ago at={latest.ran_at} />],
    next_run_at === null ? undefined : ['Next run', <Ago at={next_run_at} />],
    judged_by_server ? undefined : ['Interval', span(check.interval_sec)],
    cert_expires_at === null ? undefined : ['Certificate', certificateText(cert_expires_at, now)],
  ]
}

function certificateText(cert_expires_at: string, now: Date): string {
  const days = daysLeft({ at: now.toISOString(), cert_expires_at })
  return `${expiryText(days)} (${dayText(cert_expires_at.slice(0, 10))})`
}

function Actions({ view: { check, monitors, judged_by_server } }: { view: CheckInDetail }) {
  const path = `/checks/${check.guid}`
  return (
    <div class="actions">
      {check.enabled && !judged_by_server ? <RunNow path={path} monitors={monitors} /> : null}
      <PostButton
        action={`${path}/${check.enabled ? 'pause' : 'resume'}`}
        text={check.enabled ? 'Pause check' : 'Resume check'}
      />
      <ButtonLink href={`${path}/edit`} icon="pencil" text="Edit check" />
    </div>
  )
}
