// Finds which part of the server (surface) and which route a request is for. Metrics use these names, which never come
// from the client.
import type { Request, Response } from 'express'

const SURFACES = [
  'monitor-api',
  'account-api',
  'config-api',
  'console',
  'status-page',
  'ping',
  'assets',
  'install',
] as const
export type Surface = (typeof SURFACES)[number]

const PREFIXES: readonly (readonly [prefix: string, surface: Surface])[] = [
  ['/monitor-api/', 'monitor-api'],
  ['/account-api/', 'account-api'],
  ['/config-api/', 'config-api'],
  ['/status/', 'status-page'],
  ['/ping/', 'ping'],
  ['/assets/', 'assets'],
  ['/install/', 'install'],
]
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const NONE = 'none'

/** Returns the surface of a path. All unknown paths belong to the console, which has a page for them. */
export function surfaceOf(url: string): Surface {
  return PREFIXES.find(([prefix]) => url.startsWith(prefix))?.[1] ?? 'console'
}

/** Records the route that handles a request, such as `/checks/{guid}`, for metrics. */
export function nameRoute(res: Response, route: string): void {
  res.locals.route = route
}

/** Records the original method of a request that the app handles as another one. */
export function nameMethod(res: Response, method: string): void {
  res.locals.method = method
}

/** Whether the client requests only the headers. */
export function isHead(res: Response): boolean {
  return res.locals.method === 'HEAD'
}

/** Returns the labels of a request in metrics, after its response. */
export function labelsOf(req: Request, res: Response) {
  const surface = surfaceOf(req.originalUrl)
  const { method = req.method } = res.locals as { method?: string }
  return {
    surface,
    route: routeOf(surface, req, res),
    method: METHODS.has(method) ? method : 'other',
    // If the headers were not sent, the client disconnected before there was a response.
    status: res.headersSent ? String(res.statusCode) : 'none',
  }
}

function routeOf(surface: Surface, req: Request, res: Response): string {
  if (surface === 'ping') return '/ping/{token}'
  // One label for all files, because their names contain a hash that changes with every build.
  if (surface === 'assets') return '/assets/{file}'
  const { route } = res.locals as { route?: unknown }
  if (typeof route === 'string') return route
  const { path } = (req.route ?? {}) as { path?: unknown }
  return typeof path === 'string' ? path : NONE
}
