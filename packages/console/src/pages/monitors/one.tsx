// Shows one monitor: its reports, its checks, and its buttons.
import {
  type CheckOfMonitor,
  readChecksOfMonitor,
  readMonitor,
  type ShownMonitor,
} from '@dogwatch/domain/monitors/read'
import { Button, ButtonLink } from '../../design/button.tsx'
import { EmptyState, Facts, PageHead } from '../../design/layout.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { Field } from '../../parts/field.tsx'
import { questionPage } from '../../parts/pages.tsx'
import { Ago, span } from '../../parts/time.tsx'
import { PostButton, PostForm } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { SystemChoice } from './add.tsx'
import { LastOutage } from './list.tsx'
import { clockFault, MonitorMark, nameOf, placeOf } from './parts.tsx'

export async function monitorOf({ deps, org, params }: MemberContext): Promise<ShownMonitor> {
  return readMonitor(deps, org.org_id, params.monitor ?? '')
}

export async function monitorPage(context: MemberContext): Promise<PageAnswer> {
  const monitor = await monitorOf(context)
  const checks = await readChecksOfMonitor(context.deps, context.org.org_id, monitor.id)
  const path = `/monitors/${monitor.id}`
  const mayEnroll = maySeeSecrets(context.viewer)
  return page(
    nameOf(monitor),
    <>
      <PageHead
        title={nameOf(monitor)}
        crumbs={[{ href: '/monitors', label: 'Monitors' }]}
        state={<MonitorMark monitor={monitor} />}
        actions={<Actions monitor={monitor} mayEnroll={mayEnroll} />}
      />
      <Facts
        facts={[
          ['State', <MonitorMark monitor={monitor} />],
          ['ID', <code>{monitor.id}</code>],
          ['Location', placeOf(monitor)],
          ['Last seen', monitor.last_seen_at === null ? 'Never' : <Ago at={monitor.last_seen_at} />],
          ['Enrolled', <Ago at={monitor.enrolled_at} />],
          ['Clock', clockOf(monitor)],
          ['Version', monitor.version ?? 'Not reported'],
          ['Agent uptime', monitor.uptime_sec === null ? 'Not reported' : span(monitor.uptime_sec)],
          ['Unsent results', monitor.unsent_results ?? 'Not reported'],
          ['Last connection loss', <LastOutage monitor={monitor} />],
          ['Last status report', monitor.reported_at === null ? 'Never' : <Ago at={monitor.reported_at} />],
        ]}
      />
      <p class="hint">
        {monitor.enabled
          ? 'A disabled monitor does not run checks. The other monitors assigned to each check take over.'
          : 'This monitor is disabled. The other monitors assigned to its checks have taken over.'}{' '}
        Retiring a monitor revokes its key and removes the monitor from all lists permanently. The results of a retired
        monitor are kept.
      </p>
      <h2>Checks</h2>
      <Checks checks={checks} />
      <h2>Name</h2>
      <section class="narrow">
        <PostForm action={`${path}/name`}>
          <Field
            name="name"
            label="Name"
            value={monitor.name}
            hint="Re-enrolling changes the name back to the name in the install command."
          />
          <Button text="Rename monitor" />
        </PostForm>
      </section>
    </>,
  )
}

function Actions({ monitor, mayEnroll }: { monitor: ShownMonitor; mayEnroll: boolean }) {
  const path = `/monitors/${monitor.id}`
  return (
    <>
      {!mayEnroll ? null : monitor.enrolled ? (
        <ButtonLink href={`${path}/reset`} opensDialog text="Reset monitor…" />
      ) : (
        <PostButton action={`${path}/enrollment`} kind="primary" text="Re-enroll monitor" />
      )}
      <PostButton
        action={`${path}/${monitor.enabled ? 'disable' : 'enable'}`}
        text={monitor.enabled ? 'Disable monitor' : 'Enable monitor'}
      />
      <PostButton
        action={`${path}/retire`}
        kind="danger"
        confirm={`Retire “${nameOf(monitor)}”? Its key stops working permanently. Results are kept.`}
        text="Retire monitor"
      />
    </>
  )
}

function clockOf(monitor: ShownMonitor): string {
  const fault = clockFault(monitor)
  if (fault !== undefined) return `${fault}. Correct the machine's clock. Result times are adjusted until then.`
  return monitor.clock_offset_ms === null ? 'Not reported' : 'In sync'
}

function Checks({ checks }: { checks: readonly CheckOfMonitor[] }) {
  if (checks.length === 0) {
    return (
      <EmptyState icon="list-checks" title="No checks assigned">
        Open a <Link href="/checks">check</Link> to assign this monitor.
      </EmptyState>
    )
  }
  return (
    <ul class="plain">
      {checks.map(({ guid, name, enabled }) => (
        <li>
          <Link href={`/checks/${guid}`}>{name}</Link>
          {enabled ? '' : ' (paused)'}
        </li>
      ))}
    </ul>
  )
}

export function resetPage({ viewer }: MemberContext, monitor: ShownMonitor): PageAnswer {
  const [name, path] = [nameOf(monitor), `/monitors/${monitor.id}`]
  const about = (
    <>
      <p>
        The current key stops working immediately, so the agent can no longer fetch checks or send results. {name} keeps
        its ID and its checks, but its runs are skipped until you re-enroll an agent with this ID. Other monitors do not
        take over these runs.
      </p>
      <p>Reset a monitor if its key may have been exposed, or to move the monitor to another machine.</p>
      <p>After the reset, you get a new enrollment token and the command to re-enroll.</p>
    </>
  )
  const form = maySeeSecrets(viewer) ? (
    <PostForm action={`${path}/reset`}>
      <SystemChoice />
      <Button kind="danger" text="Reset monitor" />
    </PostForm>
  ) : (
    <HiddenWhileImpersonating viewer={viewer}>The enrollment token is</HiddenWhileImpersonating>
  )
  return questionPage({ title: `Reset ${name}`, question: `Reset “${name}”?`, about, form, back: path })
}
