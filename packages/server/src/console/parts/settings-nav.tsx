// The tabs of an organisation's settings.
import type { VNode } from 'preact'
import type { ViewedOrg } from '../../domain/people/sessions.ts'
import { isAtLeast } from '../../domain/organisations/roles.ts'
import { Tabs } from '../design/tabs.tsx'

const PAGES = [
  { href: '/settings', label: 'Organisation', needs: 'read_only' },
  { href: '/settings/members', label: 'Members', needs: 'read_only' },
  { href: '/settings/api-tokens', label: 'API tokens', needs: 'owner' },
  { href: '/settings/configuration-tokens', label: 'Configuration tokens', needs: 'admin' },
  { href: '/settings/status-page', label: 'Status page', needs: 'admin' },
  { href: '/settings/audit', label: 'Audit log', needs: 'admin' },
] as const

export function SettingsNav({ org, at }: { org: ViewedOrg; at: (typeof PAGES)[number]['href'] }): VNode {
  return <Tabs label="Settings" pages={PAGES.filter(({ needs }) => isAtLeast(org.role, needs))} at={at} />
}
