// The first page: what is wrong, since when, and the recent history of every check.
import type { VNode } from 'preact'
import { type CheckAtAGlance, readOverview } from '../../../domain/checks/overview.ts'
import { readFirstSteps } from '../../../domain/organisations/first-steps.ts'
import { HourBar } from '../../parts/bars.tsx'
import { StateMark } from '../../parts/state.tsx'
import { Since, span } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { FirstSteps } from '../first-steps.tsx'
import { Latency, Share } from './shown.tsx'

const NAMED = 5

export async function listPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [{ checks, from }, stepsOf] = await Promise.all([
    readOverview(deps, org.org_id),
    org.hides_first_steps ? undefined : readFirstSteps(deps, org.org_id),
  ])
  const now = deps.clock.now()
  return page(
    titleOf(checks),
    <>
      <h1>Checks</h1>
      {stepsOf ? <FirstSteps steps={stepsOf(checks)} /> : null}
      {checks.length === 0 ? <Empty /> : <Summary checks={checks} now={now} />}
      <p class="actions">
        <a class="button" href="/checks/new">
          New check
        </a>
        <a class="button quiet" href="/checks/import">
          Import
        </a>
        {checks.length === 0 ? null : (
          <a class="button quiet" href="/checks/export">
            Export
          </a>
        )}
      </p>
      {checks.length === 0 ? null : <Table checks={checks} from={from} now={now} />}
    </>,
  )
}

/** The title of the browser's tab shows when something is wrong, or when nobody can tell. */
function titleOf(checks: readonly CheckAtAGlance[]): string {
  const count = (which: CheckAtAGlance['state']) => checks.filter(({ state }) => state === which).length
  const [down, unmonitored] = [count('down'), count('unmonitored')]
  const degraded = count('degraded')
  const wrong = [
    ...(down > 0 ? [`${down} down`] : []),
    ...(unmonitored > 0 ? [`${unmonitored} not monitored`] : []),
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
  ]
  return wrong.length === 0 ? 'Checks' : `Checks: ${wrong.join(', ')}`
}

/** Why a check is degraded. */
function WhyDegraded({ check }: { check: CheckAtAGlance }): VNode | null {
  if (check.state !== 'degraded' || check.degraded_reasons === null) return null
  return <span class="hint"> {check.degraded_reasons.join('; ')}</span>
}

/** For a check that is down: whether it is still monitored. */
function AlsoUnmonitored({ check, now }: { check: CheckAtAGlance; now: Date }): VNode | null {
  if (check.state !== 'down' || check.unmonitored_since === null) return null
  return (
    <span class="hint">
      {' '}
      not monitored for <Since at={check.unmonitored_since} now={now} />
    </span>
  )
}

function Empty(): VNode {
  return (
    <div class="empty">
      <p>
        Nothing is watched yet. A check names a target, says when it is well, and is run by monitors. The first one
        needs a name and an address.
      </p>
      <p>
        <a href="/checks/new">Make the first check</a>, or <a href="/checks/import">import</a> some. Checks are run by
        the monitors of the shared fleet or by <a href="/monitors">monitors of your own</a>.
      </p>
    </div>
  )
}

/** A headline for all checks. */
function Summary({ checks, now }: { checks: readonly CheckAtAGlance[]; now: Date }): VNode {
  const of = (state: CheckAtAGlance['state']) => checks.filter((check) => check.state === state)
  const [down, silent, unknown, paused] = [of('down'), of('unmonitored'), of('unknown'), of('paused')]
  const degraded = of('degraded')
  const running = checks.length - paused.length
  const isCalm = down.length + silent.length + degraded.length === 0
  const calmTone = unknown.length > 0 || running === 0 ? 'idle' : 'good'
  const tone = down.length > 0 ? 'bad' : isCalm ? calmTone : 'warn'
  return (
    <div class={`summary ${tone}`} role="status">
      {down.length === 0 ? null : (
        <p>
          <strong>
            {down.length} of {checks.length} {down.length === 1 ? 'is' : 'are'} down
          </strong>
          : <Named checks={down} now={now} />
        </p>
      )}
      {silent.length === 0 ? null : (
        <p>
          <strong>
            {silent.length} of {checks.length} {silent.length === 1 ? 'is' : 'are'} not monitored
          </strong>
          : <Named checks={silent} now={now} />
        </p>
      )}
      {degraded.length === 0 ? null : (
        <p>
          <strong>
            {degraded.length} of {checks.length} {degraded.length === 1 ? 'is' : 'are'} degraded
          </strong>
          : <Named checks={degraded} now={now} />
        </p>
      )}
      {isCalm ? <p>{calm(running, unknown.length)}</p> : null}
      {paused.length === 0 ? null : (
        <p class="hint">
          {paused.length} {paused.length === 1 ? 'is' : 'are'} paused.
        </p>
      )}
    </div>
  )
}

function calm(running: number, unknown: number): string {
  if (running === 0) return 'No check is running.'
  if (unknown === running)
    return running === 1 ? 'The check has no data yet.' : `None of the ${running} checks has data yet.`
  if (unknown > 0) return `${running - unknown} of ${running} checks are up; ${unknown} without data yet.`
  return running === 1 ? 'The check is up.' : `All ${running} checks are up.`
}

function Named({ checks, now }: { checks: readonly CheckAtAGlance[]; now: Date }): VNode {
  const shown = checks.slice(0, NAMED)
  const rest = checks.length - shown.length
  return (
    <>
      {shown.map(({ guid, name, since }, index) => (
        <span key={guid}>
          {index > 0 ? ', ' : ''}
          <a href={`/checks/${guid}`}>{name}</a>
          {since === null ? '' : ` (for ${span((now.getTime() - Date.parse(since)) / 1000)})`}
        </span>
      ))}
      {rest > 0 ? ` and ${rest} more` : ''}
    </>
  )
}

function Table({ checks, from, now }: { checks: readonly CheckAtAGlance[]; from: Date; now: Date }): VNode {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Name</th>
            <th scope="col">Since</th>
            <th scope="col">Last 24 hours (UTC)</th>
            <th scope="col" class="number">
              24 h
            </th>
            <th scope="col" class="number">
              7 d
            </th>
            <th scope="col" class="number">
              Latest
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr key={check.guid}>
              <td>
                <StateMark state={check.state} />
                <AlsoUnmonitored check={check} now={now} />
                <WhyDegraded check={check} />
              </td>
              <td class="name">
                <a href={`/checks/${check.guid}`}>{check.name}</a>
              </td>
              <td>{check.since === null ? sinceUnknown(check) : <Since at={check.since} now={now} />}</td>
              <td>
                <HourBar cells={check.hours} total={check.day} from={from} />
              </td>
              <td class="number">
                <Share {...check.day} watch={check.day_watch} />
              </td>
              <td class="number">
                <Share {...check.week} watch={check.week_watch} />
              </td>
              <td class="number">
                <Latency latest={check.latest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function sinceUnknown({ state }: CheckAtAGlance): string {
  return state === 'up' ? 'never down' : '–'
}
