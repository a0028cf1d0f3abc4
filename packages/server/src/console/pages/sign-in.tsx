// Signing in and signing out.
import { DomainError } from '../../domain/errors.ts'
import { isServerSetUp } from '../../domain/people/first-person.ts'
import { closeSession } from '../../domain/people/sessions.ts'
import { signIn } from '../../domain/people/sign-in.ts'
import { PostForm } from '../frame.tsx'
import { requireRoomToSignIn } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { type AnyoneContext, get, page, type PageAnswer, post, redirect, type Route } from '../route.ts'
import { sentence } from './problem.tsx'

interface Shown {
  email: string
  to: string
  fault?: string
}

async function signInPage({ deps, options }: AnyoneContext, values: Shown): Promise<PageAnswer> {
  const isFresh = options.sign_up !== 'open' && !(await isServerSetUp(deps))
  return page(
    'Sign in',
    <section class="narrow">
      <h1>Sign in</h1>
      {isFresh ? (
        <p class="notice" role="status">
          This server is not set up yet. Open the link that the server printed when it started, in the line that begins
          with “dogwatch: set up at”. It works for a day; a restart prints a new one.
        </p>
      ) : null}
      <Fault line={values.fault} />
      <PostForm action="/sign-in">
        <input type="hidden" name="to" value={values.to} />
        <Field name="email" label="Email" type="email" value={values.email} autocomplete="username" required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
        <button type="submit">Sign in</button>
      </PostForm>
      <p>
        <a href="/reset-password">Forgot the password?</a>
        {options.sign_up === 'open' ? (
          <>
            {' '}
            · <a href="/sign-up">No account yet? Sign up</a>
          </>
        ) : null}
      </p>
    </section>,
    values.fault === undefined ? 200 : 400,
  )
}

export const SIGN_IN_ROUTES: readonly Route[] = [
  get('/sign-in', 'anyone', async (context) => {
    const { viewer, query, returnPath } = context
    const to = returnPath(query.to ?? '/') ?? '/'
    return viewer ? redirect(to) : signInPage(context, { email: '', to })
  }),
  post('/sign-in', 'anyone', async (context) => {
    const { deps, form, returnPath } = context
    const [email, to] = [form.text('email').trim(), returnPath(form.text('to')) ?? '/']
    await requireRoomToSignIn(context, email)
    try {
      return { kind: 'redirect', to, ...(await signIn(deps, email, form.text('password'))) }
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'limited') throw error
      return signInPage(context, { email, to, fault: sentence(error.message) })
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
