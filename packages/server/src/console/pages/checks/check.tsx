// One check: its state, its monitors, its history and its results.
import type { VNode } from 'preact'
import {
  type CheckInDetail,
  INCIDENTS_SHOWN,
  inspectCheck,
  type MonitorSight,
  type Period,
  RESULTS_SHOWN,
} from '../../../domain/checks/inspect.ts'
import { subjectOf } from '../../../domain/checks/event-data.ts'
import { readMute } from '../../../domain/mutes/mute.ts'
import { averageLatency } from '../../../domain/results/latency.ts'
import { type Runs, sumRuns, uptime } from '../../../domain/results/uptime.ts'
import { unknownSec, type Watch } from '../../../domain/results/watched.ts'
import { PostForm } from '../../frame.tsx'
import { AcknowledgedBy, Acknowledging } from '../../parts/acknowledged.tsx'
import { Muting } from '../../parts/muted.tsx'
import { LatencyChart } from '../../parts/chart.tsx'
import { type State, StateMark } from '../../parts/state.tsx'
import { Ago, Since, span } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { SetFields } from './set-fields.tsx'
import { RunNow } from './run-now.tsx'
import { Latency, percentText } from './shown.tsx'
import { verdictWords as whyDown } from '../../../domain/incidents/cause.ts'

const PERIODS: readonly (readonly [name: string, period: Period, label: string])[] = [
  ['24h', 'day', '24 hours'],
  ['7d', 'week', '7 days'],
  ['30d', 'month', '30 days'],
  ['1y', 'year', '1 year'],
]
const END_REASONS = {
  recovered: 'it recovered',
  threshold: 'its rules were changed',
  disabled: 'it was paused',
  deleted: 'it was deleted',
} as const

export async function checkPage({ deps, org, params, query }: MemberContext): Promise<PageAnswer> {
  const [, period] = PERIODS.find(([name]) => name === query.period) ?? PERIODS[0] ?? ['', 'day' as const]
  const { before, before_monitor } = query
  const view = await inspectCheck(deps, org.org_id, params.check ?? '', { period, before, before_monitor })
  const muted = await readMute(deps, org.org_id, subjectOf(view.check))
  const now = deps.clock.now()
  return page(
    view.check.name,
    <>
      <p>
        <a href="/checks">All checks</a>
      </p>
      <h1>{view.check.name}</h1>
      <CurrentState view={view} now={now} />
      <Acknowledging path={`/checks/${view.check.guid}`} incidents={view.incidents} now={now} />
      <Muting path={`/checks/${view.check.guid}`} muted={muted} />
      <Actions view={view} />
      <History view={view} now={now} />
      <Monitors view={view} now={now} />
      <Coverage view={view} />
      <Incidents view={view} now={now} />
      <Results view={view} now={now} isPaged={before !== undefined} />
      <h2>Definition</h2>
      <SetFields check={view.check} />
    </>,
  )
}

function CurrentState({ view, now }: { view: CheckInDetail; now: Date }): VNode {
  const { check, state, since, latest } = view
  return (
    <p class="standing" data-look-again={latest === undefined && check.enabled ? 'yes' : undefined}>
      <StateMark state={state} />
      {since === null ? null : (
        <>
          {' '}
          for <Since at={since} now={now} />
        </>
      )}
      {latest === undefined ? (
        ' · no result yet'
      ) : (
        <>
          {' '}
          · last run <Ago at={latest.ran_at} now={now} />: <Latency latest={latest} />
        </>
      )}
      <Reason view={view} />
      <Flapping view={view} now={now} />
      <Degraded view={view} />
      <Unwatched view={view} now={now} />
    </p>
  )
}

/** What took it down. */
function Reason({ view: { state, incidents } }: { view: CheckInDetail }): VNode | null {
  const open = state === 'down' ? incidents.find(({ ended_at }) => ended_at === null) : undefined
  const why = open ? whyDown(open.verdict, open.began_at) : ''
  if (why === '') return null
  return (
    <>
      <br />
      Down because: {why}.
    </>
  )
}

function Flapping({ view: { flapping_since }, now }: { view: CheckInDetail; now: Date }): VNode | null {
  if (flapping_since === null) return null
  return (
    <>
      <br />
      Flapping: it has gone down and come up too often since <Ago at={flapping_since} now={now} />. No alerts are sent
      about it until it has kept one state for 30 minutes.
    </>
  )
}

/** Why it is degraded: also for one that is down or unmonitored meanwhile. */
function Degraded({ view: { state, degraded_reasons } }: { view: CheckInDetail }): VNode | null {
  if (state === 'paused' || degraded_reasons.length === 0) return null
  return (
    <>
      <br />
      {state === 'degraded' ? 'Degraded' : <StateMark state="degraded" />}: {degraded_reasons.join('; ')}.
    </>
  )
}

