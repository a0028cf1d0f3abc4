// Renders the tabs of an organisation's settings.
import { Tabs } from '../design/tabs.tsx'
import { useMay } from '../rights.tsx'

const PAGES = [
  { href: '/settings', label: 'Organisation' },
  { href: '/settings/members', label: 'Members' },
  { href: '/settings/api-tokens', label: 'API tokens' },
  { href: '/settings/configuration-tokens', label: 'Configuration tokens' },
  { href: '/settings/status-page', label: 'Status page' },
  { href: '/settings/audit', label: 'Audit log' },
] as const

export function SettingsNav({ at }: { at: (typeof PAGES)[number]['href'] }) {
  const may = useMay()
  return <Tabs label="Settings" pages={PAGES.filter(({ href }) => may('GET', href))} at={at} />
}
