// Sets up and removes two-step sign-in: an authenticator app and recovery codes.

import { PASSWORDS } from '@dogwatch/domain/limits/rates'
import { hasPassword } from '@dogwatch/domain/people/password'
import {
  beginTotp,
  confirmTotp,
  readEnrolment,
  readSecondFactor,
  removeTotp,
  renewRecoveryCodes,
  type SecondFactor,
} from '@dogwatch/domain/people/second-factor'
import type { VNode } from 'preact'
import { lacksSecondFactor } from '../access.ts'
import { Badge } from '../design/badge.tsx'
import { Button, ButtonLink } from '../design/button.tsx'
import { Card, Notice, PageHead } from '../design/layout.tsx'
import { requireRoom, requireRoomForCode } from '../limits.ts'
import { CopyBlock } from '../parts/copy.tsx'
import { CurrentPassword, Field } from '../parts/field.tsx'
import { faultAt } from '../parts/form-faults.tsx'
import { QrCode } from '../parts/qr.tsx'
import { PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { type Answer, get, type PageAnswer, type PersonContext, page, type Route, redirect } from '../route.ts'

const PATH = '/account/second-factor'
/** Names of the page's forms, which are also the ends of their paths. Each form has one field. */
type FormName = 'begin' | 'confirm' | 'codes' | 'remove'
/** Minimum number of recovery codes. People with fewer are reminded to make new ones. */
const FEW_CODES = 3

export async function SecondFactorSection({ deps, viewer }: PersonContext): Promise<VNode> {
  const { isOn, codes_left } = await readSecondFactor(deps, viewer.person_id)
  return (
    <Card title="Two-step sign-in">
      <p>
        <Badge tone={isOn ? 'good' : 'idle'} text={isOn ? 'On' : 'Off'} />{' '}
        {isOn
          ? `You enter a code from your authenticator app when you sign in. ${codesText(codes_left)}`
          : 'Add an authenticator app so that a stolen password is not enough to sign in.'}
      </p>
      <ButtonLink href={PATH} text={isOn ? 'Manage two-step sign-in' : 'Set up two-step sign-in'} />
    </Card>
  )
}

function codesText(left: number): string {
  return left === 1 ? '1 recovery code left.' : `${left} recovery codes left.`
}

async function secondFactorPage(context: PersonContext): Promise<PageAnswer> {
  const { deps, viewer, query, returnPath } = context
  const state = await readSecondFactor(deps, viewer.person_id)
  const to = returnPath(query.to ?? '')
  const enrolment = state.isOn || viewer.impersonator_email !== null ? undefined : await readEnrolment(deps, viewer)
  return page(
    'Two-step sign-in',
    <section class="narrow">
      <PageHead title="Two-step sign-in" crumbs={[{ href: '/account', label: 'Account' }]} />
      {lacksSecondFactor(viewer) ? (
        <Notice tone="warn">
          {viewer.org?.name} requires two-step sign-in. Set up an authenticator app to continue, or sign out and sign in
          with a passkey.
        </Notice>
      ) : null}
      {!lacksSecondFactor(viewer) && to !== undefined ? (
        <p>
          <Link href={to}>Continue</Link>
        </p>
      ) : null}
      {state.isOn ? (
        <Manage state={state} />
      ) : enrolment ? (
        <Card title="Scan the QR code">
          <ol>
            <li>Scan the QR code with your authenticator app, or enter the key manually.</li>
            <li>Enter the 6-digit code from the app.</li>
          </ol>
          <QrCode text={enrolment.uri} label="QR code with the key below" />
          <p>
            <Link href={enrolment.uri}>Open in an authenticator app on this device</Link>
          </p>
          <CopyBlock id="totp-secret" label="Setup key" text={enrolment.secret} />
          <PostForm action={`${PATH}/confirm`}>
            <CodeField at="confirm" label="Authentication code" />
            <Button kind="primary" text="Turn on two-step sign-in" />
          </PostForm>
        </Card>
      ) : (
        <Card title="Set up an authenticator app">
          <p>
            An authenticator app or password manager shows a new code every 30 s. At each sign-in, you are asked for
            your password first, and then for this code.
          </p>
          <PostForm action={`${PATH}/begin`}>
            {(await hasPassword(deps, viewer.person_id)) ? <CurrentPassword /> : null}
            <Button kind="primary" text="Set up authenticator app" />
          </PostForm>
        </Card>
      )}
    </section>,
  )
}

function CodeField({ at, label }: { at: FormName; label: string }) {
  return <Field name="code" id={`code-${at}`} label={label} autocomplete="one-time-code" required />
}

function Manage({ state: { codes_left } }: { state: SecondFactor }) {
  return (
    <>
      <Card title="Recovery codes">
        <p>
          Use a recovery code instead of an app code. Each code works once. {codesText(codes_left)}
          {codes_left < FEW_CODES ? ' Create new codes soon.' : null}
        </p>
        <PostForm action={`${PATH}/codes`}>
          <CodeField at="codes" label="App code" />
          <Button text="Create new recovery codes" />
        </PostForm>
      </Card>
      <Card title="Turn off two-step sign-in">
        <p>You will sign in with your password only. Your recovery codes stop working.</p>
        <PostForm action={`${PATH}/remove`}>
          <CodeField at="remove" label="App code or recovery code" />
          <Button kind="danger" text="Turn off two-step sign-in" />
        </PostForm>
      </Card>
    </>
  )
}

/** Renders the codes without a redirect, because they cannot be shown again. */
function codesPage(codes: readonly string[], title: string): PageAnswer {
  return page(
    'Recovery codes',
    <section class="narrow">
      <PageHead title={title} crumbs={[{ href: '/account', label: 'Account' }]} />
      <Card title="Recovery codes">
        <p>
          Store these codes somewhere you can reach without your phone. Each code works once.{' '}
          <strong>The codes are shown only once.</strong>
        </p>
        <CopyBlock id="recovery-codes" label="Recovery codes" text={codes.join('\n')} />
        <ButtonLink href="/account" kind="primary" text="I saved my recovery codes" />
      </Card>
    </section>,
  )
}

/** Defines the route of one of the forms. A refusal appears at the field of that form. */
function formRoute(at: FormName, apply: (context: PersonContext) => Promise<Answer>): Route {
  const input = at === 'begin' ? 'password' : 'code'
  const faultsOf = (error: unknown) => [faultAt(error, input)]
  return postOrRefuse(`${PATH}/${at}`, 'person', secondFactorPage, faultsOf, async (context) => {
    if (at === 'begin') await requireRoom(context, PASSWORDS, String(context.viewer.person_id))
    else await requireRoomForCode(context, context.viewer)
    return apply(context)
  })
}

export const SECOND_FACTOR_ROUTES: readonly Route[] = [
  get(PATH, 'person', secondFactorPage),
  formRoute('begin', async ({ deps, viewer, form }) => {
    await beginTotp(deps, viewer, form.text('password'))
    return redirect(PATH)
  }),
  formRoute('confirm', async ({ deps, viewer, form }) => {
    const { codes } = await confirmTotp(deps, viewer, form.text('code'))
    return codesPage(codes, 'Two-step sign-in turned on')
  }),
  formRoute('codes', async ({ deps, viewer, form }) => {
    const { codes } = await renewRecoveryCodes(deps, viewer, form.text('code'))
    return codesPage(codes, 'New recovery codes')
  }),
  formRoute('remove', async ({ deps, viewer, form }) => {
    await removeTotp(deps, viewer, form.text('code'))
    return redirect('/account', 'Two-step sign-in turned off.')
  }),
]
