// Renders the status page as HTML: a document of its own, without frame, scripts or forms.

import { setImmediate as turn } from 'node:timers/promises'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import '../text-direction.ts'
import { list, percentText } from '@dogwatch/channels/wording'
import type { PublicEntry, PublicIncident, PublicMaintenance, PublicStatus } from '@dogwatch/domain/status-page/status'
import { STYLE_PATH } from '../assets.ts'
import { StateMark } from '../design/badge.tsx'
import { Icon } from '../design/icons.tsx'
import { Table } from '../design/table.tsx'
import { span } from '../parts/time.tsx'
import { DayBar } from './days.tsx'
import { dayText, headlineOf, instantText, MOSTLY_WELL, shareText } from './wording.ts'

/**
 * Placeholder for the entries, which are written one by one. Texts of other people cannot contain it, because they are escaped.
 */
const ENTRIES = '<!--entries-->'
/** Number of characters of entries between two pauses: some milliseconds. */
const PIECE_CHARS = 64 * 1024

/** Yields the page as HTML in pieces, so that the server can serve other requests between two pieces. */
export async function* htmlPieces(status: PublicStatus, slug: string): AsyncGenerator<string> {
  const [before = '', after = ''] = htmlOf(<StatusDocument status={status} slug={slug} />).split(ENTRIES)
  let text = before
  for (const entry of status.entries) {
    text += render(<Entry entry={entry} now={status.computed_at} />)
    if (text.length < PIECE_CHARS) continue
    yield text
    text = ''
    await turn()
  }
  yield text + after
}

/**
 * Returns the page for an address without a status page, and for one that is not public, so that no one can tell the two apart.
 */
export function noStatusHtml(): string {
  return htmlOf(
    <Document title="Not found">
      <main id="main" class="public">
        <h1>Status page not found</h1>
        <p>There is no status page at this address. Check the URL and try again.</p>
      </main>
    </Document>,
  )
}

function htmlOf(document: VNode): string {
  return `<!doctype html>${render(document)}`
}

function StatusDocument({ status, slug }: { status: PublicStatus; slug: string }) {
  const { title, description, computed_at, history_at, entries, incidents, maintenance } = status
  return (
    <Document title={title}>
      <header class="public">
        <h1>{title}</h1>
        {description === '' ? null : <p class="lines">{description}</p>}
      </header>
      <main id="main" class="public">
        <TheHeadline status={status} />
        <Maintenance maintenance={maintenance} />
        {entries.length === 0 ? null : <Entries />}
        <Incidents incidents={incidents} now={computed_at} />
      </main>
      <footer class="public">
        <p>
          Last updated <time dateTime={computed_at}>{secondText(computed_at)}</time>.{' '}
          {secondText(history_at) === secondText(computed_at)
            ? null
            : ['The daily figures are from ', <time dateTime={history_at}>{secondText(history_at)}</time>, '. ']}
          Also available as JSON: <a href={`/status/${slug}.json`}>{`/status/${slug}.json`}</a>
        </p>
        <p>Powered by Dogwatch</p>
      </footer>
    </Document>
  )
}

function Document({ title, children }: { title: string; children: unknown }) {
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

function TheHeadline({ status }: { status: PublicStatus }) {
  const { headline, computed_at } = status
  const [icon, line, tone] = headlineOf(status)
  return (
    <p class={`headline ${tone}`}>
      <Icon name={icon} /> {line}
      {headline.since === null ? null : <SinceText at={headline.since} now={computed_at} />}
    </p>
  )
}

function SinceText({ at, now }: { at: string; now: string }) {
  return (
    <>
      {', since '}
      <time dateTime={at}>{instantText(at)}</time>
      {` (${span(seconds(at, now))})`}
    </>
  )
}

function Maintenance({ maintenance }: { maintenance: readonly PublicMaintenance[] }) {
  if (maintenance.length === 0) return null
  return (
    <section>
      <h2>Scheduled maintenance</h2>
      {maintenance.map(({ name, state, begins_at, ends_at, systems }) => (
        <article class="system">
          <h3>{name}</h3>
          <p>
            {state === 'running' ? 'In progress since ' : 'Scheduled from '}
            <time dateTime={begins_at}>{instantText(begins_at)}</time>
            {state === 'running' ? ', ends ' : ' to '}
            <time dateTime={ends_at}>{instantText(ends_at)}</time>
          </p>
          <p class="hint">{list(systems, MOST_NAMED)}</p>
        </article>
      ))}
    </section>
  )
}

/** Maximum number of systems to name for each maintenance. The list of systems on the page shows all others. */
const MOST_NAMED = 20

function Entries() {
  const parts = [
    render(<h2>Systems</h2>),
    ENTRIES,
    render(
      <p class="hint">
        Each bar is one day (UTC). Green: no downtime. Green with red top: some downtime, but at least{' '}
        {percentText(MOSTLY_WELL)} uptime. Red: less than {percentText(MOSTLY_WELL)}. Grey: no data.
      </p>,
    ),
  ]
  return <section dangerouslySetInnerHTML={{ __html: parts.join('') }} />
}

function Entry({ entry, now }: { entry: PublicEntry; now: string }) {
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
        {maintenance_sec > 0 ? `, excluding ${span(maintenance_sec)} of scheduled maintenance` : ''}
        {unknown_sec > 0 ? `, no data for ${span(unknown_sec)}` : ''}
      </p>
    </article>
  )
}

/** Number of incidents to show at once. Older ones are folded. */
const SHOWN = 10

function Incidents({ incidents, now }: { incidents: readonly PublicIncident[]; now: string }) {
  // An open incident is never folded.
  const isShown = (one: PublicIncident, index: number) => index < SHOWN || one.ended_at === null
  const shown = incidents.filter(isShown)
  const older = incidents.filter((one, index) => !isShown(one, index))
  return (
    <section>
      <h2>Incidents in the last 90 days</h2>
      {incidents.length === 0 ? (
        <p>No incidents in the last 90 days.</p>
      ) : (
        <IncidentTable incidents={shown} now={now} />
      )}
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

function IncidentTable({ incidents, now }: { incidents: readonly PublicIncident[]; now: string }) {
  return (
    <Table
      columns={['System', 'Started', 'Resolved', 'Duration']}
      name="System"
      rows={incidents.map(({ name, began_at, ended_at }, index) => [
        index,
        name,
        <time dateTime={began_at}>{instantText(began_at)}</time>,
        ended_at === null ? (
          <strong class="bad">Ongoing</strong>
        ) : (
          <time dateTime={ended_at}>{instantText(ended_at)}</time>
        ),
        span(seconds(began_at, ended_at ?? now)),
      ])}
    />
  )
}

function secondText(at: string): string {
  return `${dayText(at)}, ${at.slice(11, 19)} UTC`
}

export function seconds(from: string, until: string): number {
  return Math.max(0, (Date.parse(until) - Date.parse(from)) / 1000)
}
