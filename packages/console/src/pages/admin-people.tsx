// Shows admins all people: who may sign in, who else is an admin, and impersonation.
import { deletePersonById } from '@dogwatch/domain/people/delete'
import {
  findPeople,
  removeSecondFactorsById,
  type ShownPerson,
  setAdminById,
  switchPersonById,
} from '@dogwatch/domain/people/edit'
import { openImpersonation } from '@dogwatch/domain/people/sessions'
import { Ago } from '../parts/time.tsx'
import { PostButton } from '../post-form.tsx'
import { get, idParam, type PageAnswer, type PersonContext, post, type Route, redirect } from '../route.ts'
import { searchPage } from './admin-search.tsx'

async function peoplePage({ deps, query, viewer }: PersonContext): Promise<PageAnswer> {
  return searchPage(query, {
    path: '/admin/people',
    heading: 'People',
    label: 'Email',
    find: (text, from) => findPeople(deps, text, from),
    columns: ['Email', 'Joined', 'State', 'Actions'],
    hidden: 'Actions',
    row: (person) => [
      person.person_id,
      person.email,
      <Ago at={person.created_at} />,
      `${person.disabled_at === null ? 'Enabled' : 'Disabled'}${person.is_admin ? ', admin' : ''}`,
      person.person_id === viewer.person_id ? 'You' : <PersonActions person={person} />,
    ],
  })
}

function PersonActions({ person: { person_id, email, is_admin, disabled_at } }: { person: ShownPerson }) {
  const isEnabled = disabled_at === null
  const verbs = [
    isEnabled ? (['disable', 'Disable', 'danger'] as const) : (['enable', 'Enable', 'secondary'] as const),
    is_admin
      ? (['revoke-admin', 'Remove admin', 'danger'] as const)
      : (['make-admin', 'Make admin', 'secondary'] as const),
    ...(isEnabled && !is_admin ? [['log-in-as', 'Log in as', 'secondary'] as const] : []),
    ['remove-second-factor', 'Reset two-step sign-in', 'danger'] as const,
    ...(isEnabled ? [] : [['delete', 'Delete user', 'danger'] as const]),
  ]
  return (
    <div class="actions">
      {verbs.map(([verb, label, look]) => (
        <PostButton
          action={`/admin/people/${person_id}/${verb}`}
          kind={look}
          label={`${label}: ${email}`}
          confirm={CONFIRMED.get(verb)?.(email)}
          text={label}
        />
      ))}
    </div>
  )
}

const CONFIRMED = new Map(
  Object.entries<(email: string) => string>({
    delete: (email) => `Delete ${email}? This cannot be undone.`,
    'remove-second-factor': (email) =>
      `Remove the authenticator app and all passkeys for ${email}? All their sessions end.`,
  }),
)

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
  get('/admin/people', 'admin', peoplePage),
  change('disable', 'User disabled.', ({ deps, viewer }, id) => switchPersonById(deps, viewer, id, false)),
  change('enable', 'User enabled.', ({ deps, viewer }, id) => switchPersonById(deps, viewer, id, true)),
  change('make-admin', 'Admin access granted.', ({ deps, viewer }, id) => setAdminById(deps, viewer, id, true)),
  change('revoke-admin', 'Admin access removed.', ({ deps, viewer }, id) => setAdminById(deps, viewer, id, false)),
  change('remove-second-factor', 'Second factors removed and user signed out.', ({ deps, viewer }, id) =>
    removeSecondFactorsById(deps, viewer, id),
  ),
  change('delete', 'User deleted.', ({ deps, viewer }, id) => deletePersonById(deps, viewer, id)),
  post('/admin/people/:person/log-in-as', 'admin', async (context) => {
    const session = await openImpersonation(context.deps, context.viewer, idParam(context, 'person'))
    return { kind: 'redirect', to: '/', session, isImpersonation: true }
  }),
]
