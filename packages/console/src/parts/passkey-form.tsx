// Renders the form for a passkey: a script requests it from the browser, and sends the form with the browser's response.
import { PostForm } from '../post-form.tsx'

interface PasskeyFormProps {
  action: string
  kind: 'create' | 'get'
  asked: { pending: string; options: object }
  to?: string
  button: string
}

export function PasskeyForm({ action, kind, asked, to, button }: PasskeyFormProps) {
  return (
    <PostForm action={action} hidden={{ pending: asked.pending, response: '', to }}>
      <div id="passkey" data-kind={kind} data-options={JSON.stringify(asked.options)}>
        <p role="status">Follow your browser’s prompt. If no prompt appears, use the button below.</p>
        <button type="button" class="primary">
          {button}
        </button>
        <noscript>
          <p class="fault">Passkeys need JavaScript. Turn on JavaScript in your browser and try again.</p>
        </noscript>
      </div>
    </PostForm>
  )
}
