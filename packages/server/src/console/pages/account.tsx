// A person's own account: the password and the sessions.
import type { VNode } from 'preact'
import { DomainError } from '../../domain/errors.ts'
import { changePassword } from '../../domain/people/password.ts'
import { closeAllSessions, type Viewer } from '../../domain/people/sessions.ts'
import { readReportedOrgs, switchWeeklyReport } from '../../domain/weekly-report/switch.ts'
import { PostForm } from '../frame.tsx'
import { PASSWORDS, requireRoom } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { get, page, type PageAnswer, type PersonContext, post, redirect, type Route } from '../route.ts'
import { TimesForm } from './account-times.tsx'
import { sentence } from './problem.tsx'

async function accountPage(context: PersonContext, fault?: string): Promise<PageAnswer> {
  const { deps, options, viewer } = context
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
      <TimesForm viewer={viewer} />
      {options.mailer ? <WeeklyReports viewer={viewer} on={await readReportedOrgs(deps, viewer)} /> : null}
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

/** One switch for each organisation. */
function WeeklyReports({ viewer, on }: { viewer: Viewer; on: ReadonlySet<number> }): VNode | null {
  if (viewer.orgs.length === 0) return null
  return (
    <>
      <h2>Weekly reports</h2>
      <p>A mail each Monday: uptime, incidents, slow checks, and certificates that expire soon.</p>
      {viewer.orgs.map(({ org_id, name }) => (
        <PostForm key={org_id} action="/account/weekly-report">
          <input type="hidden" name="org" value={org_id} />
          <input type="hidden" name="wanted" value={on.has(org_id) ? 'off' : 'on'} />
          <button type="submit" class="quiet">
            {on.has(org_id) ? 'Stop' : 'Send'} reports about {name}
          </button>
        </PostForm>
      ))}
    </>
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
  post('/account/weekly-report', 'person', async ({ deps, viewer, form }) => {
    const org = viewer.orgs.find(({ org_id }) => String(org_id) === form.text('org'))
    if (!org) throw new DomainError('missing', 'no such organisation')
    const isOn = form.text('wanted') === 'on'
    await switchWeeklyReport(deps, viewer, org.org_id, isOn)
    return redirect('/account', `Weekly reports about ${org.name} are ${isOn ? 'on' : 'off'}.`)
  }),
  post('/account/sign-out-everywhere', 'person', async ({ deps, viewer }) => {
    await closeAllSessions(deps, viewer)
    return { kind: 'redirect', to: '/sign-in', session: null, notice: 'Signed out everywhere.' }
  }),
]
