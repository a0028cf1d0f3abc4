// Lists the pages and actions that can be found by their names.

interface SearchDestination {
  kind: 'page' | 'action'
  label: string
  href: string
  /** Synonyms of the label. */
  words: string
}

function page(label: string, href: string, words = ''): SearchDestination {
  return { kind: 'page', label, href, words }
}

function action(label: string, href: string, words: string): SearchDestination {
  return { kind: 'action', label, href, words }
}

export const DESTINATIONS: readonly SearchDestination[] = [
  action('Create check', '/checks/new', 'new add'),
  action('Create heartbeat', '/heartbeats/new', 'new add cron job'),
  action('Add monitor', '/monitors/new', 'new create agent enroll'),
  action('Create channel', '/channels/new', 'new add slack email webhook'),
  action('Create route', '/channels/routes/new', 'new add escalation on call'),
  action('Create maintenance window', '/channels/maintenance/new', 'new add downtime schedule'),
  action('Import checks', '/checks/import', 'upload json'),
  action('Switch organisation', '/organisations', 'change'),
  page('Overview', '/', 'start home'),
  page('Incidents', '/incidents', 'outages down'),
  page('Checks', '/checks'),
  page('Heartbeats', '/heartbeats', 'cron jobs'),
  page('Monitors', '/monitors', 'agents places'),
  page('Channels', '/channels', 'alerting alerts'),
  page('Routes', '/channels/routes', 'alerting escalation'),
  page('Maintenance', '/channels/maintenance', 'alerting windows'),
  page('Alert preview', '/channels/who', 'alerting who would be notified told'),
  page('Delivery log', '/channels/deliveries', 'alerting sent'),
  page('Settings', '/settings', 'organisation plan usage limits'),
  page('Members', '/settings/members', 'invite people roles'),
  page('API tokens', '/settings/api-tokens', 'keys'),
  page('Status page', '/settings/status-page', 'public'),
  page('Audit log', '/settings/audit', 'history changes'),
  page('Account', '/account', 'profile password sessions passkeys'),
]

/** Returns the destinations whose label or synonyms contain every word of the text, in any order. */
export function matching(text: string): SearchDestination[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return DESTINATIONS.filter(({ label, words: others }) => {
    const all = `${label} ${others}`.toLowerCase()
    return words.every((word) => all.startsWith(word) || all.includes(` ${word}`))
  })
}
