// Creates, shows once and revokes personal access tokens for the account API.
import {
  createPersonalToken,
  type PersonalTokenRow,
  readPersonalTokens,
  revokeOwnPersonalToken,
} from '../../domain/organisations/personal-tokens.ts'
import { Button } from '../design/button.tsx'
import { EmptyState, PageHead } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { PostForm } from '../post-form.tsx'
import { Field } from '../parts/field.tsx'
import { FaultyForm, type FormFault, faultOf } from '../parts/form-faults.tsx'
import { SettingsNav } from '../parts/settings-nav.tsx'
import { Ago } from '../parts/time.tsx'
import { NewToken, RevokeToken } from '../parts/tokens.tsx'
import { get, idParam, type MemberContext, page, type PageAnswer, post, redirect, type Route } from '../route.ts'

const PATH = '/settings/api-tokens'

interface PersonalTokensPageProps {
  name?: string
  faults?: readonly FormFault[]
  /** Token that was just created. It is never shown again. */
  token?: string
}

async function tokensPage(context: MemberContext, shown: PersonalTokensPageProps = {}): Promise<PageAnswer> {
  const { deps, org, viewer, options } = context
  const tokens = await readPersonalTokens(deps, org.org_id)
  return page(
    'API tokens',
    <section>
      <PageHead title="Settings" />
      <SettingsNav at={PATH} />
      <h2>API tokens</h2>
      <p>
        API tokens give read-only access to all data in {org.name} through the account API at {options.public_url}
        /account-api/v1/. <strong>Tokens can read channel destinations and secrets in plain text</strong>: treat tokens
        like passwords.
      </p>
      {shown.token === undefined ? null : <NewToken token={shown.token} />}
      {viewer.impersonator_email === null ? (
        <FaultyForm faults={shown.faults ?? []}>
          <PostForm action={PATH} class="narrow">
            <Field
              name="name"
              label="Name"
              value={shown.name ?? ''}
              hint="Purpose of the token, for example “Nightly report”."
              required
            />
            <Button kind="primary" text="Create API token" />
          </PostForm>
        </FaultyForm>
      ) : (
        <p>You cannot create tokens while logged in as {viewer.email}.</p>
      )}
      <TokenTable tokens={tokens} />
    </section>,
    shown.faults === undefined ? 200 : 400,
  )
}

function TokenTable({ tokens }: { tokens: PersonalTokenRow[] }) {
  if (tokens.length === 0) return <EmptyState icon="key-round" title="No API tokens yet" />
  return (
    <Table
      columns={['Name', 'Created by', 'Created', 'State']}
      name="Name"
      rows={tokens.map((token) => ({
        key: token.token_id,
        cells: [
          nameOf(token),
          token.email,
          <Ago at={token.created_at} />,
          token.revoked_at === null ? (
            <RevokeToken path={PATH} token_id={token.token_id} name={nameOf(token)} />
          ) : (
            ['Revoked ', <Ago at={token.revoked_at} />]
          ),
        ],
      }))}
    />
  )
}

function nameOf({ name, token_id }: PersonalTokenRow): string {
  return name || `token ${token_id}`
}

export const API_TOKEN_ROUTES: readonly Route[] = [
  get(PATH, 'owner', async (context) => tokensPage(context)),
  post(PATH, 'owner', async (context) => {
    const { deps, org, viewer, form } = context
    const name = form.text('name').trim()
    try {
      const { token } = await createPersonalToken(deps, org.org_id, { name, by: viewer })
      // Renders the page without a redirect, because the token cannot be shown again.
      return await tokensPage(context, { token })
    } catch (error) {
      return tokensPage(context, { name, faults: [faultOf(error, { name: 'Name' })] })
    }
  }),
  post(`${PATH}/:token/revoke`, 'owner', async (context) => {
    await revokeOwnPersonalToken(context.deps, context.org.org_id, idParam(context, 'token'), context.viewer)
    return redirect(PATH, 'Token revoked.')
  }),
]
