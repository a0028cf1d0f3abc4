// Signs people up. If email is configured, the page says the same for every address, and an email contains the rest.

import type { Mailer } from '@dogwatch/runtime/mail'
import { LINKS, SIGN_UPS } from '../../domain/limits/rates.ts'
import { requireEmail } from '../../domain/people/person.ts'
import {
  createSignUpLink,
  refusalsOfSignUp,
  requireSignUpLink,
  signUp,
  signUpByLink,
} from '../../domain/people/sign-up.ts'
import { requireOpenSignUp } from '../../domain/people/sign-up-mode.ts'
import { requireRoomFrom, requireRoomToSignUp } from '../limits.ts'
import { knownMail, signUpMail } from '../mails.ts'
import { Field } from '../parts/field.tsx'
import { type FormFault, faultOf, faultsOfAll } from '../parts/form-faults.tsx'
import { formPage } from '../parts/pages.tsx'
import { Link } from '../rights.tsx'
import { type AnyoneContext, get, type PageAnswer, page, post, type Route, redirect } from '../route.ts'

interface SignUpPageProps {
  email?: string
  org_name?: string
  faults?: readonly FormFault[]
}

/** Labels of the form's fields, in their order. */
export const SIGN_UP_LABELS = { email: 'Email', password: 'Password', org_name: 'Organisation' } as const

const WELCOME = { kind: 'redirect', to: '/', notice: 'Welcome to Dogwatch. Create a check to get started.' } as const

function signUpPage(
  { options }: AnyoneContext,
  { email = '', org_name = '', faults = [] }: SignUpPageProps = {},
): PageAnswer {
  const hint = options.mailer ? 'We will email you a link to continue.' : undefined
  const fields = (
    <>
      <Field name="email" label="Email" type="email" value={email} hint={hint} autocomplete="username" required />
      {options.mailer ? null : <Rest org_name={org_name} />}
    </>
  )
  const more = (
    <p>
      <Link href="/sign-in">Already have an account? Sign in</Link>
    </p>
  )
  const button = options.mailer ? 'Send sign-up link' : 'Sign up'
  return formPage({ title: 'Sign up', action: '/sign-up', fields, button, faults, more })
}

export function Rest({ org_name }: { org_name: string }) {
  return (
    <>
      <Field
        name="password"
        label="Password"
        type="password"
        hint="At least 10 characters."
        autocomplete="new-password"
        required
      />
      <Field
        name="org_name"
        label="Organisation"
        value={org_name}
        hint="For example, your company or team name."
        autocomplete="organization"
        required
      />
    </>
  )
}

/** Renders the same page for every address, because no one may learn who has an account here. */
function sentPage(): PageAnswer {
  return page(
    'Check your email',
    <section class="narrow">
      <h1>Check your email</h1>
      <p>We sent you a sign-up link. The link works once and expires after 24 h.</p>
      <p>
        No email after a few minutes? Check your spam folder or <Link href="/sign-up">try again</Link>.
      </p>
    </section>,
  )
}

async function restPage(
  { deps, params }: AnyoneContext,
  { org_name = '', faults = [] }: SignUpPageProps = {},
): Promise<PageAnswer> {
  const { secret = '' } = params
  const { email } = await requireSignUpLink(deps, secret)
  return formPage({
    title: 'Finish signing up',
    intro: <p>You are signing up as {email}.</p>,
    action: `/sign-up/${secret}`,
    fields: <Rest org_name={org_name} />,
    button: 'Create account',
    faults,
  })
}

async function sendMail({ deps, options, network }: AnyoneContext, mailer: Mailer, given: string): Promise<void> {
  const { public_url } = options
  try {
    const { email: to, token } = await createSignUpLink(deps, given)
    const link = `${public_url}/sign-up/${token}`
    const mail = token === undefined ? knownMail({ to, public_url }) : signUpMail({ to, link })
    await mailer.send(mail, { kind: 'sign-up', sender: network })
  } catch (error) {
    // A mail server's error can repeat parts of the email.
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    deps.log.error({ code, responseCode }, 'a link for signing up could not be sent')
  }
}

async function askForLink(context: AnyoneContext, mailer: Mailer, email: string): Promise<PageAnswer> {
  try {
    requireEmail('email', email)
  } catch (error) {
    return signUpPage(context, { email, faults: [faultOf(error, SIGN_UP_LABELS)] })
  }
  await requireRoomToSignUp(context, email)
  // Not awaited, because the response time would otherwise reveal which addresses are known.
  void sendMail(context, mailer, email)
  return sentPage()
}

export const SIGN_UP_ROUTES: readonly Route[] = [
  get('/sign-up', 'anyone', async (context) => {
    if (context.viewer) return redirect('/')
    requireOpenSignUp(context.options.sign_up)
    return signUpPage(context)
  }),
  post('/sign-up', 'anyone', async (context) => {
    const { deps, form, options } = context
    requireOpenSignUp(options.sign_up)
    const [email, org_name] = [form.text('email').trim(), form.text('org_name').trim()]
    await requireRoomFrom(context, SIGN_UPS)
    if (options.mailer) return askForLink(context, options.mailer, email)
    const wanted = { email, org_name, password: form.text('password') }
    try {
      return { ...WELCOME, ...(await signUp(deps, wanted, options.default_plan)) }
    } catch (error) {
      const faults = faultsOfAll(error, SIGN_UP_LABELS, refusalsOfSignUp(wanted))
      return signUpPage(context, { email, org_name, faults })
    }
  }),
  get('/sign-up/:secret', 'anyone', async (context) => {
    requireOpenSignUp(context.options.sign_up)
    return restPage(context)
  }),
  post('/sign-up/:secret', 'anyone', async (context) => {
    const { deps, form, params, options } = context
    requireOpenSignUp(options.sign_up)
    const org_name = form.text('org_name').trim()
    await requireRoomFrom(context, LINKS)
    const wanted = { org_name, password: form.text('password') }
    try {
      return { ...WELCOME, ...(await signUpByLink(deps, params.secret ?? '', wanted, options.default_plan)) }
    } catch (error) {
      const faults = faultsOfAll(error, SIGN_UP_LABELS, refusalsOfSignUp(wanted))
      return restPage(context, { org_name, faults })
    }
  }),
]
