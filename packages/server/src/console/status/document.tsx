// The status page as HTML: a document of its own, without frame, scripts or forms.
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import '../text-direction.ts'
import type { PublicEntry, PublicIncident, PublicMaintenance, PublicStatus } from '../../domain/status-page/status.ts'
import { STYLE_PATH } from '../assets.ts'
import { Icon } from '../design/icons.tsx'
import { Table } from '../design/table.tsx'
import { StateMark } from '../parts/state.tsx'
import { span } from '../parts/time.tsx'
import { DayBar } from './days.tsx'
import { dayText, headlineOf, instantText, MOSTLY_WELL, shareText } from './wording.ts'

/** `entries`: the HTML of the entries, as {@link entryHtml} makes it. */
export function statusDocument(status: PublicStatus, slug: string, entries: readonly string[]): VNode {
  const { title, description, computed_at, history_at, incidents, maintenance } = status
  return (
    <Document title={title}>
      <header class="public">
        <h1>{title}</h1>
        {description === '' ? null : <p class="lines">{description}</p>}
      </header>
      <main id="main" class="public">
        <TheHeadline status={status} />
        <Maintenance maintenance={maintenance} />
        {entries.length === 0 ? null : <Entries entries={entries} />}
        <Incidents incidents={incidents} now={computed_at} />
      </main>
      <footer class="public">
        <p>
          Computed <time dateTime={computed_at}>{secondText(computed_at)}</time>, at most every 15 s. The days are those
          of <time dateTime={history_at}>{secondText(history_at)}</time>. The same for programs:{' '}
          <a href={`/status/${slug}.json`}>{`/status/${slug}.json`}</a>
        </p>
        <p>Watched by Dogwatch</p>
      </footer>
    </Document>
  )
}

/** For an address without a page, and for a page that is not public: nobody may tell the two apart. */
export function noStatusDocument(): VNode {
  return (
    <Document title="Not found">
      <main id="main" class="public">
        <h1>Not found</h1>
        <p>There is no status page at this address.</p>
      </main>
    </Document>
  )
}

function Document({ title, children }: { title: string; children: unknown }): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="stylesheet" href={STYLE_PATH} />
      </head>
      <body>{children as VNode}</body>
    </html>
  )
}

function TheHeadline({ status }: { status: PublicStatus }): VNode {
  const { headline, computed_at } = status
  const [icon, line, tone] = headlineOf(status)
  return (
    <p class={`headline ${tone}`}>
      <Icon name={icon} /> {line}
      {headline.since === null ? null : <SinceText at={headline.since} now={computed_at} />}
    </p>
  )
}

function SinceText({ at, now }: { at: string; now: string }): VNode {
  return (
    <>
      {' since '}
      <time dateTime={at}>{instantText(at)}</time>
      {` (${span(seconds(at, now))})`}
    </>
  )
}

function Maintenance({ maintenance }: { maintenance: readonly PublicMaintenance[] }): VNode | null {
  if (maintenance.length === 0) return null
  return (
    <section>
      <h2>Maintenance</h2>
      {maintenance.map(({ name, state, begins_at, ends_at, systems }, index) => (
        <article key={index} class="system">
          <h3>{name}</h3>
          <p>
            {state === 'running' ? 'Under way since ' : 'Planned from '}
            <time dateTime={begins_at}>{instantText(begins_at)}</time>
            {state === 'running' ? ', planned until ' : ' until '}
            <time dateTime={ends_at}>{instantText(ends_at)}</time>
          </p>
          <p class="hint">{systems.join(', ')}</p>
        </article>
      ))}
    </section>
  )
}

function Entries({ entries }: { entries: readonly string[] }): VNode {
  const parts = [render(<h2>Systems</h2>), ...entries, render(<DaysHint />)]
  return <section dangerouslySetInnerHTML={{ __html: parts.join('') }} />
}

function DaysHint(): VNode {
  return (
    <p class="hint">
      A bar for each day, of UTC. Low and green: all was well. High with a red top: at least {MOSTLY_WELL} % was. High
      and red: less. A grey line: no data.
    </p>
  )
}

/** How long an entry takes to be written, in steps of a pace. */
export const STEPS_EACH = 250

/** Renders an entry by itself, so that others are served between two of them. */
export function entryHtml(entry: PublicEntry, now: string): string {
  return render(<Entry entry={entry} now={now} />)
}

function Entry({ entry, now }: { entry: PublicEntry; now: string }): VNode {
  const { name, state, unmonitored_since, unknown_sec, maintenance_sec, days, share } = entry
  return (
    <article class="system">
      <h3>{name}</h3>
      <StateMark state={state} />
      {unmonitored_since === null ? null : (
        <p class="hint">
          Not monitored
          <SinceText at={unmonitored_since} now={now} />
        </p>
      )}
      <DayBar name={name} days={days} />
      <p class="hint">
        Last {days.length} days: {shareText(share)}
        {maintenance_sec > 0 ? `, ${span(maintenance_sec)} of maintenance excluded` : ''}
        {unknown_sec > 0 ? `, unknown for ${span(unknown_sec)}` : ''}
      </p>
    </article>
  )
}

/** So many are shown at once; what is older is folded. */
const SHOWN = 10

function Incidents({ incidents, now }: { incidents: readonly PublicIncident[]; now: string }): VNode {
  // What lasts is never folded.
  const isShown = (one: PublicIncident, index: number) => index < SHOWN || one.ended_at === null
  const shown = incidents.filter(isShown)
  const older = incidents.filter((one, index) => !isShown(one, index))
  return (
    <section>
      <h2>Incidents of the last 90 days</h2>
      {incidents.length === 0 ? <p>None.</p> : <IncidentTable incidents={shown} now={now} />}
      {older.length === 0 ? null : (
        <details>
          <summary>
            {older.length} earlier {older.length === 1 ? 'incident' : 'incidents'}
          </summary>
          <IncidentTable incidents={older} now={now} />
        </details>
      )}
    </section>
  )
}

function IncidentTable({ incidents, now }: { incidents: readonly PublicIncident[]; now: string }): VNode {
  return (
    <Table
      columns={[{ label: 'System', isName: true }, { label: 'Began' }, { label: 'Ended' }, { label: 'Lasted' }]}
      rows={incidents.map(({ name, began_at, ended_at }, index) => ({
        key: index,
        cells: [
          name,
          <time dateTime={began_at}>{instantText(began_at)}</time>,
          ended_at === null ? (
            <strong class="bad">Still down</strong>
          ) : (
            <time dateTime={ended_at}>{instantText(ended_at)}</time>
          ),
          span(seconds(began_at, ended_at ?? now)),
        ],
      }))}
    />
  )
}

function secondText(at: string): string {
  return `${dayText(at)}, ${at.slice(11, 19)} UTC`
}

export function seconds(from: string, until: string): number {
  return Math.max(0, (Date.parse(until) - Date.parse(from)) / 1000)
}
