// Shows admins the shared fleet and its enrollment tokens.
import { retireOneMonitor, switchOneMonitor } from '@dogwatch/domain/monitors/edit'
import {
  createEnrollmentToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '@dogwatch/domain/monitors/enrollment-tokens'
import { listFleet } from '@dogwatch/domain/monitors/switches'
import { StateMark } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { CopyBlock } from '../parts/copy.tsx'
import { KillSwitch } from '../parts/kill-switch.tsx'
import { AdminNav } from '../parts/nav.tsx'
import { Pager, pagesOf, rowsOf } from '../parts/pager.tsx'
import { Ago } from '../parts/time.tsx'
import { EnrollmentTokens } from '../parts/tokens.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { get, nameParam, type PageAnswer, type PersonContext, page, post, type Route, redirect } from '../route.ts'

const NO_MONITORS = 'No shared monitors yet. Create an enrollment token and start an agent with it.'

async function fleetPage({ deps, options, query }: PersonContext, token?: string): Promise<PageAnswer> {
  const [pages, ofTokens] = [pagesOf(query), pagesOf(query, 'tokens')]
  const [fleet, tokens] = await Promise.all([
    listFleet(deps, null, pages.slice),
    readEnrollmentTokens(deps, null, ofTokens.slice),
  ])
  const command =
    `dogwatch-agent --server ${options.public_url} --state-dir /var/lib/dogwatch-agent --name NAME ` +
    '--region REGION --country COUNTRY --city CITY --public-targets-only'
  return page(
    'Admin: shared monitors',
    <section>
      <PageHead title="Admin" />
      <AdminNav at="/admin/fleet" />
      <h2>Shared monitors</h2>
      {token === undefined ? null : (
        <div class="notice" role="status">
          <p>Copy the token now: it is shown only once. It can enroll monitors for 1 h.</p>
          <CopyBlock id="token" label="Enrollment token" text={token} />
          <p>On the machine, set DOGWATCH_ENROLLMENT_TOKEN to this token. Then run:</p>
          <CopyBlock id="command" label="Command" text={command} />
        </div>
      )}
      <PostForm action="/admin/fleet/tokens">
        <Button kind="primary" text="Create enrollment token" />
      </PostForm>
      {tokens.length === 0 ? null : (
        <>
          <h3>Active enrollment tokens</h3>
          <EnrollmentTokens tokens={rowsOf(tokens)} action="/admin/fleet/tokens/revoke" />
        </>
      )}
      <Pager path="/admin/fleet" name="tokens" pages={ofTokens} read={tokens} of="tokens" />
      <Table
        columns={['Monitor', 'Location', 'State', 'Last seen', 'Actions']}
        name="Monitor"
        hidden="Actions"
        rows={rowsOf(fleet).map(({ id, name, region, country, city, platform_enabled, enrolled, last_seen_at }) => [
          id,
          [name || id, ' ', <code>{id}</code>],
          [city, country, region].join(', '),
          platform_enabled ? enrolled ? 'Enabled' : 'Not enrolled' : <StateMark state="disabled" />,
          last_seen_at === null ? 'Never' : <Ago at={last_seen_at} />,
          <div class="actions">
            <KillSwitch action={`/admin/fleet/${id}/kill-switch`} name={name || id} on={platform_enabled} />
            <PostButton
              action={`/admin/fleet/${id}/retire`}
              kind="danger"
              label={`Retire ${name || id}`}
              confirm={`Retire “${name || id}”? Its key stops working permanently. Results are kept.`}
              text="Retire monitor"
            />
          </div>,
        ])}
        empty={pages.at === 1 ? NO_MONITORS : undefined}
      />
      <Pager path="/admin/fleet" pages={pages} read={fleet} of="monitors" />
    </section>,
  )
}

export const ADMIN_FLEET_ROUTES: readonly Route[] = [
  get('/admin/fleet', 'admin', fleetPage),
  post('/admin/fleet/tokens', 'admin', async (context) => {
    const { deps, viewer } = context
    const { token, expires_at } = await createEnrollmentToken(deps, null)
    deps.log.info({ admin: viewer.email, expires_at }, 'an admin created an enrollment token for the shared fleet')
    // Renders the page without a redirect, because the token cannot be shown again.
    return fleetPage(context, token)
  }),
  post('/admin/fleet/tokens/revoke', 'admin', async ({ deps, viewer, form }) => {
    await revokeOwnEnrollmentToken(deps, null, form.text('token_hash'), viewer)
    return redirect('/admin/fleet', 'Enrollment token revoked.')
  }),
  post('/admin/fleet/:monitor/retire', 'admin', async (context) => {
    const { deps, viewer } = context
    const monitor = nameParam(context, 'monitor')
    await retireOneMonitor(deps, { org_id: null, id: monitor }, viewer)
    deps.log.info({ admin: viewer.email, monitor }, 'an admin retired a shared monitor')
    return redirect('/admin/fleet', 'Monitor retired.')
  }),
  post('/admin/fleet/:monitor/kill-switch', 'admin', async (context) => {
    const { deps, viewer, form } = context
    const monitor = nameParam(context, 'monitor')
    const on = form.text('on') === 'yes'
    await switchOneMonitor(deps, { org_id: null, id: monitor }, 'platform_enabled', on, viewer)
    deps.log.info({ admin: viewer.email, monitor, on }, 'an admin enabled or disabled a shared monitor')
    return redirect('/admin/fleet', `Monitor turned ${on ? 'on' : 'off'}.`)
  }),
]
