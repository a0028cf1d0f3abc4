// Lists what a member, or a former member, created, with buttons to revoke it.
import { type MadeRow, readMade, type UnknownMakers } from '@dogwatch/domain/organisations/makers'
import { SettingsHead } from '../parts/nav.tsx'
import { Pager, pagesOf, rowsOf } from '../parts/pager.tsx'
import { PostButton } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { get, idParam, type MemberContext, type PageAnswer, page, type Route } from '../route.ts'

const KINDS = {
  monitor: {
    title: 'Monitors',
    path: ({ id }: MadeRow) => `/monitors/${id}`,
    verb: 'reset',
    label: 'Reset monitor',
    hint: 'Monitors can read the checks assigned to them, including headers and bodies. Resetting a monitor revokes its key.',
  },
  heartbeat: {
    title: 'Ping URLs',
    path: ({ id }: MadeRow) => `/heartbeats/${id}`,
    verb: 'rotate',
    label: 'Replace ping URL',
    hint: 'Anyone with the URL can report a job as done. After you replace the URL, the old URL no longer works.',
  },
  channel: {
    title: 'Channels',
    path: ({ id }: MadeRow) => `/channels/${id}`,
    verb: 'delete',
    label: 'Delete channel',
    hint: 'Alerts go to the destination this person set.',
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
    `Created by ${email}`,
    <section>
      <SettingsHead at="/settings/members" title={`Created by ${email}`} />
      {is_member ? (
        <p>
          {email} is a member. If you remove them, their tokens and the invitations that they sent are revoked. The
          items below keep working until you reset, replace or delete them.
        </p>
      ) : (
        <p>
          {email} is no longer a member, and their tokens and invitations are revoked. Everything listed below still
          works.
        </p>
      )}
      {made.length === 0 ? <p class="empty">No active monitors, ping URLs or channels created by {email}.</p> : null}
      {(Object.keys(KINDS) as MadeRow['kind'][]).map((kind) => (
        <List kind={kind} rows={rowsOf(made).filter((row) => row.kind === kind)} />
      ))}
      <Pager path={`/settings/members/${person_id}/made`} pages={pages} read={made} of="entries" />
      <Unknown unknown={unknown} />
      <p>
        <Link href="/settings/members">Back to members</Link>
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
          <li>
            <Link href={path(row)}>{row.name || row.id}</Link>{' '}
            <PostButton
              action={`${path(row)}/${verb}`}
              kind="danger"
              label={`${label}: ${row.name || row.id}`}
              text={label}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Renders the number of items without a known creator, because an operator or an earlier version created them. */
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
      <h3>Creator unknown</h3>
      <p>Dogwatch has no record of who created the entries below. This person may have created some of them.</p>
      <ul class="plain">
        {some.map(([count, noun, href]) => (
          <li>
            <Link href={href}>
              {count} {count === 1 ? noun : `${noun}s`}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

export const MADE_ROUTES: readonly Route[] = [get('/settings/members/:member/made', 'org_admin', madePage)]