/** Why its present state is not known, and since when. */
function Unwatched({
  view: { state, unmonitored_since, monitors },
  now,
}: {
  view: CheckInDetail
  now: Date
}): VNode | null {
  if (state === 'paused' || unmonitored_since === null) return null
  const online = monitors.filter(({ is_online }) => is_online).length
  return (
    <>
      <br />
      {state === 'down' ? <StateMark state="unmonitored" /> : null} Nobody has looked since{' '}
      <time dateTime={unmonitored_since}>{`${unmonitored_since.slice(0, 16).replace('T', ' ')} UTC`}</time> (
      <Ago at={unmonitored_since} now={now} />
      ):{' '}
      {online === 0
        ? 'none of its monitors is online.'
        : `${online} of its monitors ${online === 1 ? 'is' : 'are'} online, but no results arrive.`}
      {state === 'down' ? ' No reminders are sent until a monitor runs it again.' : ''}
    </>
  )
}

function Actions({ view: { check, monitors } }: { view: CheckInDetail }): VNode {
  const path = `/checks/${check.guid}`
  return (
    <div class="actions">
      <a class="button quiet" href={`${path}/edit`}>
        Edit
      </a>
      <a class="button quiet" href={`/checks/new?from=${check.guid}`}>
        Clone
      </a>
      {check.enabled ? <RunNow path={path} monitors={monitors} /> : null}
      <PostForm action={`${path}/${check.enabled ? 'pause' : 'resume'}`} class="inline">
        <button type="submit" class="quiet">
          {check.enabled ? 'Pause' : 'Resume'}
        </button>
      </PostForm>
      {check.url === '' ? null : (
        <a class="button quiet" href={`${path}/wipe`}>
          Make the definition private
        </a>
      )}
      <a class="button quiet" href={`${path}/replay`}>
        Try alert rules
      </a>
      <a class="button quiet" href={`${path}/delete`}>
        Delete
      </a>
    </div>
  )
}

