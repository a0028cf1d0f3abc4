// Renders a person's account: the password, and sections of their own for all other ways to sign in, and for the sessions.
import { DomainError } from '@dogwatch/domain/errors'
import { PASSWORDS } from '@dogwatch/domain/limits/rates'
import { changePassword, hasPassword } from '@dogwatch/domain/people/password'
import { requireLength } from '@dogwatch/domain/people/person'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import { readReportedOrgs, switchWeeklyReport } from '@dogwatch/domain/weekly-report/switch'
import { Button } from '../design/button.tsx'
import { Card, PageHead } from '../design/layout.tsx'
import { requireRoom } from '../limits.ts'
import { CurrentPassword, NewPassword } from '../parts/field.tsx'
import { faultAt, faultOf, faultsFound } from '../parts/form-faults.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { type FormFault, sentence } from '../refusal.ts'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import {
  get,
  type PageAnswer,
  type PersonContext,
  page,
  post,
  type Route,
  redirect,
  type SectionPost,
} from '../route.ts'
import { PasskeySection, passkeyRoutes } from './account-passkeys.tsx'
import { ProviderSection, providerRoutes } from './account-provider.tsx'
import { SECOND_FACTOR_ROUTES, SecondFactorSection } from './account-second-factor.tsx'
import { SESSION_ROUTES, SessionSection } from './account-sessions.tsx'
import { TimesForm } from './account-times.tsx'

/** Refusal of one of the page's forms, with the section of that form. */
interface AccountFault {
  at: 'passkeys' | 'provider'
  line: string
}

async function accountPage(context: PersonContext, fault?: AccountFault): Promise<PageAnswer> {
  const { deps, options, viewer } = context
  const status = fault === undefined ? 200 : 400
  if (viewer.impersonator_email !== null) {
    return narrowPage(
      'Account',
      <p>Signed in as {viewer.email}. Only the account owner can see and change the password and sessions.</p>,
      { status },
    )
  }
  const lineAt = (at: AccountFault['at']) => (fault?.at === at ? fault.line : undefined)
  const isKnownByPassword = await hasPassword(deps, viewer.person_id)
  return page(
    'Account',
    <section class="narrow">
      <PageHead title="Account">Signed in as {viewer.email}.</PageHead>
      <Card title="Password">
        {isKnownByPassword ? (
          <PostForm action="/account/password">
            <CurrentPassword name="present" />
            <NewPassword
              name="wanted"
              label={WANTED.password.label}
              outcome="Changing the password signs out your other sessions."
            />
            <Button text="Change password" />
          </PostForm>
        ) : (
          <p>Your account has no password. To set a password, request a link by email.</p>
        )}
        <p>
          <Link href="/reset-password">{isKnownByPassword ? 'Forgot your password?' : 'Set password'}</Link>
        </p>
      </Card>
      {await SecondFactorSection(context)}
      {await PasskeySection(context, { hasPassword: isKnownByPassword, fault: lineAt('passkeys') })}
      {await ProviderSection(context, { hasPassword: isKnownByPassword, fault: lineAt('provider') })}
      <TimesForm viewer={viewer} />
      {options.mailer ? <WeeklyReports viewer={viewer} on={await readReportedOrgs(deps, viewer)} /> : null}
      {await SessionSection(context)}
    </section>,
    status,
  )
}

/** Label and input of the new password, under the name that refusals use. */
const WANTED = { password: { label: 'New password', input: 'wanted' } }

/** Returns the faults of the present password, of the new one, or of both, so that a person can correct them at once. */
function passwordFaults(error: unknown, { form }: PersonContext): FormFault[] {
  const wanted = form.text('wanted')
  const ofWanted = faultsFound([() => requireLength(wanted)], (refused) => faultOf(refused, WANTED))
  return faultOf(error, WANTED).name === undefined ? [faultAt(error, 'present'), ...ofWanted] : ofWanted
}

/** Renders a switch of the weekly report for each organisation of the viewer. */
function WeeklyReports({ viewer, on }: { viewer: Viewer; on: ReadonlySet<number> }) {
  if (viewer.orgs.length === 0) return null
  return (
    <Card title="Weekly reports">
      <p>An email every Monday with uptime, incidents, slow checks and expiring certificates.</p>
      {viewer.orgs.map(({ org_id, name }) => (
        <PostForm action="/account/weekly-report" hidden={{ org: org_id, wanted: on.has(org_id) ? 'off' : 'on' }}>
          <Button kind="quiet" text={`${on.has(org_id) ? 'Turn off' : 'Turn on'} reports for ${name}`} />
        </PostForm>
      ))}
    </Card>
  )
}

const SHOWN: ReadonlySet<string> = new Set(['invalid', 'conflict', 'unauthenticated'])

/** Returns a function that defines forms of a section. The section shows their refusals. */
function postIn(at: AccountFault['at']): SectionPost {
  return (end, handle) =>
    post(`/account/${at}${end}`, 'person', (context) =>
      handle(context).catch((error) => {
        if (!(error instanceof DomainError) || !SHOWN.has(error.kind)) throw error
        return accountPage(context, { at, line: sentence(error.message) })
      }),
    )
}

export const ACCOUNT_ROUTES: readonly Route[] = [
  get('/account', 'person', accountPage),
  postOrRefuse('/account/password', 'person', accountPage, passwordFaults, async (context) => {
    const { deps, viewer, form } = context
    await requireRoom(context, PASSWORDS, String(viewer.person_id))
    const wanted = { present: form.text('present'), wanted: form.text('wanted') }
    const notice = 'Password changed. All other sessions are signed out.'
    return { ...redirect('/account', notice), ...(await changePassword(deps, viewer, wanted)) }
  }),
  post('/account/weekly-report', 'person', async ({ deps, viewer, form }) => {
    const org = viewer.orgs.find(({ org_id }) => String(org_id) === form.text('org'))
    if (!org) throw new DomainError('missing', 'organisation not found')
    const isOn = form.text('wanted') === 'on'
    await switchWeeklyReport(deps, viewer, org.org_id, isOn)
    return redirect('/account', `Weekly reports for ${org.name} turned ${isOn ? 'on' : 'off'}.`)
  }),
  ...passkeyRoutes(postIn('passkeys')),
  ...providerRoutes(postIn('provider')),
  ...SECOND_FACTOR_ROUTES,
  ...SESSION_ROUTES,
]
