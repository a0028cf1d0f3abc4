// Searches everything of an organisation, as a page, and as JSON for the palette that scripts open.
import { type FoundRow, findOfOrg } from '@dogwatch/domain/search/find'
import { mayUse } from '../../access.ts'
import { type State, StateMark } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { requireRoomToSearch } from '../../limits.ts'
import { PostButton } from '../../post-form.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { type FileAnswer, get, type MemberContext, type PageAnswer, page, type Route } from '../../route.ts'
import { matching } from './destinations.ts'

interface Entry {
  kind: FoundRow['kind'] | 'action' | 'page'
  label: string
  note?: string
  state?: State
  href: string
  /** Form to send instead of opening a page. */
  post?: { action: string; fields: Readonly<Record<string, string>> }
}

const KINDS: Readonly<Record<Entry['kind'], string>> = {
  incident: 'Incidents',
  check: 'Checks',
  heartbeat: 'Heartbeats',
  monitor: 'Monitors',
  action: 'Actions',
  page: 'Pages',
}
const MOST_NOTE = 120

async function find(context: MemberContext): Promise<Entry[]> {
  const { deps, org, viewer, query, may } = context
  await requireRoomToSearch(context)
  const text = query.q ?? ''
  const rows = await findOfOrg(deps, org.org_id, text)
  const mayChange = mayUse('member', viewer)
  const places = matching(text).filter(({ href }) => may('GET', href))
  return [
    ...rows.map(entryOf),
    ...(mayChange ? rows.flatMap(acknowledging) : []),
    ...places.map(({ kind, label, href }): Entry => ({ kind, label, href })),
  ]
}

function entryOf({ kind, id, name, note, is_down }: FoundRow): Entry {
  const label = kind === 'incident' ? `${name} is down` : name
  return {
    kind,
    label,
    href: `/${kind}s/${id}`,
    ...(note !== '' && { note: note.slice(0, MOST_NOTE) }),
    ...(is_down && kind !== 'incident' && { state: 'down' }),
  }
}

function acknowledging({ kind, id, name, acknowledge }: FoundRow): Entry[] {
  if (kind !== 'incident' || !acknowledge) return []
  const post = { action: `/${acknowledge.kind}s/${acknowledge.guid}/acknowledge`, fields: { incident: id } }
  return [{ kind: 'action', label: `Acknowledge ${name}`, href: `/incidents/${id}`, post }]
}

async function searchPage(context: MemberContext): Promise<PageAnswer> {
  const entries = await find(context)
  const text = context.query.q ?? ''
  return page(
    'Search',
    <section class="narrow">
      <PageHead title="Search" />
      <SearchForm action="/search" role="search" class="search">
        <label class="heard" for="search">
          Search
        </label>
        <input id="search" name="q" type="search" value={text} placeholder="Search by name, target, tag or page" />
        <Button icon="search" kind="primary" text="Search" />
      </SearchForm>
      {entries.length === 0 ? <EmptyState icon="search" title={`No results for “${text.slice(0, 100)}”`} /> : null}
      {Object.entries(KINDS).map(([kind, title]) => (
        <Group title={title} entries={entries.filter((entry) => entry.kind === kind)} />
      ))}
    </section>,
  )
}

function Group({ title, entries }: { title: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul class="plain">
        {entries.map((entry) => (
          <li>
            <Found entry={entry} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Found({ entry: { label, note, state, href, post } }: { entry: Entry }) {
  if (post) return <PostButton action={post.action} hidden={post.fields} text={label} />
  return (
    <>
      <Link href={href}>{label}</Link> {state === undefined ? null : <StateMark state={state} />}{' '}
      {note === undefined ? null : <small>{note}</small>}
    </>
  )
}

async function searchJson(context: MemberContext): Promise<FileAnswer> {
  const text = JSON.stringify({ found: await find(context) })
  return { kind: 'file', name: 'search.json', type: 'application/json', text }
}

export const SEARCH_ROUTES: readonly Route[] = [
  get('/search', 'reader', searchPage),
  get('/search.json', 'reader', searchJson),
]
