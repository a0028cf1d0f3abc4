// Sets a new password for a person who forgot the old one, by a link in an email.

import { LINKS, RESETS_FROM } from '@dogwatch/domain/limits/rates'
import { createPasswordReset, requirePasswordReset, resetPassword } from '@dogwatch/domain/people/password'
import type { Mailer } from '@dogwatch/runtime/mail'
import { Button } from '../design/button.tsx'
import { requireRoomFrom, requireRoomToReset } from '../limits.ts'
import { resetMail } from '../mails.ts'
import { Field, NewPassword } from '../parts/field.tsx'
import { formPage, narrowPage, sentPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { type AnyoneContext, get, type PageAnswer, post, type Route } from '../route.ts'

function askPage({ options }: AnyoneContext): PageAnswer {
  return narrowPage(
    'Reset password',
    <>
      {options.mailer ? (
        <PostForm action="/reset-password">
          <Field
            name="email"
            label="Email"
            type="email"
            hint="We will email you a link to set a new password."
            autocomplete="username"
            required
          />
          <Button kind="primary" text="Send reset link" />
        </PostForm>
      ) : (
        <>
          <p>This server cannot send email. Ask your server admin to set a new password with this command:</p>
          <p>
            <code>dogwatch user set-password --email YOUR_ADDRESS</code>
          </p>
        </>
      )}
      <p>
        <Link href="/sign-in">Back to sign-in</Link>
      </p>
    </>,
  )
}

function setPage({ params: { secret = '' } }: AnyoneContext): PageAnswer {
  const fields = <NewPassword label="New password" outcome="Changing your password signs you out on all devices." />
  const action = `/reset-password/${secret}`
  return formPage({ title: 'Set a new password', action, fields, button: 'Save password' })
}

async function sendLink({ deps, options, network }: AnyoneContext, mailer: Mailer, email: string): Promise<void> {
  try {
    const reset = await createPasswordReset(deps, email)
    if (!reset) return
    const link = `${options.public_url}/reset-password/${reset.token}`
    await mailer.send(resetMail({ to: reset.email, link }), { kind: 'reset', sender: network })
  } catch (error) {
    // A mail server's error can repeat parts of the email.
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    deps.log.error({ code, responseCode }, 'a link for a new password could not be sent')
  }
}

export const RESET_PASSWORD_ROUTES: readonly Route[] = [
  get('/reset-password', 'anyone', askPage),
  post('/reset-password', 'anyone', async (context) => {
    const { options, form } = context
    const email = form.text('email').trim()
    if (!options.mailer) return askPage(context)
    await requireRoomFrom(context, RESETS_FROM)
    await requireRoomToReset(context, email)
    // Not awaited, because the response time would otherwise reveal which addresses are known.
    void sendLink(context, options.mailer, email)
    const line = 'If this address has an account, we sent a reset link. The link works once and expires after 1 h.'
    return sentPage(line, '/reset-password')
  }),
  get('/reset-password/:secret', 'anyone', async (context) => {
    await requirePasswordReset(context.deps, context.params.secret ?? '')
    return setPage(context)
  }),
  postOrRefuse('/reset-password/:secret', 'anyone', setPage, { password: 'New password' }, async (context) => {
    const { deps, form, params } = context
    await requireRoomFrom(context, LINKS)
    const { device } = await resetPassword(deps, params.secret ?? '', form.text('password'))
    const notice = 'Password changed. Sign in with your new password.'
    return { kind: 'redirect', to: '/sign-in', session: null, device, notice }
  }),
]
