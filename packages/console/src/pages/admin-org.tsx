// Shows admins one organisation with its plan, limits, members and kill switches.
import { kindNames } from '@dogwatch/channels/registry'
import { percentText } from '@dogwatch/channels/wording'
import { DomainError } from '@dogwatch/domain/errors'
import { switchOneHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { readHeartbeats } from '@dogwatch/domain/heartbeats/read'
import { switchOneMonitor } from '@dogwatch/domain/monitors/edit'
import { listFleet } from '@dogwatch/domain/monitors/switches'
import { type OrgSettings, readSettings } from '@dogwatch/domain/organisations/entitlements'
import { readInvitations } from '@dogwatch/domain/organisations/invitations'
import { readMembers } from '@dogwatch/domain/organisations/members'
import { readOrganisation, setCustomLimits, setCustomPrice, setPlan } from '@dogwatch/domain/organisations/organisation'
import { PLANS, type Plan } from '@dogwatch/domain/organisations/plans'
import { requestDeletion, resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { readHeld } from '@dogwatch/domain/retention/gate'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import type { Form } from '../form.ts'
import { Choice, Field, Tick } from '../parts/field.tsx'
import { KillSwitch } from '../parts/kill-switch.tsx'
import { AdminNav } from '../parts/nav.tsx'
import { Pager, pagesOf, rowsOf } from '../parts/pager.tsx'
import { PlanUsage } from '../parts/plan-usage.tsx'
import { Ago } from '../parts/time.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { wholeFaults } from '../refusal.ts'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { get, idParam, nameParam, type PageAnswer, type PersonContext, page, type Route, redirect } from '../route.ts'

/** Limits of a plan, as fields of a form: name, label and hint. */
const NUMBERS = [
  ['max_checks', 'Checks', '0 means unlimited.'],
  ['max_heartbeats', 'Heartbeats', '0 means none.'],
  ['max_channels', 'Channels', '0 means unlimited.'],
  ['max_members', 'Members', '0 means unlimited.'],
  ['min_interval_sec', 'Minimum check interval (s)', undefined],
  ['max_timeout_sec', 'Maximum timeout (s)', undefined],
  ['retention_days', 'Result retention (days)', undefined],
] as const

const PERIODS = [
  ['', 'None'],
  ['month', 'Monthly'],
  ['year', 'Yearly'],
] as const

async function organisationPage(context: PersonContext): Promise<PageAnswer> {
  const { deps, query } = context
  const org_id = idParam(context, 'org')
  const path = `/admin/orgs/${org_id}`
  const pages = { members: pagesOf(query, 'members'), monitors: pagesOf(query, 'monitors') }
  const organisation = await readOrganisation(deps, org_id)
  const [settings, members, invited, monitors, heartbeats, held] = await Promise.all([
    readSettings(deps, org_id),
    readMembers(deps, org_id, pages.members.slice),
    readInvitations(deps, org_id),
    listFleet(deps, org_id, pages.monitors.slice),
    readHeartbeats(deps, org_id),
    readHeld(deps, org_id),
  ])
  const hasLimits = organisation.custom_limits !== null
  return page(
    `Admin: ${organisation.name}`,
    <section>
      <PageHead title={organisation.name}>Organisation {org_id}</PageHead>
      <AdminNav at="/admin" />
      <OrganisationState organisation={organisation} refused={context.refused?.action} />
      <PlanUsage settings={settings} invited={invited.length} />
      <PlanForms org_id={org_id} settings={settings} hasLimits={hasLimits} />
      {held === undefined ? null : (
        <p>
          Deletion of results is on hold, because more results than expected are past the plan’s retention period (
          {percentText(Math.round(held * 100))} of all results). To delete these results, run{' '}
          <code>dogwatch retention confirm --org {org_id}</code>.
        </p>
      )}
      <Members members={rowsOf(members)} />
      <Pager path={path} name="members" pages={pages.members} read={members} of="members" />
      <h2>Monitors</h2>
      <Switches
        empty="No monitors."
        rows={rowsOf(monitors).map(({ id, name, platform_enabled }) => ({
          action: `/admin/orgs/${org_id}/monitors/${id}/kill-switch`,
          name: name || id,
          on: platform_enabled,
        }))}
      />
      <Pager path={path} name="monitors" pages={pages.monitors} read={monitors} of="monitors" />
      <h2>Heartbeats</h2>
      <Switches
        empty="No heartbeats."
        rows={heartbeats.map(({ guid, name, platform_enabled }) => ({
          action: `/admin/orgs/${org_id}/heartbeats/${guid}/kill-switch`,
          name,
          on: platform_enabled,
        }))}
      />
    </section>,
  )
}

interface OrganisationStateProps {
  organisation: Awaited<ReturnType<typeof readOrganisation>>
  /** Action of the form that was refused on this page. */
  refused: string | undefined
}

/** Renders whether the organisation is suspended, and the buttons that suspend, resume or delete it. */
function OrganisationState({ organisation, refused }: OrganisationStateProps) {
  const { org_id, name, suspended_at, delete_at } = organisation
  return (
    <>
      <h2>State</h2>
      {suspended_at === null ? (
        <p>
          This organisation is active. Suspending it stops its monitors, pings, pages, tokens and alerts. No data is
          deleted.
        </p>
      ) : (
        <p>
          Suspended <Ago at={suspended_at} />.
          {delete_at === null ? null : [' All data is deleted ', <Ago at={delete_at} />, '.']}
        </p>
      )}
      <div class="actions">
        {suspended_at === null ? (
          <PostButton
            action={`/admin/orgs/${org_id}/suspend`}
            kind="danger"
            confirm={`Suspend “${name}”? Monitoring and alerts stop immediately.`}
            text="Suspend organisation"
          />
        ) : (
          <PostButton action={`/admin/orgs/${org_id}/resume`} kind="primary" text="Resume organisation" />
        )}
        {delete_at !== null ? null : (
          <details class="part narrow" open={refused === `/admin/orgs/${org_id}/delete`}>
            <summary>Delete organisation</summary>
            <p>The organisation is suspended immediately and deleted after 7 days. Until then, you can resume it.</p>
            <PostForm action={`/admin/orgs/${org_id}/delete`}>
              <Field name="name" label="Organisation name" hint={`Type “${name}” to confirm.`} value="" required />
              <Button kind="danger" text="Delete organisation" />
            </PostForm>
          </details>
        )}
      </div>
    </>
  )
}

function PlanForms({ org_id, settings, hasLimits }: { org_id: number; settings: OrgSettings; hasLimits: boolean }) {
  const { plan, plan_name, custom_price } = settings
  const plans = [...Object.keys(PLANS), ...(hasLimits ? ['custom'] : [])]
  return (
    <div class="narrow">
      <h2>Plan</h2>
      <PostForm action={`/admin/orgs/${org_id}/plan`}>
        <Choice name="plan" label="Plan" value={plan_name} options={plans.map((name) => [name, name] as const)} />
        <Button text="Change plan" />
      </PostForm>
      <h2>Custom limits</h2>
      <p>Saving custom limits moves the organisation to the custom plan. Existing checks keep running.</p>
      <PostForm action={`/admin/orgs/${org_id}/limits`}>
        {NUMBERS.map(([name, label, hint]) => (
          <Field name={name} label={label} type="number" min={0} value={plan[name]} hint={hint} required />
        ))}
        <fieldset>
          <legend>Channel types</legend>
          {kindNames().map((kind) => (
            <Tick name="channel_kinds" value={kind} label={kind} checked={plan.channel_kinds.includes(kind)} />
          ))}
        </fieldset>
        <Tick name="allows_cert_expiry" label="Certificate warnings" checked={plan.allows_cert_expiry} />
        <Tick name="allows_status_page" label="Status page" checked={plan.allows_status_page} />
        <Button text="Save limits" />
      </PostForm>
      <h2>Custom price</h2>
      <p>The account API shows this price for reference. Dogwatch does not charge anyone.</p>
      <PostForm action={`/admin/orgs/${org_id}/price`}>
        <Field name="cents" label="Price (cents)" type="number" min={0} value={custom_price?.cents ?? 0} required />
        <Choice name="period" label="Period" value={custom_price?.period ?? ''} options={PERIODS} />
        <Button text="Save price" />
      </PostForm>
    </div>
  )
}

function Members({ members }: { members: Awaited<ReturnType<typeof readMembers>> }) {
  return (
    <>
      <h2>Members</h2>
      <ul class="plain">
        {members.map(({ id, email, is_owner }) => (
          <li>
            <Link href={`/admin/people?q=${encodeURIComponent(email)}`}>{email}</Link> {is_owner ? '(owner)' : ''}{' '}
            <PostButton action={`/admin/people/${id}/log-in-as`} label={`Log in as ${email}`} text="Log in as" />
          </li>
        ))}
      </ul>
    </>
  )
}

function Switches({ rows, empty }: { rows: { action: string; name: string; on: boolean }[]; empty: string }) {
  if (rows.length === 0) return <p>{empty}</p>
  return (
    <ul class="plain">
      {rows.map((row) => (
        <li>
          {row.name} {row.on ? '' : '(turned off by the operator)'} <KillSwitch {...row} />
        </li>
      ))}
    </ul>
  )
}

function limitsOf(form: Form): Plan {
  const numbers = Object.fromEntries(NUMBERS.map(([name]) => [name, form.integer(name)])) as Pick<
    Plan,
    (typeof NUMBERS)[number][0]
  >
  return {
    ...numbers,
    channel_kinds: kindNames().filter((kind) => form.all('channel_kinds').includes(kind)),
    allows_cert_expiry: form.isOn('allows_cert_expiry'),
    allows_status_page: form.isOn('allows_status_page'),
  }
}

/** Shows refusals of invalid input as faults of the form. */
const faultsOfChange = wholeFaults((kind) => kind === 'invalid')

/** Defines the route of a form on an organisation's Admin page, which also shows the form's refusals. */
function change(part: string, notice: string, apply: (context: PersonContext, org_id: number) => Promise<void>): Route {
  return postOrRefuse(`/admin/orgs/:org/${part}`, 'admin', organisationPage, faultsOfChange, async (context) => {
    const org_id = idParam(context, 'org')
    await apply(context, org_id)
    return redirect(`/admin/orgs/${org_id}`, notice)
  })
}

export const ADMIN_ORG_ROUTES: readonly Route[] = [
  get('/admin/orgs/:org', 'admin', organisationPage),
  change('plan', 'Plan changed.', ({ deps, viewer, form }, org_id) => setPlan(deps, org_id, form.text('plan'), viewer)),
  change('limits', 'Limits saved.', ({ deps, viewer, form }, org_id) =>
    setCustomLimits(deps, org_id, limitsOf(form), viewer),
  ),
  change('price', 'Price saved.', ({ deps, viewer, form }, org_id) => {
    const price = form.text('period') === '' ? undefined : { cents: form.integer('cents'), period: form.text('period') }
    return setCustomPrice(deps, org_id, price, viewer)
  }),
  change('suspend', 'Organisation suspended.', async ({ deps, viewer }, org_id) => {
    await suspendOrganisation(deps, org_id, viewer)
  }),
  change('resume', 'Organisation resumed.', async ({ deps, viewer }, org_id) => {
    await resumeOrganisation(deps, org_id, viewer)
  }),
  change('delete', 'Organisation suspended. It will be deleted in 7 days.', async ({ deps, viewer, form }, org_id) => {
    const { name } = await readOrganisation(deps, org_id)
    if (form.text('name').trim() !== name)
      throw new DomainError('invalid', 'the name does not match: type the organisation name exactly')
    await requestDeletion(deps, org_id, viewer)
  }),
  change('monitors/:monitor/kill-switch', 'Monitor updated.', (context, org_id) => {
    const { deps, viewer, form } = context
    const key = { org_id, id: nameParam(context, 'monitor') }
    return switchOneMonitor(deps, key, 'platform_enabled', form.text('on') === 'yes', viewer)
  }),
  change('heartbeats/:heartbeat/kill-switch', 'Heartbeat updated.', (context, org_id) => {
    const { deps, viewer, form } = context
    const key = { org_id, guid: nameParam(context, 'heartbeat') }
    return switchOneHeartbeat(deps, key, 'platform_enabled', form.text('on') === 'yes', viewer)
  }),
]
