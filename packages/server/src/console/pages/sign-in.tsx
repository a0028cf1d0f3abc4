// Signing in and signing out.
import { DomainError } from '../../domain/errors.ts'
import { closeSession } from '../../domain/people/sessions.ts'
import { signIn } from '../../domain/people/sign-in.ts'
import { PostForm } from '../frame.tsx'
import { requireRoomToSignIn } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { get, page, type PageAnswer, post, redirect, type Route } from '../route.ts'
import { sentence } from './problem.tsx'

function signInPage(values: { email: string; to: string; fault?: string }): PageAnswer {
  return page(
    'Sign in',
    <section class="narrow">
      <h1>Sign in</h1>
      <Fault line={values.fault} />
      <PostForm action="/sign-in">
        <input type="hidden" name="to" value={values.to} />
        <Field name="email" label="Email" type="email" value={values.email} autocomplete="username" required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
        <button type="submit">Sign in</button>
      </PostForm>
      <p>
        <a href="/reset-password">Forgot the password?</a> · <a href="/sign-up">No account yet? Sign up</a>
      </p>
    </section>,
    values.fault === undefined ? 200 : 400,
  )
}

export const SIGN_IN_ROUTES: readonly Route[] = [
  get('/sign-in', 'anyone', async ({ viewer, query, returnPath }) => {
    const to = returnPath(query.to ?? '/') ?? '/'
    return viewer ? redirect(to) : signInPage({ email: '', to })
  }),
  post('/sign-in', 'anyone', async (context) => {
    const { deps, form, returnPath } = context
    const [email, to] = [form.text('email').trim(), returnPath(form.text('to')) ?? '/']
    await requireRoomToSignIn(context, email)
    try {
      return { kind: 'redirect', to, ...(await signIn(deps, email, form.text('password'))) }
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'limited') throw error
      return signInPage({ email, to, fault: sentence(error.message) })
    }
  }),
  post('/sign-out', 'person', async ({ deps, viewer }) => {
    await closeSession(deps, viewer)
    if (viewer.impersonator_id !== null) {
      return { kind: 'redirect', to: '/admin', session: null, notice: 'You are yourself again.' }
    }
    return { kind: 'redirect', to: '/sign-in', session: null, notice: 'Signed out.' }
  }),
]
