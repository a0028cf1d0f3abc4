// The pages of an organisation's settings, one beside the other.
import type { VNode } from 'preact'
import type { ViewedOrg } from '../../domain/people/sessions.ts'

const PAGES = [
  ['/settings', 'Organisation', false],
  ['/settings/members', 'Members', false],
  ['/settings/api-tokens', 'API tokens', true],
  ['/settings/status-page', 'Status page', true],
  ['/settings/audit', 'Audit log', true],
] as const

export function SettingsNav({ org, at }: { org: ViewedOrg; at: (typeof PAGES)[number][0] }): VNode {
  const shown = PAGES.filter(([, , isOwners]) => org.is_owner || !isOwners)
  return (
    <nav class="tabs" aria-label="Settings">
      <ul>
        {shown.map(([href, label]) => (
          <li key={href}>
            <a href={href} aria-current={href === at ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
