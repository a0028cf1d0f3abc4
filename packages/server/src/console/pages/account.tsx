// A person's own account: the password and the sessions.
import { DomainError } from '../../domain/errors.ts'
import { changePassword } from '../../domain/people/password.ts'
import { closeAllSessions } from '../../domain/people/sessions.ts'
import { PostForm } from '../frame.tsx'
import { PASSWORDS, requireRoom } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { get, page, type PageAnswer, type PersonContext, post, redirect, type Route } from '../route.ts'
import { sentence } from './problem.tsx'

function accountPage({ viewer }: PersonContext, fault?: string): PageAnswer {
  const status = fault === undefined ? 200 : 400
  if (viewer.impersonator_email !== null) {
    return page(
      'Account',
      <section class="narrow">
        <h1>Account</h1>
        <p>Signed in as {viewer.email}. Their password and their sessions are for them alone.</p>
      </section>,
      status,
    )
  }
  return page(
    'Account',
    <section class="narrow">
      <h1>Account</h1>
      <p>Signed in as {viewer.email}.</p>
      <h2>Change the password</h2>
      <Fault line={fault} />
      <PostForm action="/account/password">
        <Field name="present" label="Present password" type="password" autocomplete="current-password" required />
        <Field
          name="wanted"
          label="New password"
          type="password"
          hint="At least 10 characters. You stay signed in here and are signed out everywhere else."
          autocomplete="new-password"
          required
        />
        <button type="submit">Change the password</button>
      </PostForm>
      <p>
        <a href="/reset-password">Forgot the present one?</a>
      </p>
      <h2>Sign out everywhere</h2>
      <p>Ends every session of yours, this one too. Tokens and monitors keep working.</p>
      <PostForm action="/account/sign-out-everywhere">
        <button type="submit" class="danger">
          Sign out everywhere
        </button>
      </PostForm>
    </section>,
    status,
  )
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  get('/account', 'person', async (context) => accountPage(context)),
  post('/account/password', 'person', async (context) => {
    const { deps, viewer, form } = context
    await requireRoom(context, PASSWORDS, String(viewer.person_id))
    try {
      const wanted = { present: form.text('present'), wanted: form.text('wanted') }
      const notice = 'The password is changed. You are signed out everywhere else.'
      return { ...redirect('/account', notice), ...(await changePassword(deps, viewer, wanted)) }
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error
      return accountPage(context, sentence(error.message))
    }
  }),
  post('/account/sign-out-everywhere', 'person', async ({ deps, viewer }) => {
    await closeAllSessions(deps, viewer)
    return { kind: 'redirect', to: '/sign-in', session: null, notice: 'Signed out everywhere.' }
  }),
]
