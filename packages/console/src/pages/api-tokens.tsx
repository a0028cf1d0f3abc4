// Defines the page of personal access tokens for the account API.
import {
  createPersonalToken,
  type PersonalTokenRow,
  readPersonalTokens,
  revokeOwnPersonalToken,
} from '@dogwatch/domain/organisations/personal-tokens'
import { Ago } from '../parts/time.tsx'
import { RevokeToken, tokenRoutes } from '../parts/tokens.tsx'
import type { Route } from '../route.ts'

const PATH = '/settings/api-tokens'

export const API_TOKEN_ROUTES: readonly Route[] = tokenRoutes<PersonalTokenRow>({
  path: PATH,
  title: 'API tokens',
  noun: 'API token',
  access: 'owner',
  labels: { name: 'Name' },
  about: ({ org, options }) => (
    <p>
      API tokens give read-only access to all data in {org.name} through the account API at {options.public_url}
      /account-api/v1/. <strong>Tokens can read channel destinations and secrets in plain text</strong>: treat tokens
      like passwords.
    </p>
  ),
  example: 'Nightly report',
  columns: ['Name', 'Created by', 'Created', 'State'],
  rowOf: ({ token_id, name, email, created_at, revoked_at }) => [
    token_id,
    name || `token ${token_id}`,
    email,
    <Ago at={created_at} />,
    revoked_at === null ? (
      <RevokeToken path={PATH} token_id={token_id} name={name || `token ${token_id}`} />
    ) : (
      ['Revoked ', <Ago at={revoked_at} />]
    ),
  ],
  read: readPersonalTokens,
  create: ({ deps, org, viewer, form }) =>
    createPersonalToken(deps, org.org_id, { name: form.text('name').trim(), by: viewer }),
  revoke: revokeOwnPersonalToken,
})
