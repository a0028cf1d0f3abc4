// Signs people up. If email is configured, the page says the same for every address, and an email contains the rest.

import { LINKS, SIGN_UPS } from '@dogwatch/domain/limits/rates'
import { requireEmail } from '@dogwatch/domain/people/person'
import {
  createSignUpLink,
  refusalsOfSignUp,
  requireSignUpLink,
  signUp,
  signUpByLink,
} from '@dogwatch/domain/people/sign-up'
import { requireOpenSignUp } from '@dogwatch/domain/people/sign-up-mode'
import type { Mailer } from '@dogwatch/runtime/mail'
import type { Form } from '../form.ts'
import { requireRoomFrom, requireRoomToSignUp } from '../limits.ts'
import { knownMail, signUpMail } from '../mails.ts'
import { Field, NewPassword } from '../parts/field.tsx'
import { faultOf, faultsOfAll } from '../parts/form-faults.tsx'
import { formPage, sentPage } from '../parts/pages.tsx'
import type { FormFault } from '../refusal.ts'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { type AnyoneContext, get, type PageAnswer, type Route, redirect } from '../route.ts'

/** Labels of the form's fields, in their order. */
const LABELS = { email: 'Email', password: 'Password', org_name: 'Organisation' } as const

const WELCOME = { kind: 'redirect', to: '/', notice: 'Welcome to Dogwatch. Create a check to get started.' } as const

function signUpPage({ options }: AnyoneContext): PageAnswer {
  const hint = options.mailer ? 'We will email you a link to continue.' : undefined
  const fields = (
    <>
      <Field name="email" label="Email" type="email" hint={hint} autocomplete="username" required />
      {options.mailer ? null : <Rest />}
    </>
  )
  const more = (
    <p>
      <Link href="/sign-in">Already have an account? Sign in</Link>
    </p>
  )
  const button = options.mailer ? 'Send sign-up link' : 'Sign up'
  return formPage({ title: 'Sign up', action: '/sign-up', fields, button, more })
}

export function Rest() {
  return (
    <>
      <NewPassword label="Password" />
      <Field
        name="org_name"
        label="Organisation"
        hint="For example, your company or team name."
        autocomplete="organization"
        required
      />
    </>
  )
}

async function restPage({ deps, params }: AnyoneContext): Promise<PageAnswer> {
  const { secret = '' } = params
  const { email } = await requireSignUpLink(deps, secret)
  return formPage({
    title: 'Finish signing up',
    intro: <p>You are signing up as {email}.</p>,
    action: `/sign-up/${secret}`,
    fields: <Rest />,
    button: 'Create account',
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
  requireEmail('email', email)
  await requireRoomToSignUp(context, email)
  // Not awaited, because the response time would otherwise reveal which addresses are known.
  void sendMail(context, mailer, email)
  return sentPage('We sent you a sign-up link. The link works once and expires after 24 h.', '/sign-up')
}

/** Reads the fields that a form sent, and finds all their faults. */
export function faultsOfSignUp(error: unknown, { form }: AnyoneContext): FormFault[] {
  const wanted = { ...(form.isOn('email') && { email: form.text('email').trim() }), ...restOf(form) }
  return form.isOn('password') ? faultsOfAll(error, LABELS, refusalsOfSignUp(wanted)) : [faultOf(error, LABELS)]
}

function restOf(form: Form): { org_name: string; password: string } {
  return { org_name: form.text('org_name').trim(), password: form.text('password') }
}

export const SIGN_UP_ROUTES: readonly Route[] = [
  get('/sign-up', 'anyone', async (context) => {
    if (context.viewer) return redirect('/')
    requireOpenSignUp(context.options.sign_up)
    return signUpPage(context)
  }),
  postOrRefuse('/sign-up', 'anyone', signUpPage, faultsOfSignUp, async (context) => {
    const { deps, form, options } = context
    requireOpenSignUp(options.sign_up)
    const email = form.text('email').trim()
    await requireRoomFrom(context, SIGN_UPS)
    if (options.mailer) return askForLink(context, options.mailer, email)
    return { ...WELCOME, ...(await signUp(deps, { email, ...restOf(form) }, options.default_plan)) }
  }),
  get('/sign-up/:secret', 'anyone', async (context) => {
    requireOpenSignUp(context.options.sign_up)
    return restPage(context)
  }),
  postOrRefuse('/sign-up/:secret', 'anyone', restPage, faultsOfSignUp, async (context) => {
    const { deps, form, params, options } = context
    requireOpenSignUp(options.sign_up)
    await requireRoomFrom(context, LINKS)
    return { ...WELCOME, ...(await signUpByLink(deps, params.secret ?? '', restOf(form), options.default_plan)) }
  }),
]
