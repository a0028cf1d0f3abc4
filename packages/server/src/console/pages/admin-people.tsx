// For admins: people, whether they may sign in, who else is an admin, and seeing what one of them sees.
import { findPeople, setAdminById, type ShownPerson, switchPersonById } from '../../domain/people/edit.ts'
import { openImpersonation } from '../../domain/people/sessions.ts'
import { PostForm } from '../frame.tsx'
import { AdminNav, Search } from '../parts/admin-nav.tsx'
import { Ago } from '../parts/time.tsx'
import { get, idParam, page, type PageAnswer, type PersonContext, post, redirect, type Route } from '../route.ts'

async function peoplePage({ deps, query, viewer }: PersonContext): Promise<PageAnswer> {
  const text = query.q ?? ''
  const found = await findPeople(deps, text)
  return page(
    'Admin: people',
    <section>
      <h1>Admin</h1>
      <AdminNav at="/admin/people" />
      <h2>People</h2>
      <Search action="/admin/people" label="Address" text={text} />
      {found.length === 0 ? (
        <p class="empty">None is found.</p>
      ) : (
        <PersonTable found={found} self={viewer.person_id} now={deps.clock.now()} />
      )}
    </section>,
  )
}

function PersonTable({ found, self, now }: { found: ShownPerson[]; self: number; now: Date }) {
  return (
    <div class="scroll">
      <table>
        <caption>{found.length === 100 ? 'The newest 100' : `${found.length} found`}</caption>
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Since</th>
            <th scope="col">State</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {found.map((person) => (
            <tr key={person.person_id}>
              <td>{person.email}</td>
              <td>
                <Ago at={person.created_at} now={now} />
              </td>
              <td class="word">
                {person.disabled_at === null ? 'Enabled' : 'Disabled'}
                {person.is_admin ? ', admin' : ''}
              </td>
              <td>{person.person_id === self ? 'You' : <PersonActions person={person} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PersonActions({ person: { person_id, email, is_admin, disabled_at } }: { person: ShownPerson }) {
  const isEnabled = disabled_at === null
  const verbs = [
    isEnabled ? (['disable', 'Disable', 'danger'] as const) : (['enable', 'Enable', 'quiet'] as const),
    is_admin
      ? (['revoke-admin', 'No admin any more', 'danger'] as const)
      : (['make-admin', 'Make admin', 'quiet'] as const),
    ...(isEnabled && !is_admin ? [['log-in-as', 'Log in as', 'quiet'] as const] : []),
  ]
  return (
    <div class="actions">
      {verbs.map(([verb, label, look]) => (
        <PostForm key={verb} action={`/admin/people/${person_id}/${verb}`} class="inline">
          <button type="submit" class={look} aria-label={`${label}: ${email}`}>
            {label}
          </button>
        </PostForm>
      ))}
    </div>
  )
}

function change(
  verb: string,
  notice: string,
  apply: (context: PersonContext, person_id: number) => Promise<void>,
): Route {
  return post(`/admin/people/:person/${verb}`, 'admin', async (context) => {
    await apply(context, idParam(context, 'person'))
    return redirect('/admin/people', notice)
  })
}

export const ADMIN_PEOPLE_ROUTES: readonly Route[] = [
  get('/admin/people', 'admin', async (context) => peoplePage(context)),
  change('disable', 'The account is disabled.', ({ deps, viewer }, id) => switchPersonById(deps, viewer, id, false)),
  change('enable', 'The account is enabled.', ({ deps, viewer }, id) => switchPersonById(deps, viewer, id, true)),
  change('make-admin', 'They are an admin now.', ({ deps, viewer }, id) => setAdminById(deps, viewer, id, true)),
  change('revoke-admin', 'They are no admin any more.', ({ deps, viewer }, id) =>
    setAdminById(deps, viewer, id, false),
  ),
  post('/admin/people/:person/log-in-as', 'admin', async (context) => {
    const session = await openImpersonation(context.deps, context.viewer, idParam(context, 'person'))
    return { kind: 'redirect', to: '/', session, isImpersonation: true }
  }),
]