function History({ view, now }: { view: CheckInDetail; now: Date }): VNode {
  const { check, period, points, step_sec } = view
  const total = sumRuns(points)
  const label = PERIODS.find(([, one]) => one === period)?.[2] ?? ''
  return (
    <section aria-labelledby="history">
      <h2 id="history">Latency and uptime</h2>
      <nav aria-label="Period" class="actions">
        {PERIODS.map(([name, one, text]) => (
          <a
            key={name}
            href={`/checks/${check.guid}?period=${name}`}
            aria-current={one === period ? 'page' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      <p>
        <Uptime total={total} watch={view.watch} />
        <Latencies points={points} />
      </p>
      {points.length === 0 ? (
        <p class="empty">No run in the last {label}.</p>
      ) : (
        <LatencyChart
          points={points}
          from={view.from}
          until={view.until}
          now={now}
          step_sec={step_sec}
          gap_sec={Math.max(2 * step_sec, 3 * check.interval_sec)}
          label={`Latency, last ${label}`}
        />
      )}
    </section>
  )
}

/** Up, down and unknown, and what the percentage is of. */
function Uptime({ total, watch }: { total: Runs; watch: Watch }): VNode {
  const share = uptime(total)
  const unknown_sec = unknownSec(watch)
  const told = [
    share === null
      ? 'Uptime –: nothing was watched'
      : `Uptime ${percentText(share)} of the ${span(watch.watched_sec)} that were watched`,
    ...(total.failures > 0 ? [`${total.failures} of ${total.runs} runs failed`] : []),
    ...(unknown_sec > 0 ? [`unknown for ${span(unknown_sec)}`] : []),
  ]
  return <>{told.join(', ')}</>
}

function Latencies({ points }: Pick<CheckInDetail, 'points'>): VNode | null {
  const passed = points.filter(({ latency_avg_ms }) => latency_avg_ms !== null)
  const average = averageLatency(points)
  if (average === undefined) return null
  const slowest = Math.max(...passed.map(({ latency_max_ms }) => latency_max_ms ?? 0))
  return (
    <>
      {' '}
      · latency {average} ms on average, {slowest} ms at worst
    </>
  )
}

function Monitors({ view, now }: { view: CheckInDetail; now: Date }): VNode {
  const { monitors, is_for_all, check, seen_sec } = view
  return (
    <section aria-labelledby="monitors">
      <h2 id="monitors">What each monitor sees</h2>
      <p>
        {is_for_all ? 'All monitors run it, including ones added later.' : 'Only chosen monitors run it.'}{' '}
        <a href={`/checks/${check.guid}/edit#who`}>Change</a>
      </p>
      {monitors.length === 0 ? (
        <p class="empty">
          No monitor runs this check, so nothing is known of it.{' '}
          <a href={`/checks/${check.guid}/edit#who`}>Choose some</a>, or <a href="/monitors">add a monitor</a>.
        </p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Monitor</th>
                <th scope="col">Sees</th>
                <th scope="col">When</th>
                <th scope="col">What</th>
              </tr>
            </thead>
            <tbody>
              {monitors.map((monitor) => (
                <Sight key={monitor.id} monitor={monitor} now={now} seen_sec={seen_sec} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Sight({ monitor, now, seen_sec }: { monitor: MonitorSight; now: Date; seen_sec: number }): VNode {
  const { latest } = monitor
  return (
    <tr>
      <td>
        {monitor.name === '' ? monitor.id : monitor.name}
        <span class="hint">
          {' '}
          {monitor.city}, {monitor.country}
          {monitor.is_shared ? ' · shared' : ''}
        </span>
      </td>
      <td>
        <StateMark state={sightOf(monitor)} />
      </td>
      <td>{latest ? <Ago at={latest.ran_at} now={now} /> : `has not run it in the last ${span(seen_sec)}`}</td>
      <td>
        {latest?.success ? `${latest.latency_ms} ms` : (latest?.error ?? '')}
        {latest && latest.http_status > 0 ? ` · status ${latest.http_status}` : ''}
      </td>
    </tr>
  )
}

/** The last result of a monitor that no longer runs the check says nothing about now. */
function sightOf({ is_on, is_online, last_seen_at, latest }: MonitorSight): State {
  if (!is_on) return 'disabled'
  if (!is_online && last_seen_at !== null) return 'offline'
  if (!latest) return 'unknown'
  return latest.success ? 'up' : 'down'
}

function Coverage({ view: { coverage, check } }: { view: CheckInDetail }): VNode {
  return (
    <section aria-labelledby="coverage">
      <h2 id="coverage">Coverage</h2>
      <p class="hint">
        Runs that were due by the schedule of that time, and those that arrived. Now one is due every{' '}
        {span(check.interval_sec)}. Time in which the check was paused is not due.
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col" class="number">
                Due
              </th>
              <th scope="col" class="number">
                Arrived
              </th>
              <th scope="col" class="number">
                Coverage
              </th>
            </tr>
          </thead>
          <tbody>
            {coverage.map((day) => (
              <tr key={day.day.getTime()}>
                <td>{day.day.toISOString().slice(0, 10)}</td>
                <td class="number">{day.due}</td>
                <td class="number">{day.arrived}</td>
                <td class="number">{percentText(day.percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Incidents({ view: { incidents }, now }: { view: CheckInDetail; now: Date }): VNode {
  return (
    <section aria-labelledby="incidents">
      <h2 id="incidents">Incidents</h2>
      {incidents.length === 0 ? (
        <p class="empty">It was never down.</p>
      ) : (
        <div class="scroll">
          <table>
            <caption>{incidents.length < INCIDENTS_SHOWN ? '' : `The ${INCIDENTS_SHOWN} newest.`}</caption>
            <thead>
              <tr>
                <th scope="col">Began</th>
                <th scope="col">Ended</th>
                <th scope="col">Lasted</th>
                <th scope="col">Why it was down</th>
                <th scope="col">Acknowledged by</th>
                <th scope="col">It ended because</th>
              </tr>
            </thead>
            <tbody>
              {incidents.map(({ began_at, ended_at, end_reason, verdict, ...incident }) => (
                <tr key={incident.incident_id}>
                  <td>
                    <Ago at={began_at} now={now} />
                  </td>
                  <td>{ended_at === null ? <StateMark state="down" /> : <Ago at={ended_at} now={now} />}</td>
                  <td>
                    {span(((ended_at === null ? now.getTime() : Date.parse(ended_at)) - Date.parse(began_at)) / 1000)}
                  </td>
                  <td>{whyDown(verdict, began_at)}</td>
                  <td>
                    <AcknowledgedBy incident={{ ...incident, ended_at }} now={now} />
                  </td>
                  <td>{end_reason === null ? 'it has not yet' : END_REASONS[end_reason]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Results({ view, now, isPaged }: { view: CheckInDetail; now: Date; isPaged: boolean }): VNode {
  const { results, check } = view
  const last = results.at(-1)
  return (
    <section aria-labelledby="results">
      <h2 id="results">{isPaged ? 'Older results' : 'Newest results'}</h2>
      {results.length === 0 ? (
        <p class="empty">{isPaged ? 'There are no older ones.' : 'No result has arrived yet.'}</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Ran</th>
                <th scope="col">Result</th>
                <th scope="col">Monitor</th>
                <th scope="col">What it said</th>
              </tr>
            </thead>
            <tbody>
              {results.map((result) => (
                <tr key={`${result.ran_at} ${result.monitor_id}`}>
                  <td>
                    <Ago at={result.ran_at} now={now} />
                  </td>
                  <td>
                    <Latency latest={result} />
                    {result.http_status > 0 ? ` · ${result.http_status}` : ''}
                  </td>
                  <td>{result.monitor_name === '' ? result.monitor_id : result.monitor_name}</td>
                  <td>
                    {result.error ?? ''}
                    <Sample text={result.response_sample} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="actions">
        {isPaged ? <a href={`/checks/${check.guid}#results`}>The newest</a> : null}
        {last && results.length === RESULTS_SHOWN ? (
          <a
            href={`/checks/${check.guid}?before=${encodeURIComponent(last.ran_at)}&before_monitor=${encodeURIComponent(last.monitor_id)}#results`}
          >
            Older
          </a>
        ) : null}
      </p>
    </section>
  )
}

function Sample({ text }: { text: string | null }): VNode | null {
  return text === null ? null : (
    <details>
      <summary>What the target sent</summary>
      <pre class="sample" tabIndex={0}>
        {text}
      </pre>
    </details>
  )
}
