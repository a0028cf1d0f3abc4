// The pages that show what changes while they are open: assets/scripts/_live.js asks for them again.

/** Pages to read. Forms are none: nobody wants one to change while they fill it in. */
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

/** `path`: as the table of routes has it. */
export function isLiveRoute(path: string): boolean {
  return LIVE_ROUTES.has(path)
}
