// Lists the pages that show what changes while they are open: assets/scripts/_live.js requests them again.

/**
 * Paths of the live pages in the table of routes. Pages for filling in a form are excluded, because a form must not change while
 * a person fills it in.
 */
export const LIVE_ROUTES: ReadonlySet<string> = new Set([
  '/',
  '/checks',
  '/checks/:check',
  '/incidents',
  '/incidents/:incident',
  '/heartbeats',
  '/heartbeats/:heartbeat',
  '/monitors',
  '/monitors/:monitor',
  '/channels',
  '/channels/:channel',
  '/channels/deliveries',
  '/settings/audit',
])
