// One monitor: what it reported, its checks, and its buttons.
import type { VNode } from 'preact'
import {
  type CheckOfMonitor,
  readChecksOfMonitor,
  readMonitor,
  type ShownMonitor,
} from '../../../domain/monitors/read.ts'
import { PostForm } from '../../frame.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { Fault, Field } from '../../parts/field.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { SystemChoice } from './add.tsx'
import { LastOutage } from './list.tsx'
import { clockFault, MonitorMark, nameOf, placeOf } from './parts.tsx'

export async function monitorOf({ deps, org, params }: MemberContext): Promise<ShownMonitor> {
  return readMonitor(deps, org.org_id, params.monitor ?? '')
}

export async function monitorPage(
  context: MemberContext,
  monitor: ShownMonitor,
  name = monitor.name,
  fault?: string,
): Promise<PageAnswer> {
  const checks = await readChecksOfMonitor(context.deps, context.org.org_id, monitor.id)
  const path = `/monitors/${monitor.id}`
  const mayEnroll = maySeeSecrets(context.viewer)
  return page(
    nameOf(monitor),
    <>
      <p>
        <a href="/monitors">Monitors</a>
      </p>
      <h1>{nameOf(monitor)}</h1>
      <Snapshot monitor={monitor} now={context.deps.clock.now()} />
      <div class="actions">
        {!mayEnroll ? null : monitor.enrolled ? (
          <a class="button quiet" href={`${path}/reset`}>
            Reset…
          </a>
        ) : (
          <PostForm action={`${path}/enrollment`} class="inline">
            <button type="submit">Enroll it again</button>
          </PostForm>
        )}
        <PostForm action={`${path}/${monitor.enabled ? 'disable' : 'enable'}`} class="inline">
          <button type="submit" class="quiet">
            {monitor.enabled ? 'Disable' : 'Enable'}
          </button>
        </PostForm>
        <PostForm action={`${path}/retire`} class="inline">
          <button
            type="submit"
            class="danger"
            data-confirm={`Retire ${nameOf(monitor)}? Its key stops working for good. Its results stay.`}
          >
            Retire monitor
          </button>
        </PostForm>
      </div>
      <p class="hint">
        {monitor.enabled
          ? 'Disabled, it runs nothing, and the other monitors of its checks take over its turns.'
          : 'It runs nothing: the other monitors of its checks have taken over its turns.'}{' '}
        Retiring it ends it for good: its key stops working, lists do not show it any more, and its results stay.
      </p>
      <h2>Checks</h2>
      <Checks checks={checks} />
      <h2>Name</h2>
      <section class="narrow">
        <Fault line={fault} />
        <PostForm action={`${path}/name`}>
          <Field
            name="name"
            label="Name"
            value={name}
            hint="When it enrolls again, it brings the name that it was started with."
          />
          <button type="submit" class="quiet">
            Rename
          </button>
        </PostForm>
      </section>
    </>,
    fault === undefined ? 200 : 400,
  )
}

function Snapshot({ monitor, now }: { monitor: ShownMonitor; now: Date }): VNode {
  const facts: [string, unknown][] = [
    ['State', <MonitorMark key="state" monitor={monitor} now={now} />],
    ['Id', <code key="id">{monitor.id}</code>],
    ['Place', placeOf(monitor)],
    ['Last seen', monitor.last_seen_at === null ? 'never' : <Ago key="seen" at={monitor.last_seen_at} now={now} />],
    ['Enrolled', <Ago key="enrolled" at={monitor.enrolled_at} now={now} />],
    ['Clock', clockOf(monitor)],
    ['Version', monitor.version ?? 'not reported yet'],
    ['Uptime', monitor.uptime_sec === null ? 'not reported yet' : span(monitor.uptime_sec)],
    ['Unsent results', monitor.unsent_results ?? 'not reported yet'],
    ['Last outage', <LastOutage key="outage" monitor={monitor} now={now} />],
    ['Reported', monitor.reported_at === null ? 'never' : <Ago key="reported" at={monitor.reported_at} now={now} />],
  ]
  return (
    <dl class="facts grid">
      {facts.map(([term, fact]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{fact as VNode}</dd>
        </div>
      ))}
    </dl>
  )
}

function clockOf(monitor: ShownMonitor): string {
  const fault = clockFault(monitor)
  if (fault !== undefined)
    return `${fault}. Set the machine's clock: until then its results are judged by corrected times.`
  return monitor.clock_offset_ms === null ? 'not reported yet' : 'right'
}

function Checks({ checks }: { checks: readonly CheckOfMonitor[] }): VNode {
  if (checks.length === 0) {
    return (
      <p class="empty">
        It has no checks to run. Monitors are assigned on the page of a <a href="/checks">check</a>.
      </p>
    )
  }
  return (
    <ul class="plain">
      {checks.map(({ guid, name, enabled }) => (
        <li key={guid}>
          <a href={`/checks/${guid}`}>{name}</a>
          {enabled ? '' : ' (paused)'}
        </li>
      ))}
    </ul>
  )
}

/** The explanation before a reset. */
export function resetPage({ viewer }: MemberContext, monitor: ShownMonitor): PageAnswer {
  const name = nameOf(monitor)
  return page(
    `Reset ${name}`,
    <section class="narrow">
      <h1>Reset {name}?</h1>
      <p>
        Its key stops working at once: the agent that has it can neither fetch checks nor deliver results. {name} keeps
        its id, its checks and its place in their turns, so nothing else runs them in its stead until an agent enrolls
        with this id again.
      </p>
      <p>Do this when its key may be known to somebody else, or when it moves to another machine.</p>
      <p>Next you get a new enrollment token and the commands to enroll it again.</p>
      {maySeeSecrets(viewer) ? (
        <PostForm action={`/monitors/${monitor.id}/reset`}>
          <SystemChoice />
          <div class="actions">
            <button type="submit" class="danger">
              Reset it
            </button>
            <a href={`/monitors/${monitor.id}`}>Keep it as it is</a>
          </div>
        </PostForm>
      ) : (
        <HiddenWhileImpersonating viewer={viewer}>An enrollment token is</HiddenWhileImpersonating>
      )}
    </section>,
  )
}
