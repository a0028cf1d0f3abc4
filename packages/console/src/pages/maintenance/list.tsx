// Lists the maintenance windows of an organisation: those in progress, upcoming and past.
import { readWindows, type ShownWindow, type WindowState } from '@dogwatch/domain/maintenance/edit'
import { type MaintenanceWindow } from '@dogwatch/domain/maintenance/window'
import { Mood, type Tone } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import type { IconName } from '../../design/icons.tsx'
import { EmptyState, Facts, PageHead } from '../../design/layout.tsx'
import { duration } from '../../parts/duration.ts'
import { AlertingNav } from '../../parts/nav.tsx'
import { deletionPage } from '../../parts/pages.tsx'
import { At, useTimes } from '../../parts/time.tsx'
import { byClock } from '../../parts/typed-time.ts'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import type { Times } from '../../times.ts'
import { Act, scopeWords } from '../routing/list.tsx'
import { ruleWords } from './rule-words.ts'

/** States of a window, with the label of the span that the list shows. */
const STATES: Readonly<Record<WindowState, { icon: IconName; tone: Tone; label: string; span: string }>> = {
  running: { icon: 'wrench', tone: 'warn', label: 'In progress', span: 'Current window' },
  announced: { icon: 'calendar-clock', tone: 'good', label: 'Scheduled', span: 'Next window' },
  over: { icon: 'check', tone: 'idle', label: 'Completed', span: 'Last window' },
}

export async function windowsPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const windows = await readWindows(deps, org.org_id)
  const create = (
    <ButtonLink kind="primary" icon="plus" href="/channels/maintenance/new" text="Create maintenance window" />
  )
  return page(
    'Maintenance',
    <>
      <PageHead title="Alerting" actions={windows.length === 0 ? undefined : create} />
      <AlertingNav at="/channels/maintenance" />
      <p class="hint">
        Checks keep running during maintenance, but alerts are held until the window ends. Maintenance time is excluded
        from uptime.
      </p>
      {windows.length === 0 ? (
        <EmptyState icon="wrench" title="No maintenance windows yet" action={create}>
          Schedule maintenance to hold alerts during planned work.
        </EmptyState>
      ) : (
        <List windows={windows} />
      )}
    </>,
  )
}

function List({ windows }: { windows: readonly ShownWindow[] }) {
  const times = useTimes()
  return (
    <ul class="plain">
      {windows.map((window) => (
        <li class="card">
          <h2>
            <Link href={`/channels/maintenance/${window.guid}/edit`}>{window.name}</Link>
          </h2>
          <Facts
            facts={[
              ['State', <State {...window} />],
              ['Scope', scopeWords(window.scope)],
              [STATES[window.state].span, <Span window={window} />],
              ['Schedule', repeatWords(window, times)],
            ]}
          />
          <div class="actions">
            {window.state === 'running' ? (
              <Act action={`/channels/maintenance/${window.guid}/end`} label="End maintenance now" name={window.name} />
            ) : null}
            <ButtonLink
              kind="quiet"
              href={`/channels/maintenance/${window.guid}/delete`}
              label={`Delete ${window.name}`}
              opensDialog
              text="Delete…"
            />
          </div>
        </li>
      ))}
    </ul>
  )
}

function State({ state }: { state: WindowState }) {
  const { icon, tone, label } = STATES[state]
  return <Mood icon={icon} tone={tone} text={label} />
}

function Span({ window: { span } }: { window: ShownWindow }) {
  if (!span) return <>Never</>
  const sec = (Date.parse(span.ends_at) - Date.parse(span.begins_at)) / 1000
  // For a window that ended early, a clock without seconds would show the same time twice.
  if (sec < 59.5) {
    return (
      <>
        <At at={span.begins_at} dated /> for {duration(Math.max(1, Math.round(sec)))}
      </>
    )
  }
  return (
    <>
      <At at={span.begins_at} dated /> to <At at={span.ends_at} dated />
    </>
  )
}

/** Describes a repeated window: `Every week on Saturday, 02:00 (Europe/Paris), for 2 h`. */
function repeatWords({ rule, starts_at, zone, duration_sec }: ShownWindow, times: Times): string {
  return `${ruleWords(rule)}, ${byClock(starts_at.slice(11), times)} (${zone}), for ${duration(duration_sec)}`
}

export function deleteWindowPage({ guid, name }: MaintenanceWindow): PageAnswer {
  const [back, path] = ['/channels/maintenance', `/channels/maintenance/${guid}`]
  const about =
    'If this window is in progress, maintenance ends immediately and alerts are sent for anything still down.'
  return deletionPage({ name, path, what: 'window', back, about })
}
