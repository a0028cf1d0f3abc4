// Shows the organisation's audit log, latest first: who changed what, in sentences.

import { count } from '@dogwatch/channels/wording'
import { type AuditRow, readAudit } from '@dogwatch/domain/audit/read'
import { Table } from '../design/table.tsx'
import { AuditSentence } from '../parts/audit-sentence.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { Ago, At } from '../parts/time.tsx'
import { Link } from '../rights.tsx'
import { get, type MemberContext, type PageAnswer, page, type Route, readNumber } from '../route.ts'

async function auditPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const before = readNumber(query.before)
  const { entries, before: next } = await readAudit(deps, org.org_id, { before })
  return page(
    'Audit log',
    <section>
      <SettingsHead at="/settings/audit" title="Audit log" />
      <Table
        columns={['Time', 'Change']}
        rows={entries.map((entry) => [
          entry.entry_id,
          <Ago at={entry.created_at} />,
          <>
            <p>
              <AuditSentence entry={entry} />
            </p>
            <Summary entry={entry} />
            <Detail entry={entry} />
          </>,
        ])}
        empty={before === undefined ? 'No changes recorded yet.' : 'No earlier entries.'}
      />
      <p class="actions">
        {before === undefined ? null : <Link href="/settings/audit">Latest entries</Link>}
        {next === undefined ? null : (
          <Link href={`/settings/audit?before=${next}`} rel="next">
            Earlier entries
          </Link>
        )}
      </p>
    </section>,
  )
}

function Summary({ entry: { times, last_at } }: { entry: AuditRow }) {
  if (times === null || last_at === null) return null
  return (
    <p class="hint">
      This entry summarises {count(times, 'change')}. Last change: <At at={last_at} />.
    </p>
  )
}

/** Maximum number of list entries to show, such as the checks of one bulk change. */
const LISTED = 5

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Renders an entry as the API returns it: action, subject and details. */
function Detail({ entry: { action, subject, detail } }: { entry: AuditRow }) {
  const facts: [string, unknown][] = [['action', action], ['subject', subject], ...Object.entries(detail)]
  return (
    <details>
      <summary>Details</summary>
      <p class="hint">
        {facts.map(([name, value], index) => (
          <span>
            {index > 0 ? ', ' : ''}
            {name.replaceAll('_', ' ')}:{' '}
            {typeof value === 'string' && TIMESTAMP.test(value) ? <At at={value} /> : briefly(value)}
          </span>
        ))}
      </p>
    </details>
  )
}

function briefly(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length <= LISTED) return JSON.stringify(value)
  return `${JSON.stringify(value.slice(0, LISTED))} and ${value.length - LISTED} more`
}

export const AUDIT_ROUTES: readonly Route[] = [get('/settings/audit', 'org_admin', auditPage)]
