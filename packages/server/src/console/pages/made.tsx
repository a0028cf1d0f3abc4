// What a member, or a former member, created, and buttons to revoke it.
import { type MadeRow, readMade, type UnknownMakers } from '../../domain/organisations/makers.ts'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { PostForm } from '../frame.tsx'
import { Pager, pagesOf, rowsOf } from '../parts/pager.tsx'
import { SettingsNav } from '../parts/settings-nav.tsx'
import { get, idParam, type MemberContext, page, type PageAnswer, type Route } from '../route.ts'

const KINDS = {
  monitor: {
    title: 'Monitors enrolled with their tokens',
    path: ({ id }: MadeRow) => `/monitors/${id}`,
    verb: 'reset',
    label: 'Reset monitor',
    hint: 'A monitor reads the checks that it runs, with their headers and bodies. Resetting it ends its key.',
  },
  heartbeat: {
    title: 'Ping URLs',
    path: ({ id }: MadeRow) => `/heartbeats/${id}`,
    verb: 'rotate',
    label: 'Rotate ping URL',
    hint: 'Whoever knows the URL can report a job as done. Rotating it makes the old one void.',
  },
  channel: {
    title: 'Channels',
    path: ({ id }: MadeRow) => `/channels/${id}`,
    verb: 'delete',
    label: 'Delete channel',
    hint: 'Alerts go to the place that they set.',
  },
} as const

async function madePage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, query } = context
  const person_id = idParam(context, 'member')
  const pages = pagesOf(query)
  const {
    email = `deleted user ${person_id}`,
    is_member,
    made,
    unknown,
  } = await readMade(deps, org.org_id, person_id, pages.slice)
  return page(
    `Made by ${email}`,
    <section>
      <PageHead title="Settings" />
      <SettingsNav at="/settings/members" />
      <h2>Made by {email}</h2>
      {is_member ? (
        <p>{email} is a member. If you remove them, their tokens and invitations end; this stays until you end it.</p>
      ) : (
        <p>
          {email} is not a member any more. Their tokens, enrollment tokens and invitations have ended. What is listed
          here still works.
        </p>
      )}
      {made.length === 0 ? <p class="empty">Nothing that still works.</p> : null}
      {(Object.keys(KINDS) as MadeRow['kind'][]).map((kind) => (
        <List key={kind} kind={kind} rows={rowsOf(made).filter((row) => row.kind === kind)} />
      ))}
      <Pager path={`/settings/members/${person_id}/made`} pages={pages} read={made} of="entries" />
      <Unknown unknown={unknown} />
      <p>
        <a href="/settings/members">Members</a>
      </p>
    </section>,
  )
}

function List({ kind, rows }: { kind: MadeRow['kind']; rows: MadeRow[] }) {
  if (rows.length === 0) return null
  const { title, path, verb, label, hint } = KINDS[kind]
  return (
    <>
      <h3>{title}</h3>
      <p>{hint}</p>
      <ul class="plain">
        {rows.map((row) => (
          <li key={row.id}>
            <a href={path(row)}>{row.name || row.id}</a>{' '}
            <PostForm action={`${path(row)}/${verb}`} class="inline">
              <Button kind="danger" label={`${label}: ${row.name || row.id}`}>
                {label}
              </Button>
            </PostForm>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Things that were created before that was recorded, or by an operator: nobody knows by whom. */
function Unknown({ unknown }: { unknown: UnknownMakers }) {
  const lists = [
    [unknown.enrollment_tokens, 'enrollment token', '/monitors/new'],
    [unknown.monitors, 'monitor', '/monitors'],
    [unknown.heartbeats, 'ping URL', '/heartbeats'],
    [unknown.channels, 'channel', '/channels'],
  ] as const
  const some = lists.filter(([count]) => count > 0)
  if (some.length === 0) return null
  return (
    <>
      <h3>Made by somebody unknown</h3>
      <p>These were made before Dogwatch noted who makes what, or by an operator. They may be theirs.</p>
      <ul class="plain">
        {some.map(([count, noun, href]) => (
          <li key={href}>
            <a href={href}>
              {count} {count === 1 ? noun : `${noun}s`}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

export const MADE_ROUTES: readonly Route[] = [get('/settings/members/:member/made', 'org_admin', madePage)]
