// The tabs of an organisation's settings.
import type { VNode } from 'preact'
import type { ViewedOrg } from '../../domain/people/sessions.ts'
import { Tabs } from '../design/tabs.tsx'

const PAGES = [
  { href: '/settings', label: 'Organisation', is_owners: false },
  { href: '/settings/members', label: 'Members', is_owners: false },
  { href: '/settings/api-tokens', label: 'API tokens', is_owners: true },
  { href: '/settings/status-page', label: 'Status page', is_owners: true },
  { href: '/settings/audit', label: 'Audit log', is_owners: true },
] as const

export function SettingsNav({ org, at }: { org: ViewedOrg; at: (typeof PAGES)[number]['href'] }): VNode {
  return <Tabs label="Settings" pages={PAGES.filter((page) => org.is_owner || !page.is_owners)} at={at} />
}
