// One monitor: what it reported, its checks, and its buttons.
import type { VNode } from 'preact'
import {
  type CheckOfMonitor,
  readChecksOfMonitor,
  readMonitor,
  type ShownMonitor,
} from '../../../domain/monitors/read.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Question } from '../../design/dialog.tsx'
import { EmptyState, Facts, PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../frame.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { Field } from '../../parts/field.tsx'
import { FaultyForm, type FormFault } from '../../parts/form-faults.tsx'
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
  faults: readonly FormFault[] = [],
): Promise<PageAnswer> {
  const checks = await readChecksOfMonitor(context.deps, context.org.org_id, monitor.id)
  const path = `/monitors/${monitor.id}`
  const mayEnroll = maySeeSecrets(context.viewer)
  return page(
    nameOf(monitor),
    <>
      <PageHead
        title={nameOf(monitor)}
        crumbs={[{ href: '/monitors', label: 'Monitors' }]}
        state={<MonitorMark monitor={monitor} now={context.deps.clock.now()} />}
        actions={<Actions monitor={monitor} mayEnroll={mayEnroll} />}
      />
      <Snapshot monitor={monitor} now={context.deps.clock.now()} />
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
        <FaultyForm faults={faults}>
          <PostForm action={`${path}/name`}>
            <Field
              name="name"
              label="Name"
              value={name}
              hint="When it enrolls again, it brings the name that it was started with."
            />
            <Button>Rename monitor</Button>
          </PostForm>
        </FaultyForm>
      </section>
    </>,
    faults.length === 0 ? 200 : 400,
  )
}

function Actions({ monitor, mayEnroll }: { monitor: ShownMonitor; mayEnroll: boolean }): VNode {
  const path = `/monitors/${monitor.id}`
  return (
    <>
      {!mayEnroll ? null : monitor.enrolled ? (
        <ButtonLink href={`${path}/reset`} opensDialog>
          Reset…
        </ButtonLink>
      ) : (
        <PostForm action={`${path}/enrollment`} class="inline">
          <Button kind="primary">Enroll again</Button>
        </PostForm>
      )}
      <PostForm action={`${path}/${monitor.enabled ? 'disable' : 'enable'}`} class="inline">
        <Button>{monitor.enabled ? 'Disable' : 'Enable'}</Button>
      </PostForm>
      <PostForm action={`${path}/retire`} class="inline">
        <Button kind="danger" confirm={`Retire ${nameOf(monitor)}? Its key stops working for good. Its results stay.`}>
          Retire monitor
        </Button>
      </PostForm>
    </>
  )
}

function Snapshot({ monitor, now }: { monitor: ShownMonitor; now: Date }): VNode {
  return (
    <Facts
      facts={[
        { term: 'State', value: <MonitorMark monitor={monitor} now={now} /> },
        { term: 'Id', value: <code>{monitor.id}</code> },
        { term: 'Place', value: placeOf(monitor) },
        {
          term: 'Last seen',
          value: monitor.last_seen_at === null ? 'never' : <Ago at={monitor.last_seen_at} now={now} />,
        },
        { term: 'Enrolled', value: <Ago at={monitor.enrolled_at} now={now} /> },
        { term: 'Clock', value: clockOf(monitor) },
        { term: 'Version', value: monitor.version ?? 'not reported yet' },
        { term: 'Uptime', value: monitor.uptime_sec === null ? 'not reported yet' : span(monitor.uptime_sec) },
        { term: 'Unsent results', value: monitor.unsent_results ?? 'not reported yet' },
        { term: 'Last outage', value: <LastOutage monitor={monitor} now={now} /> },
        {
          term: 'Reported',
          value: monitor.reported_at === null ? 'never' : <Ago at={monitor.reported_at} now={now} />,
        },
      ]}
    />
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
      <EmptyState icon="list-checks" title="It runs no checks yet">
        Monitors are assigned on the page of a <a href="/checks">check</a>.
      </EmptyState>
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
    <Question
      title={`Reset ${name}?`}
      back={`/monitors/${monitor.id}`}
      form={
        maySeeSecrets(viewer) ? (
          <PostForm action={`/monitors/${monitor.id}/reset`}>
            <SystemChoice />
            <Button kind="danger">Reset monitor</Button>
          </PostForm>
        ) : (
          <HiddenWhileImpersonating viewer={viewer}>An enrollment token is</HiddenWhileImpersonating>
        )
      }
    >
      <p>
        Its key stops working at once: the agent that has it can neither fetch checks nor deliver results. {name} keeps
        its id, its checks and its place in their turns, so nothing else runs them in its stead until an agent enrolls
        with this id again.
      </p>
      <p>Do this when its key may be known to somebody else, or when it moves to another machine.</p>
      <p>Next you get a new enrollment token and the commands to enroll it again.</p>
    </Question>,
  )
}
