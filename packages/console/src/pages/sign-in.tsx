// Signs people in and out.
import { DomainError } from '@dogwatch/domain/errors'
import { BEGINNINGS } from '@dogwatch/domain/limits/rates'
import { requireAwaited, type SignInStep, signInByCode } from '@dogwatch/domain/people/complete-sign-in'
import { isServerSetUp } from '@dogwatch/domain/people/first-person'
import { beginPasskeySignIn, signInByPasskey, siteOf } from '@dogwatch/domain/people/passkeys'
import { returnFromProvider, visitProvider } from '@dogwatch/domain/people/provider'
import { closeSession } from '@dogwatch/domain/people/sessions'
import { signIn } from '@dogwatch/domain/people/sign-in'
import { Button, ButtonLink } from '../design/button.tsx'
import { requireRoomForCode, requireRoomFrom, requireRoomToSignIn } from '../limits.ts'
import { Field } from '../parts/field.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { PasskeyForm } from '../parts/passkey-form.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { wholeFault, wholeFaults } from '../refusal.ts'
import { postOrRefuse, showAgain } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { type Answer, type AnyoneContext, get, type PageAnswer, post, type Route, redirect } from '../route.ts'
import { requireSite } from './account-passkeys.tsx'

const PATH = '/sign-in'

async function signInPage({ deps, options, query, refused, returnPath }: AnyoneContext): Promise<PageAnswer> {
  const to = returnPath(refused?.form.text('to') || (query.to ?? '/')) ?? '/'
  const isFresh = options.sign_up !== 'open' && !(await isServerSetUp(deps))
  return narrowPage(
    'Sign in',
    <>
      {isFresh ? (
        <p class="notice" role="status">
          This server is not set up yet. Open the setup link in the server log, on the line starting with “dogwatch: set
          up at”. The link expires after 24 h; restart the server to get a new link.
        </p>
      ) : null}
      <PostForm action={PATH} hidden={{ to }}>
        <Field name="email" label="Email" type="email" autocomplete="username" required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
        <Button kind="primary" text="Sign in" />
      </PostForm>
      <OtherWays options={options} to={to} />
      <p>
        <Link href="/reset-password">Forgot your password?</Link>
        {options.sign_up === 'open' ? [' · ', <Link href="/sign-up">No account yet? Sign up</Link>] : null}
      </p>
    </>,
  )
}

function OtherWays({ options: { provider, public_url }, to }: { options: AnyoneContext['options']; to: string }) {
  const hasPasskeys = siteOf(public_url) !== undefined
  if (!hasPasskeys && !provider) return null
  return (
    <div class="actions or">
      {hasPasskeys ? <PostButton action="/sign-in/passkey" hidden={{ to }} text="Sign in with a passkey" /> : null}
      {provider ? (
        <ButtonLink href={`/sign-in/provider?to=${encodeURIComponent(to)}`} text={`Sign in with ${provider.name}`} />
      ) : null}
    </div>
  )
}

function codePage(pending: string, to: string): PageAnswer {
  return narrowPage(
    'Two-step sign-in',
    <>
      <p>Enter the code from your authenticator app, or a recovery code.</p>
      <PostForm action="/sign-in/code" hidden={{ pending, to }}>
        <Field name="code" label="Authentication code" autocomplete="one-time-code" required />
        <Button kind="primary" text="Verify and sign in" />
      </PostForm>
      <p>
        Lost your authenticator and recovery codes? Contact your server admin.{' '}
        <Link href="/sign-in">Back to sign-in</Link>
      </p>
    </>,
  )
}

/** Returns the response to a sign-in: a session, or the page for the second step. */
function answerOf(step: SignInStep, to: string): Answer {
  if (step.kind === 'code') return codePage(step.pending, to)
  const { session, device } = step
  return { kind: 'redirect', to, session, ...(device !== undefined && { device }) }
}

/** Shows every refusal on the sign-in page, unless there were too many attempts. */
const faultsOfSignIn = wholeFaults((kind) => kind !== 'limited')

/** Renders a refusal of another way to sign in on the sign-in page. */
async function refused(context: AnyoneContext, error: unknown): Promise<PageAnswer> {
  return showAgain(context, faultsOfSignIn(error), signInPage)
}

