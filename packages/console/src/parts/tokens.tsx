// Renders the parts that the pages of all kinds of tokens share.
import { PostButton } from '../post-form.tsx'
import { CopyBlock } from './copy.tsx'

/** Renders a token that was just created. */
export function NewToken({ token }: { token: string }) {
  return (
    <div class="notice" role="status">
      <p>Copy this token now. You will not be able to see it again.</p>
      <CopyBlock id="token" label="Token" text={token} />
    </div>
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
