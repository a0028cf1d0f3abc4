// Creates, shows once and revokes tokens of the configuration API.

import { SCOPES, type Scope, type ScopeSubject, SUBJECTS } from '@dogwatch/domain/configuration/scopes'
import {
  type ConfigurationTokenRow,
  createConfigurationToken,
  readConfigurationTokens,
  revokeConfigurationToken,
} from '@dogwatch/domain/configuration/tokens'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { Field, Tick } from '../parts/field.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { Ago, useNow } from '../parts/time.tsx'
import { NewToken, RevokeToken } from '../parts/tokens.tsx'
import { PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { get, idParam, type MemberContext, type PageAnswer, page, post, type Route, redirect } from '../route.ts'

const PATH = '/settings/configuration-tokens'

const SUBJECT_WORDS: Readonly<Record<ScopeSubject, string>> = {
  checks: 'Checks and tags',
  heartbeats: 'Heartbeats',
  channels: 'Channels',
  routes: 'Routes',
  maintenance: 'Maintenance windows',
  monitors: 'Monitors and enrollment tokens',
  incidents: 'Incidents',
  status_page: 'Status page',
}

/** Words for the scopes of tokens. Most scopes come in pairs: one for reading, the other for reading and changing. */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'Everything except the audit log and the secrets of checks: read only',
  write: 'Everything except the audit log and the secrets of checks: read and edit',
  ...(Object.fromEntries(
    SUBJECTS.flatMap((name) => [
      [`${name}:read`, `${SUBJECT_WORDS[name]}: read only`],
      [`${name}:write`, `${SUBJECT_WORDS[name]}: read and edit`],
    ]),
  ) as Record<`${ScopeSubject}:${'read' | 'write'}`, string>),
  'incidents:ack': 'Incidents: read and acknowledge',
  'metrics:read': 'Metrics: read only',
  'audit:read': 'Audit log: read only',
  'checks:secrets': 'Secrets of checks: read only (also select a scope that reads checks)',
}

/** Renders the page. `token` was just created, and is never shown again. */
async function tokensPage(context: MemberContext, token?: string): Promise<PageAnswer> {
  const { deps, org, viewer, options } = context
  const tokens = await readConfigurationTokens(deps, org.org_id)
  return page(
    'Configuration tokens',
    <section>
      <SettingsHead at={PATH} title="Configuration tokens" />
      <p>
        Configuration tokens let scripts manage {org.name} through the configuration API at {options.public_url}
        /config-api/v1/. Grant only the scopes you need.
      </p>
      {token === undefined ? null : <NewToken token={token} />}
      {viewer.impersonator_email === null ? (
        <PostForm action={PATH} class="narrow">
          <Field name="name" label="Name" hint="Purpose of the token, for example “Deployment”." required />
          <fieldset class="pairs">
            <legend>Scopes</legend>
            {SCOPES.map((scope) => (
              <Tick name="scopes" value={scope} label={SCOPE_WORDS[scope]} />
            ))}
          </fieldset>
          <Field name="days" label="Expires after (days)" type="number" value="365" hint="Leave empty for no expiry." />
          <Field
            name="address_range"
            label="Allowed IP range"
            hint="For example 192.0.2.0/24. Leave empty to allow any address."
          />
          <Button kind="primary" text="Create configuration token" />
        </PostForm>
      ) : (
        <p>You cannot create tokens while logged in as {viewer.email}.</p>
      )}
      <TokenTable tokens={tokens} />
    </section>,
  )
}

function TokenTable({ tokens }: { tokens: ConfigurationTokenRow[] }) {
  if (tokens.length === 0) return <EmptyState icon="key-round" title="No configuration tokens yet" />
  return (
    <Table
      columns={['Name', 'Scopes', 'Created by', 'Last used', 'State']}
      name="Name"
      rows={tokens.map((token) => [
        token.token_id,
        token.name,
        `${scopeWords(token.scopes)}${token.address_range === null ? '' : ` · from ${token.address_range}`}`,
        [token.email, ' ', <Ago at={token.created_at} />],
        token.last_used_at === null ? 'Never' : [<Ago at={token.last_used_at} />, ' from ', token.last_used_from],
        <State token={token} />,
      ])}
    />
  )
}

/** Describes the scopes of a token in the words of the form. A scope of a later version keeps its name. */
function scopeWords(scopes: readonly string[]): string {
  return scopes.map((scope) => (Object.hasOwn(SCOPE_WORDS, scope) ? SCOPE_WORDS[scope as Scope] : scope)).join('; ')
}

function State({ token }: { token: ConfigurationTokenRow }) {
  const now = useNow()
  const { token_id, name, expires_at, revoked_at } = token
  if (revoked_at !== null) {
    return (
      <>
        Revoked <Ago at={revoked_at} />
      </>
    )
  }
  const end = expires_at !== null && <Ago at={expires_at} />
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) return <>Expired {end}</>
  return (
    <>
      {end ? ['Expires ', end, ' '] : null}
      <RevokeToken path={PATH} token_id={token_id} name={name} />
    </>
  )
}

export const CONFIGURATION_TOKEN_ROUTES: readonly Route[] = [
  get(PATH, 'org_admin', (context) => tokensPage(context)),
  postOrRefuse(
    PATH,
    'org_admin',
    (context) => tokensPage(context),
    {},
    async (context) => {
      const { deps, org, viewer, form } = context
      const { days, ...texts } = form.texts(['name', 'days', 'address_range'])
      const wanted = { ...texts, scopes: form.all('scopes'), ...(days !== '' && { days: Number(days) }) }
      const { token } = await createConfigurationToken(deps, org.org_id, wanted, viewer)
      // Renders the page without a redirect, because the token cannot be shown again.
      return tokensPage(context, token)
    },
  ),
  post(`${PATH}/:token/revoke`, 'org_admin', async (context) => {
    await revokeConfigurationToken(context.deps, context.org.org_id, idParam(context, 'token'), context.viewer)
    return redirect(PATH, 'Token revoked.')
  }),
]
