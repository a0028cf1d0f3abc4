// What the pages of every kind of token have.
import { Button } from '../design/button.tsx'
import { PostForm } from '../post-form.tsx'
import { CopyBlock } from './copy.tsx'

/** A token that was just created. */
export function NewToken({ token }: { token: string }) {
  return (
    <div class="notice" role="status">
      <p>Copy this token now. You will not be able to see it again.</p>
      <CopyBlock id="token" label="Token" text={token} />
    </div>
  )
}

/** `path`: of the page; `name`: of the token. */
export function RevokeToken({ path, token_id, name }: { path: string; token_id: number; name: string }) {
  return (
    <PostForm action={`${path}/${token_id}/revoke`} class="inline">
      <Button
        kind="danger"
        confirm="Revoke this token? Scripts using this token stop working immediately."
        label={`Revoke token ${name}`}
      >
        Revoke token
      </Button>
    </PostForm>
  )
}
