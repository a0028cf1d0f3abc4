// Finds the operation of a document for a request.
import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { HttpError } from './errors.ts'
import type { LaneName, LaneOfRoute } from './lanes.ts'

/** A bundled document, with its references resolved. */
export type ContractDocument = Readonly<Record<string, unknown>>

export interface ApiRoute {
  operationId: string
  /** Path as in the document, such as `/checks/{guid}`. */
  path: string
  method: string
  /** Name of the security scheme that the operation needs. Empty if it does not need exactly one, which `implement` refuses. */
  scheme: string
  hasBody: boolean
  pattern: RegExp
  parameters: string[]
  /** Names of the request headers that the operation reads. */
  headers: string[]
  /** Query parameters that can contain an unencoded plus: those with `allowReserved`. */
  plain: string[]
  /** Query parameters that are whole numbers. */
  integers: string[]
}

interface OperationObject {
  operationId: string
  parameters?: { name: string; in: string; allowReserved?: boolean; schema?: { type?: string } }[]
  security?: Record<string, unknown>[]
  requestBody?: unknown
}

export function listRoutes(document: ContractDocument): ApiRoute[] {
  const everywhere = document.security as Record<string, unknown>[] | undefined
  return Object.entries(document.paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operationId: operation.operationId,
      path,
      method: method.toUpperCase(),
      scheme: schemeOf(operation.security ?? everywhere ?? []),
      hasBody: operation.requestBody !== undefined,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
      plain: (operation.parameters ?? []).flatMap((one) => (one.in === 'query' && one.allowReserved ? [one.name] : [])),
      integers: (operation.parameters ?? []).flatMap(({ name, in: part, schema }) =>
        part === 'query' && schema?.type === 'integer' ? [name] : [],
      ),
      headers: (operation.parameters ?? []).flatMap((one) => (one.in === 'header' ? [one.name] : [])),
      parameters: Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? ''),
    })),
  )
}

function schemeOf(security: readonly Record<string, unknown>[]): string {
  const [first = {}, ...others] = security
  const [scheme = '', ...more] = Object.keys(first)
  return others.length + more.length === 0 ? scheme : ''
}

/** Result of looking up a method and a path. */
type RouteMatch =
  | { kind: 'route'; route: ApiRoute; values: string[] }
  | { kind: 'method'; allowed: string[] }
  | { kind: 'none' }

function find(routes: readonly ApiRoute[], method: string, path: string): RouteMatch {
  const here = routes.flatMap((route) => {
    const match = route.pattern.exec(path)
    return match ? [{ route, values: match.slice(1) }] : []
  })
  if (here.length === 0) return { kind: 'none' }
  // HEAD is allowed for each path with GET.
  const asked = method === 'HEAD' ? 'GET' : method
  const found = here.find(({ route }) => route.method === asked)
  if (found) return { kind: 'route', ...found }
  return {
    kind: 'method',
    allowed: here.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])),
  }
}

const founds = new WeakMap<IncomingMessage, RouteMatch>()

/**
 * Returns a function that finds the lane of a request by its operation. It stores the operation, so that the later gates use the
 * same one.
 */
export function lanesOf(
  routes: readonly ApiRoute[],
  prefix: string,
  lanes: Readonly<Record<string, LaneName | undefined>>,
): LaneOfRoute {
  return (req) => {
    const { url = '', method = '' } = req
    if (!url.startsWith(`${prefix}/`)) return undefined
    const end = url.indexOf('?', prefix.length)
    const found = find(routes, method, url.slice(prefix.length, end === -1 ? undefined : end))
    founds.set(req, found)
    return found.kind === 'route' ? lanes[found.route.operationId] : undefined
  }
}

/**
 * Returns the route of a request and its path parameters. Refuses an unknown path with 404, and a wrong method with 405 and the
 * allowed methods.
 */
export function findRoute(
  routes: readonly ApiRoute[],
  req: Request,
): { route: ApiRoute; path: Record<string, string> } {
  const found = founds.get(req) ?? find(routes, req.method, req.path)
  if (found.kind === 'none') throw new HttpError(404, 'no such path')
  if (found.kind === 'method') throw new HttpError(405, 'method not allowed', { Allow: found.allowed.join(', ') })
  const values = found.values.map(decode)
  if (values.some((value, i) => value === found.values[i] && value.includes('%'))) escapePercent(req)
  if (found.route.plain.length > 0) escapePlus(req, found.route.plain)
  return {
    route: found.route,
    path: Object.fromEntries(found.route.parameters.map((name, i) => [name, values[i] ?? ''])),
  }
}

/** Decodes a path segment. Leaves one with invalid percent-encoding as it is, and no item has such a name. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Encodes the plus in some query parameters, because clients send `+02:00` unencoded and a parser would read a blank. */
function escapePlus(req: Request, names: readonly string[]): void {
  const escape = (url: string): string => {
    const at = url.indexOf('?')
    if (at < 0 || !url.includes('+', at)) return url
    const pairs = url.slice(at + 1).split('&')
    const isPlain = (pair: string) => names.some((name) => pair.startsWith(`${name}=`))
    return url.slice(0, at + 1) + pairs.map((pair) => (isPlain(pair) ? pair.replaceAll('+', '%2B') : pair)).join('&')
  }
  req.url = escape(req.url)
  req.originalUrl = escape(req.originalUrl)
}

/**
 * Encodes percent signs in the path, because the validator decodes it again and would refuse invalid encoding, which is just an
 * unknown name here.
 */
function escapePercent(req: Request): void {
  const escape = (url: string): string => {
    const [path = '', ...query] = url.split('?')
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
  req.url = escape(req.url)
  req.originalUrl = escape(req.originalUrl)
}
