// While an admin sees the console as another person, secrets are hidden.
import type { VNode } from 'preact'
import type { Viewer } from '../domain/people/sessions.ts'

/** Whether pages show secrets to this viewer and offer to create some. */
export function maySeeSecrets({ impersonator_email }: Viewer): boolean {
  return impersonator_email === null
}

export function HiddenWhileImpersonating({ viewer, children }: { viewer: Viewer; children: string }): VNode {
  return (
    <p class="empty">
      {children} for {viewer.email} alone, and hidden while you see what they see.
    </p>
  )
}
