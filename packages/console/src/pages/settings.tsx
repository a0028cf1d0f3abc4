// Shows the organisation's settings: its name, its plan with limits and usage, and whether its status page is public.

import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import { readInvitations } from '@dogwatch/domain/organisations/invitations'
import { renameOrganisation, requireSecondFactor, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { isAtLeast } from '@dogwatch/domain/organisations/roles'
import { readStatusPageSettings } from '@dogwatch/domain/status-page/edit'
import { Button, ButtonLink } from '../design/button.tsx'
import { Field } from '../parts/field.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { PlanUsage } from '../parts/plan-usage.tsx'
import { PostForm } from '../post-form.tsx'
import { wholeFaults } from '../refusal.ts'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { get, type MemberContext, type PageAnswer, page, post, type Route, redirect } from '../route.ts'

async function settingsPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [settings, invited] = await Promise.all([readSettings(deps, org.org_id), readInvitations(deps, org.org_id)])
  return page(
    'Settings',
    <section class="narrow">
      <SettingsHead at="/settings" title={org.name} />
      {isAtLeast(org.role, 'admin') ? (
        <PostForm action="/settings/rename">
          <Field name="name" label="Name" value={org.name} autocomplete="organization" required />
          <Button text="Rename organisation" />
        </PostForm>
      ) : (
        <p>Only owners and admins can rename the organisation.</p>
      )}
      {org.is_owner ? (
        <>
          <h2>Two-step sign-in</h2>
          <p>
            {org.requires_second_factor
              ? 'Members must sign in with an authenticator app or a passkey. Members without either are asked to set one up.'
              : 'Members can sign in with just a password.'}
          </p>
          <PostForm action="/settings/second-factor" hidden={{ wanted: org.requires_second_factor ? 'off' : 'on' }}>
            <Button
              text={org.requires_second_factor ? 'Stop requiring two-step sign-in' : 'Require two-step sign-in'}
            />
          </PostForm>
        </>
      ) : null}
      <h2>Plan and usage</h2>
      <PlanUsage settings={settings} invited={invited.length} />
      <p>All plans include unlimited monitors. To change plans, contact your server admin.</p>
    </section>,
  )
}

async function statusPagePage({ deps, org, options }: MemberContext): Promise<PageAnswer> {
  const [{ status_page_enabled, plan, plan_name }, { page: saved, subjects }] = await Promise.all([
    readSettings(deps, org.org_id),
    readStatusPageSettings(deps, org.org_id),
  ])
  const address = status_page_enabled && plan.allows_status_page ? saved?.slug : undefined
  return page(
    'Status page',
    <section class="narrow">
      <SettingsHead at="/settings/status-page" title="Status page" />
      <p>
        A public page with the status, 90-day uptime and incidents of the checks and heartbeats you choose. Targets and
        monitors are never shown.
      </p>
      <p>
        The status page is <strong>{status_page_enabled ? 'on' : 'off'}</strong>.
        {plan.allows_status_page ? null : ` Status pages are not included in the ${plan_name} plan.`}
        {address === undefined ? null : (
          <>
            {' '}
            Public URL: <Link href={`/status/${address}`}>{`${options.public_url}/status/${address}`}</Link>.
            {subjects.some(({ position }) => position !== null) ? null : ' It shows no checks yet.'}
          </>
        )}
      </p>
      <PostForm action="/settings/status-page" class="actions" hidden={{ enabled: status_page_enabled ? 'off' : 'on' }}>
        <Button
          kind={status_page_enabled ? 'secondary' : 'primary'}
          text={status_page_enabled ? 'Turn off status page' : 'Turn on status page'}
        />
        <ButtonLink href="/settings/status-page/entries" icon="pencil" text="Edit status page content" />
      </PostForm>
    </section>,
  )
}

export const SETTINGS_ROUTES: readonly Route[] = [
  get('/settings', 'reader', settingsPage),
  postOrRefuse('/settings/rename', 'org_admin', settingsPage, { name: 'Name' }, async ({ deps, viewer, org, form }) => {
    await renameOrganisation(deps, org.org_id, form.text('name'), viewer)
    return redirect('/settings', 'Organisation renamed.')
  }),
  post('/settings/second-factor', 'owner', async ({ deps, viewer, org, form }) => {
    const isOn = form.text('wanted') === 'on'
    await requireSecondFactor(deps, viewer, org.org_id, isOn)
    const who = isOn ? 'Two-step sign-in is now required for all members.' : 'Two-step sign-in is no longer required.'
    return redirect('/settings', who)
  }),
  get('/settings/status-page', 'org_admin', statusPagePage),
  // Shows every refusal on the page, such as that of a plan without a status page.
  postOrRefuse('/settings/status-page', 'org_admin', statusPagePage, wholeFaults(), async (context) => {
    const { deps, viewer, org, form } = context
    const enabled = form.text('enabled') === 'on'
    await setStatusPage(deps, org.org_id, enabled, viewer)
    return redirect('/settings/status-page', `Status page turned ${enabled ? 'on' : 'off'}.`)
  }),
]
