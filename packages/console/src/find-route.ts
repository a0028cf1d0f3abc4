// Finds the page that a request is for, and remembers it for the handlers that follow.
import type { IncomingMessage } from 'node:http'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

type PageMatch =
  | { kind: 'route'; route: Route; params: Record<string, string> }
  /** The path exists, but not with the method of the request. */
  | { kind: 'method'; path: string; allowed: readonly string[] }
  | { kind: 'none' }

interface PathRoutes {
  path: string
  /** Parts of the path between slashes. A variable part begins with a colon. */
  parts: readonly string[]
  routes: Route[]
}

/** Paths without a variable part. The other paths are in `VARIABLE` by number of parts, in the order of the table of routes. */
const PLAIN = new Map<string, PathRoutes>()
const VARIABLE = new Map<number, PathRoutes[]>()
for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
  const place = { path, parts: path.split('/'), routes }
  if (!path.includes(':')) PLAIN.set(path, place)
  else VARIABLE.set(place.parts.length, [...(VARIABLE.get(place.parts.length) ?? []), place])
}
const MOST_PARTS = Math.max(...VARIABLE.keys())

const founds = new WeakMap<IncomingMessage, PageMatch>()

/** Finds the page that a request is for. Later calls for the same request return the same result. */
export function findPage(req: IncomingMessage): PageMatch {
  const known = founds.get(req)
  if (known) return known
  const { url = '', method = '' } = req
  const end = url.indexOf('?')
  const found = find(method, end === -1 ? url : url.slice(0, end))
  founds.set(req, found)
  return found
}

/** Finds the route of a path, with or without a query. Returns undefined if there is none. */
export function findRoute(method: string, url: string): Route | undefined {
  const [path = ''] = url.split(/[?#]/, 1)
  const found = find(method, path)
  return found.kind === 'route' ? found.route : undefined
}

/** Whether a request is a form of a person who is not signed in. Most of these forms contain a password. */
export function isStrangersForm(req: IncomingMessage): boolean {
  const found = findPage(req)
  return found.kind === 'route' && found.route.method === 'POST' && found.route.access === 'anyone'
}

function find(method: string, path: string): PageMatch {
  const plain = PLAIN.get(path)
  const parts = path.split('/', MOST_PARTS + 1)
  const variable = (VARIABLE.get(parts.length) ?? []).filter((place) => isAt(place, parts))
  const places = plain ? [plain, ...variable] : variable
  // A path that can be read with GET can also be requested with HEAD.
  const asked = method === 'HEAD' ? 'GET' : method
  for (const place of places) {
    const route = place.routes.find((one) => one.method === asked)
    if (!route) continue
    const params = paramsOf(place, parts)
    return params ? { kind: 'route', route, params } : { kind: 'none' }
  }
  const [first] = places
  if (!first) return { kind: 'none' }
  const methods = first.routes.map((one) => one.method)
  return { kind: 'method', path: first.path, allowed: methods.includes('GET') ? [...methods, 'HEAD'] : methods }
}

function isAt(place: PathRoutes, parts: readonly string[]): boolean {
  return place.parts.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]))
}

/** Returns the variable parts of a path, or undefined if one cannot be decoded: no page has such a path. */
function paramsOf(place: PathRoutes, parts: readonly string[]): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      place.parts.flatMap((name, i) =>
        name.startsWith(':') ? [[name.slice(1), decodeURIComponent(parts[i] ?? '')]] : [],
      ),
    )
  } catch {
    return undefined
  }
}
