// Creates, shows once and revokes personal access tokens for the account API.

import {
  createPersonalToken,
  type PersonalTokenRow,
  readPersonalTokens,
  revokeOwnPersonalToken,
} from '@dogwatch/domain/organisations/personal-tokens'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { Field } from '../parts/field.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { Ago } from '../parts/time.tsx'
import { NewToken, RevokeToken } from '../parts/tokens.tsx'
import { PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { get, idParam, type MemberContext, type PageAnswer, page, post, type Route, redirect } from '../route.ts'

const PATH = '/settings/api-tokens'

/** Renders the page. `token` was just created, and is never shown again. */
async function tokensPage(context: MemberContext, token?: string): Promise<PageAnswer> {
  const { deps, org, viewer, options } = context
  const tokens = await readPersonalTokens(deps, org.org_id)
  return page(
    'API tokens',
    <section>
      <SettingsHead at={PATH} title="API tokens" />
      <p>
        API tokens give read-only access to all data in {org.name} through the account API at {options.public_url}
        /account-api/v1/. <strong>Tokens can read channel destinations and secrets in plain text</strong>: treat tokens
        like passwords.
      </p>
      {token === undefined ? null : <NewToken token={token} />}
      {viewer.impersonator_email === null ? (
        <PostForm action={PATH} class="narrow">
          <Field name="name" label="Name" hint="Purpose of the token, for example “Nightly report”." required />
          <Button kind="primary" text="Create API token" />
        </PostForm>
      ) : (
        <p>You cannot create tokens while logged in as {viewer.email}.</p>
      )}
      <TokenTable tokens={tokens} />
    </section>,
  )
}

function TokenTable({ tokens }: { tokens: PersonalTokenRow[] }) {
  if (tokens.length === 0) return <EmptyState icon="key-round" title="No API tokens yet" />
  return (
    <Table
      columns={['Name', 'Created by', 'Created', 'State']}
      name="Name"
      rows={tokens.map((token) => [
        token.token_id,
        nameOf(token),
        token.email,
        <Ago at={token.created_at} />,
        token.revoked_at === null ? (
          <RevokeToken path={PATH} token_id={token.token_id} name={nameOf(token)} />
        ) : (
          ['Revoked ', <Ago at={token.revoked_at} />]
        ),
      ])}
    />
  )
}

function nameOf({ name, token_id }: PersonalTokenRow): string {
  return name || `token ${token_id}`
}

export const API_TOKEN_ROUTES: readonly Route[] = [
  get(PATH, 'owner', (context) => tokensPage(context)),
  postOrRefuse(
    PATH,
    'owner',
    (context) => tokensPage(context),
    { name: 'Name' },
    async (context) => {
      const { deps, org, viewer, form } = context
      const { token } = await createPersonalToken(deps, org.org_id, { name: form.text('name').trim(), by: viewer })
      // Renders the page without a redirect, because the token cannot be shown again.
      return tokensPage(context, token)
    },
  ),
  post(`${PATH}/:token/revoke`, 'owner', async (context) => {
    await revokeOwnPersonalToken(context.deps, context.org.org_id, idParam(context, 'token'), context.viewer)
    return redirect(PATH, 'Token revoked.')
  }),
]
