// Builds the page of a kind of token: it creates tokens, shows each once and revokes them. Also renders enrollment tokens.
import type { Actor } from '@dogwatch/domain/audit/record'
import type { Deps } from '@dogwatch/domain/deps'
import type { OpenEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import type { VNode } from 'preact'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/layout.tsx'
import { type Row, Table } from '../design/table.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { get, idParam, type MemberContext, type PageAnswer, page, post, type Route, redirect } from '../route.ts'
import { CopyBlock } from './copy.tsx'
import { Field } from './field.tsx'
import type { Labels } from './form-faults.tsx'
import { SettingsHead } from './nav.tsx'
import { Ago } from './time.tsx'

interface TokenKind<Token> {
  path: Parameters<typeof SettingsHead>[0]['at']
  title: string
  /** Name of the kind: `API token`. */
  noun: string
  /** Access that the page and its forms require. */
  access: 'owner' | 'org_admin'
  labels: Labels
  /** Renders what the tokens are for. */
  about(context: MemberContext): VNode
  /** Example of a purpose, for the hint of the name. */
  example: string
  /** Renders the fields of a new token, after its name. */
  fields?(): VNode
  /** Columns of the table. The first one names the token. */
  columns: readonly string[]
  rowOf(token: Token): Row
  read(deps: Deps, org_id: number): Promise<Token[]>
  create(context: MemberContext): Promise<{ token: string }>
  revoke(deps: Deps, org_id: number, token_id: number, by: Actor): Promise<void>
}

/** Returns the routes of the page of a kind of token. */
export function tokenRoutes<Token>(kind: TokenKind<Token>): readonly Route[] {
  const { path, access } = kind
  const show = (context: MemberContext) => tokensPage(context, kind)
  return [
    get(path, access, show),
    postOrRefuse(path, access, show, kind.labels, async (context) => {
      const { token } = await kind.create(context)
      // Renders the page without a redirect, because the token cannot be shown again.
      return tokensPage(context, kind, token)
    }),
    post(`${path}/:token/revoke`, access, async (context) => {
      const { deps, org, viewer } = context
      await kind.revoke(deps, org.org_id, idParam(context, 'token'), viewer)
      return redirect(path, 'Token revoked.')
    }),
  ]
}

/** Renders the page. `token` was just created, and is never shown again. */
async function tokensPage<Token>(context: MemberContext, kind: TokenKind<Token>, token?: string): Promise<PageAnswer> {
  const { deps, org, viewer } = context
  const { path, title, noun, example, columns } = kind
  const tokens = await kind.read(deps, org.org_id)
  return page(
    title,
    <section>
      <SettingsHead at={path} title={title} />
      {kind.about(context)}
      {token === undefined ? null : (
        <div class="notice" role="status">
          <p>Copy this token now. You will not be able to see it again.</p>
          <CopyBlock id="token" label="Token" text={token} />
        </div>
      )}
      {viewer.impersonator_email === null ? (
        <PostForm action={path} class="narrow">
          <Field name="name" label="Name" hint={`Purpose of the token, for example “${example}”.`} required />
          {kind.fields?.()}
          <Button kind="primary" text={`Create ${noun}`} />
        </PostForm>
      ) : (
        <p>You cannot create tokens while logged in as {viewer.email}.</p>
      )}
      {tokens.length === 0 ? (
        <EmptyState icon="key-round" title={`No ${noun}s yet`} />
      ) : (
        <Table columns={columns} name="Name" rows={tokens.map((one) => kind.rowOf(one))} />
      )}
    </section>,
  )
}

/** Renders a button that revokes a token. `path` is the path of the page, `name` the name of the token. */
export function RevokeToken({ path, token_id, name }: { path: string; token_id: number; name: string }) {
  return (
    <PostButton
      action={`${path}/${token_id}/revoke`}
      kind="danger"
      confirm="Revoke this token? Scripts using this token stop working immediately."
      label={`Revoke token ${name}`}
      text="Revoke token"
    />
  )
}

/** Renders valid enrollment tokens. `action` is the path of the form that revokes one. */
export function EnrollmentTokens({ tokens, action }: { tokens: readonly OpenEnrollmentToken[]; action: string }) {
  return (
    <ul class="plain">
      {tokens.map(({ token_hash, created_at, expires_at }) => (
        <li>
          Created <Ago at={created_at} />. Expires <Ago at={expires_at} />{' '}
          <PostButton action={action} hidden={{ token_hash }} kind="danger" text="Revoke token" />
        </li>
      ))}
    </ul>
  )
}
