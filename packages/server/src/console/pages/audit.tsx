// Who changed what in the organisation, newest first.
import type { VNode } from 'preact'
import { type AuditRow, readAudit } from '../../domain/audit/read.ts'
import { PageHead } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { SettingsNav } from '../parts/settings-nav.tsx'
import { Ago, At } from '../parts/time.tsx'
import { get, type MemberContext, page, type PageAnswer, type Route } from '../route.ts'

async function auditPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const before = /^\d{1,15}$/.test(query.before ?? '') ? Number(query.before) : undefined
  const { entries, before: next } = await readAudit(deps, org.org_id, { before })
  return page(
    'Audit log',
    <section>
      <PageHead title="Settings" />
      <SettingsNav at="/settings/audit" />
      <h2>Audit log</h2>
      {entries.length === 0 ? (
        <p class="empty">{before === undefined ? 'Nothing has been changed yet.' : 'There is nothing older.'}</p>
      ) : (
        <EntryTable entries={entries} now={deps.clock.now()} />
      )}
      <p class="actions">
        {before === undefined ? null : <a href="/settings/audit">Newest</a>}
        {next === undefined ? null : (
          <a href={`/settings/audit?before=${next}`} rel="next">
            Older
          </a>
        )}
      </p>
    </section>,
  )
}

function EntryTable({ entries, now }: { entries: AuditRow[]; now: Date }) {
  return (
    <Table
      columns={[{ label: 'When' }, { label: 'Who' }, { label: 'Did' }, { label: 'To' }]}
      rows={entries.map(({ entry_id, created_at, actor, impersonator, action, subject, detail, times, last_at }) => ({
        key: entry_id,
        cells: [
          <Ago at={created_at} now={now} />,
          impersonator === null ? actor : `${impersonator} as ${actor}`,
          action.replaceAll('_', ' ').replace('.', ': '),
          <>
            {subject}
            {times === null || last_at === null ? null : (
              <p class="hint">
                Last of {times.toLocaleString('en-GB')} changes, until <At at={last_at} now={now} />
              </p>
            )}
            {Object.keys(detail).length === 0 ? null : <Detail detail={detail} now={now} />}
          </>,
        ],
      }))}
    />
  )
}

/** Of long lists, such as the checks that were changed at once, so many entries are shown. */
const LISTED = 5

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function Detail({ detail, now }: { detail: Record<string, unknown>; now: Date }): VNode {
  return (
    <p class="hint">
      {Object.entries(detail).map(([name, value], index) => (
        <span key={name}>
          {index > 0 ? ', ' : ''}
          {name.replaceAll('_', ' ')}:{' '}
          {typeof value === 'string' && TIMESTAMP.test(value) ? (
            <At at={value} now={now} />
          ) : typeof value === 'string' ? (
            value
          ) : (
            briefly(value)
          )}
        </span>
      ))}
    </p>
  )
}

function briefly(value: unknown): string {
  if (!Array.isArray(value) || value.length <= LISTED) return JSON.stringify(value)
  return `${JSON.stringify(value.slice(0, LISTED))} and ${value.length - LISTED} more`
}

export const AUDIT_ROUTES: readonly Route[] = [
  get('/settings/audit', 'org_admin', async (context) => auditPage(context)),
]
