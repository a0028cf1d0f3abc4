// Defines the page of tokens for the configuration API.
import { SCOPES, type Scope, type ScopeSubject, SUBJECTS } from '@dogwatch/domain/configuration/scopes'
import {
  type ConfigurationTokenRow,
  createConfigurationToken,
  readConfigurationTokens,
  revokeConfigurationToken,
} from '@dogwatch/domain/configuration/tokens'
import { Field, Tick } from '../parts/field.tsx'
import { Ago, useNow } from '../parts/time.tsx'
import { RevokeToken, tokenRoutes } from '../parts/tokens.tsx'
import type { Route } from '../route.ts'

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

export const CONFIGURATION_TOKEN_ROUTES: readonly Route[] = tokenRoutes<ConfigurationTokenRow>({
  path: PATH,
  title: 'Configuration tokens',
  noun: 'configuration token',
  access: 'org_admin',
  labels: {},
  about: ({ org, options }) => (
    <p>
      Configuration tokens let scripts manage {org.name} through the configuration API at {options.public_url}
      /config-api/v1/. Grant only the scopes you need.
    </p>
  ),
  example: 'Deployment',
  fields: () => (
    <>
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
    </>
  ),
  columns: ['Name', 'Scopes', 'Created by', 'Last used', 'State'],
  rowOf: (token) => [
    token.token_id,
    token.name,
    `${scopeWords(token.scopes)}${token.address_range === null ? '' : ` · from ${token.address_range}`}`,
    [token.email, ' ', <Ago at={token.created_at} />],
    token.last_used_at === null ? 'Never' : [<Ago at={token.last_used_at} />, ' from ', token.last_used_from],
    <State token={token} />,
  ],
  read: readConfigurationTokens,
  create: ({ deps, org, viewer, form }) => {
    const { days, ...texts } = form.texts(['name', 'days', 'address_range'])
    const wanted = { ...texts, scopes: form.all('scopes'), ...(days !== '' && { days: Number(days) }) }
    return createConfigurationToken(deps, org.org_id, wanted, viewer)
  },
  revoke: revokeConfigurationToken,
})