const SIGN_IN_BY_PASSKEY: readonly Route[] = [
  post('/sign-in/passkey', 'anyone', async (context) => {
    const { deps, form, returnPath } = context
    const to = returnPath(form.text('to')) ?? '/'
    const site = requireSite(context)
    await requireRoomFrom(context, BEGINNINGS)
    const asked = await beginPasskeySignIn(deps, site)
    return narrowPage(
      'Sign in with a passkey',
      <>
        <PasskeyForm action="/sign-in/passkey/answer" kind="get" asked={asked} to={to} button="Continue with passkey" />
        <p>
          <Link href={`/sign-in?to=${encodeURIComponent(to)}`}>Sign in with a password instead</Link>
        </p>
      </>,
    )
  }),
  post('/sign-in/passkey/answer', 'anyone', async (context) => {
    const { deps, form, returnPath, beginning } = context
    const to = returnPath(form.text('to')) ?? '/'
    const site = requireSite(context)
    await requireRoomFrom(context, BEGINNINGS)
    try {
      const given = { pending: form.text('pending'), response: form.text('response') }
      return answerOf(await signInByPasskey(deps, site, given, beginning), to)
    } catch (error) {
      return refused(context, error)
    }
  }),
]

const SIGN_IN_BY_PROVIDER: readonly Route[] = [
  get('/sign-in/provider', 'anyone', async (context) => {
    const { deps, options, query, returnPath } = context
    const to = returnPath(query.to ?? '/') ?? '/'
    if (!options.provider) return redirect('/sign-in')
    await requireRoomFrom(context, BEGINNINGS)
    try {
      const { address, pending } = await visitProvider(deps, options.provider, to)
      return { kind: 'redirect', to: address, visit: pending }
    } catch (error) {
      return refused(context, error)
    }
  }),
  get('/sign-in/provider/return', 'anyone', async (context) => {
    const { deps, options, visit, viewer, beginning } = context
    const { provider, sign_up } = options
    if (!provider) return redirect('/sign-in')
    await requireRoomFrom(context, BEGINNINGS)
    try {
      const query = new URLSearchParams(context.query).toString()
      const given = { pending: visit, query, viewer, sign_up }
      const came = await returnFromProvider(deps, provider, given, beginning)
      if (came.kind === 'linked') return { ...redirect(came.to, `${provider.name} linked to your account.`), visit: '' }
      return { ...answerOf(came.step, came.to), visit: '' }
    } catch (error) {
      return refused(context, error)
    }
  }),
]

export const SIGN_IN_ROUTES: readonly Route[] = [
  get(PATH, 'anyone', async (context) => {
    const { viewer, query, returnPath } = context
    return viewer ? redirect(returnPath(query.to ?? '/') ?? '/') : signInPage(context)
  }),
  postOrRefuse(PATH, 'anyone', signInPage, faultsOfSignIn, async (context) => {
    const { deps, form, returnPath, beginning } = context
    const [email, to] = [form.text('email').trim(), returnPath(form.text('to')) ?? '/']
    await requireRoomToSignIn(context, email)
    return answerOf(await signIn(deps, email, form.text('password'), beginning), to)
  }),
  post('/sign-in/code', 'anyone', async (context) => {
    const { deps, form, returnPath, beginning } = context
    const [pending, to] = [form.text('pending'), returnPath(form.text('to')) ?? '/']
    await requireRoomFrom(context, BEGINNINGS)
    try {
      await requireRoomForCode(context, await requireAwaited(deps, pending))
      return answerOf(await signInByCode(deps, pending, form.text('code'), beginning), to)
    } catch (error) {
      const isWrong = error instanceof DomainError && error.kind === 'invalid'
      return isWrong ? showAgain(context, [wholeFault(error)], () => codePage(pending, to)) : refused(context, error)
    }
  }),
  ...SIGN_IN_BY_PASSKEY,
  ...SIGN_IN_BY_PROVIDER,
  post('/sign-out', 'person', async ({ deps, viewer }) => {
    await closeSession(deps, viewer)
    if (viewer.impersonator_id !== null) {
      return {
        kind: 'redirect',
        to: '/admin',
        session: null,
        notice: 'Impersonation ended. You are signed in as yourself.',
      }
    }
    return { kind: 'redirect', to: '/sign-in', session: null, notice: 'Signed out.' }
  }),
]
