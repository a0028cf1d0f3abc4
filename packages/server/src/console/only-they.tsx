// What stands in the place of secrets while an admin looks through another's eyes.
import type { VNode } from 'preact'
import type { Viewer } from '../domain/people/sessions.ts'

/** Whether secrets are shown, and what makes some is offered. */
export function isThemselves({ impersonator_email }: Viewer): boolean {
  return impersonator_email === null
}

export function OnlyThey({ viewer, children }: { viewer: Viewer; children: string }): VNode {
  return (
    <p class="empty">
      {children} for {viewer.email} alone, and hidden while you see what they see.
    </p>
  )
}
