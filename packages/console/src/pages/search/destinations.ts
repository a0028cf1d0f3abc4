// Lists the pages and actions that can be found by their names.
import type { Access } from '../../route.ts'

interface SearchDestination {
  kind: 'page' | 'action'
  label: string
  href: string
  /** Access that the route of its path requires. */
  access: Access
  /** Synonyms of the label. */
  words: string
}

function page(label: string, href: string, access: Access, words = ''): SearchDestination {
  return { kind: 'page', label, href, access, words }
}

function action(label: string, href: string, access: Access, words: string): SearchDestination {
  return { kind: 'action', label, href, access, words }
}

export const DESTINATIONS: readonly SearchDestination[] = [
  action('Create check', '/checks/new', 'member', 'new add'),
  action('Create heartbeat', '/heartbeats/new', 'member', 'new add cron job'),
  action('Add monitor', '/monitors/new', 'member', 'new create agent enroll'),
  action('Create channel', '/channels/new', 'member', 'new add slack email webhook'),
  action('Create route', '/channels/routes/new', 'member', 'new add escalation on call'),
  action('Create maintenance window', '/channels/maintenance/new', 'member', 'new add downtime schedule'),
  action('Import checks', '/checks/import', 'member', 'upload json'),
  action('Switch organisation', '/organisations', 'person', 'change'),
  page('Overview', '/', 'reader', 'start home'),
  page('Incidents', '/incidents', 'reader', 'outages down'),
  page('Checks', '/checks', 'reader'),
  page('Heartbeats', '/heartbeats', 'reader', 'cron jobs'),
  page('Monitors', '/monitors', 'reader', 'agents places'),
  page('Channels', '/channels', 'reader', 'alerting alerts'),
  page('Routes', '/channels/routes', 'reader', 'alerting escalation'),
  page('Maintenance', '/channels/maintenance', 'reader', 'alerting windows'),
  page('Alert preview', '/channels/who', 'reader', 'alerting who would be notified told'),
  page('Delivery log', '/channels/deliveries', 'reader', 'alerting sent'),
  page('Settings', '/settings', 'reader', 'organisation plan usage limits'),
  page('Members', '/settings/members', 'reader', 'invite people roles'),
  page('API tokens', '/settings/api-tokens', 'owner', 'keys'),
  page('Status page', '/settings/status-page', 'org_admin', 'public'),
  page('Audit log', '/settings/audit', 'org_admin', 'history changes'),
  page('Account', '/account', 'person', 'profile password sessions passkeys'),
]

/** Returns the destinations whose label or synonyms contain every word of the text, in any order. */
export function matching(text: string): SearchDestination[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return DESTINATIONS.filter(({ label, words: others }) => {
    const all = `${label} ${others}`.toLowerCase()
    return words.every((word) => all.startsWith(word) || all.includes(` ${word}`))
  })
}
