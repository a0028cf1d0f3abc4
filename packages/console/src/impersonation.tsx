// Hides secrets while an admin sees the console as another person, and from members who may only read.
import type { Viewer } from '@dogwatch/domain/people/sessions'

/** Whether pages show secrets to this viewer and offer to create them. */
export function maySeeSecrets({ impersonator_email, org }: Viewer): boolean {
  return impersonator_email === null && org?.role !== 'read_only'
}

export function HiddenWhileImpersonating({ viewer, children }: { viewer: Viewer; children: string }) {
  if (viewer.impersonator_email === null) return <p class="empty">{children} hidden from read-only members.</p>
  return (
    <p class="empty">
      {children} hidden while you are logged in as {viewer.email}.
    </p>
  )
}
