// Renders the tabs of alerting, settings and the Admin pages.

import { PageHead } from '../design/layout.tsx'
import { Tabs } from '../design/tabs.tsx'
import { useMay } from '../rights.tsx'

const ALERTING = [
  { href: '/channels', label: 'Channels' },
  { href: '/channels/routes', label: 'Routes' },
  { href: '/channels/maintenance', label: 'Maintenance' },
  { href: '/channels/who', label: 'Alert preview' },
  { href: '/channels/deliveries', label: 'Delivery log' },
] as const

const SETTINGS = [
  { href: '/settings', label: 'Organisation' },
  { href: '/settings/members', label: 'Members' },
  { href: '/settings/api-tokens', label: 'API tokens' },
  { href: '/settings/configuration-tokens', label: 'Configuration tokens' },
  { href: '/settings/status-page', label: 'Status page' },
  { href: '/settings/audit', label: 'Audit log' },
] as const

const ADMIN = [
  { href: '/admin', label: 'Organisations' },
  { href: '/admin/people', label: 'People' },
  { href: '/admin/fleet', label: 'Shared fleet' },
] as const

export function AlertingNav({ at }: { at: (typeof ALERTING)[number]['href'] }) {
  return <Tabs label="Alerting" pages={ALERTING} at={at} />
}

/** Renders the tabs that the viewer may open, and the title of the chosen one. */
export function SettingsHead({ at, title }: { at: (typeof SETTINGS)[number]['href']; title: string }) {
  const may = useMay()
  return (
    <>
      <PageHead title="Settings" />
      <Tabs label="Settings" pages={SETTINGS.filter(({ href }) => may('GET', href))} at={at} />
      <h2>{title}</h2>
    </>
  )
}

export function AdminNav({ at }: { at: (typeof ADMIN)[number]['href'] }) {
  return <Tabs label="Admin" pages={ADMIN} at={at} />
}
