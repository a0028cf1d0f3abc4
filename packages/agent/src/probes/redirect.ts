// Where a redirect leads, and what goes along: pure.

export interface Request {
  url: URL
  method: 'GET' | 'POST'
  /** Names as they were written, each once however it is spelt. */
  headers: Readonly<Record<string, string>>
  body: string
}

/** The next request, why there is none, or undefined for an answer that is no redirect. */
export function follow(request: Request, status: number, location: string | undefined): Request | Misled | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined
  if (!URL.canParse(location, request.url.href)) return { misled: 'the location cannot be read' }
  const url = new URL(location, request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { misled: 'the location is not of the web' }
  const next = { ...request, url: withUser(url, request.url), headers: keptFor(url, request) }
  return KEEPS_METHOD.has(status) ? next : { ...next, method: 'GET', body: '', headers: without(next.headers, CONTENT) }
}

export interface Misled {
  misled: string
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const KEEPS_METHOD = new Set([307, 308])
/** Meant for the origin that the check names, and for no other. */
const OWN = new Set(['host', 'authorization', 'cookie', 'proxy-authorization'])
const CONTENT = new Set(['content-type', 'content-length', 'content-encoding'])

function keptFor(url: URL, { url: from, headers }: Request): Readonly<Record<string, string>> {
  return url.origin === from.origin ? headers : without(headers, OWN)
}

/** Who asks is asking still, at the same origin. */
function withUser(url: URL, { origin, username, password }: URL): URL {
  if (url.origin !== origin || url.username !== '' || url.password !== '') return url
  const named = new URL(url)
  named.username = username
  named.password = password
  return named
}

function without(headers: Readonly<Record<string, string>>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())))
}
