// Renders the tabs of alerting: where alerts go, and when.
import { Tabs } from '../design/tabs.tsx'

const PAGES = [
  { href: '/channels', label: 'Channels' },
  { href: '/channels/routes', label: 'Routes' },
  { href: '/channels/maintenance', label: 'Maintenance' },
  { href: '/channels/who', label: 'Alert preview' },
  { href: '/channels/deliveries', label: 'Delivery log' },
] as const

export function AlertingNav({ at }: { at: (typeof PAGES)[number]['href'] }) {
  return <Tabs label="Alerting" pages={PAGES} at={at} />
}
