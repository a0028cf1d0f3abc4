// Decides where a redirect leads, and which headers are sent there. Pure.
import { isAscii, isUtf8 } from 'node:buffer'
import { HARMLESS_HEADERS } from '@dogwatch/check-rules/fields'

export interface Request {
  url: URL
  method: string
  /** Headers by name, as written in the definition, each once regardless of case. */
  headers: Readonly<Record<string, string>>
  body: string
  /** Whether the definition is private, so that its headers and body go only to the origin that the definition names. */
  isPrivate: boolean
}

/** Returns the next request, a fault of the redirect, or undefined if the response is not a redirect. */
export function follow(
  request: Request,
  status: number,
  location: string | undefined,
): Request | RedirectFault | undefined {
  if (!REDIRECTS.has(status) || !location) return undefined
  if (location.length > LOCATION_MAX_BYTES) return { misled: 'the redirect location is too long' }
  const written = asWritten(location)
  if (!URL.canParse(written, request.url.href)) return { misled: 'the redirect location is not a valid URL' }
  const url = new URL(written, request.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { misled: 'the redirect does not lead to http or https' }
  if (url.port === '0') return { misled: 'the redirect location is not a valid URL' }
  const isKept = keepsMethod(request, status)
  if (isKept && request.body !== '' && !mayReceive(url, request)) return { misled: STRAYING }
  const next = { ...request, url: withUser(url, request.url), headers: keptFor(url, request) }
  if (isKept && (request.body !== '' || KEEPS_METHOD.has(status))) return next
  const headers = without(next.headers, CONTENT)
  return isKept ? { ...next, headers } : { ...next, method: 'GET', body: '', headers }
}

/** Whether the next request has the same method and body, as in browsers. */
function keepsMethod({ method }: Request, status: number): boolean {
  if (KEEPS_METHOD.has(status)) return true
  return status === 303 ? method === 'GET' || method === 'HEAD' : method !== 'POST'
}

export interface RedirectFault {
  misled: string
}

/** Maximum length of a location, in bytes: twice what most servers accept in a request. */
const LOCATION_MAX_BYTES = 16 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const KEEPS_METHOD = new Set([307, 308])
const STRAYING = 'the redirect leads to a different origin, which must not receive the request body'
/** Headers that are only for the origin that the check names. */
const OWN = new Set(['host', 'authorization', 'cookie', 'proxy-authorization'])
const CONTENT = new Set(['content-type', 'content-length', 'content-encoding'])

/** Decodes a location. The platform reads headers as Latin-1, but characters beyond ASCII are nearly always UTF-8. */
function asWritten(location: string): string {
  const bytes = Buffer.from(location, 'latin1')
  return isAscii(bytes) || !isUtf8(bytes) ? location : bytes.toString()
}

function keptFor(url: URL, { url: from, headers, isPrivate }: Request): Readonly<Record<string, string>> {
  if (url.origin === from.origin) return headers
  if (isPrivate) return {}
  if (isSameSite(url, from)) return without(headers, OWN)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase())))
}

/** Whether a body, which may contain secrets, may be sent to the URL. */
function mayReceive(url: URL, { url: from, isPrivate }: Request): boolean {
  return url.origin === from.origin || (!isPrivate && isSameSite(url, from))
}

/**
 * Whether the redirect leads from http to https of the same host, or from shop.example to www.shop.example. Other subdomains may
 * belong to other people.
 */
function isSameSite(url: URL, from: URL): boolean {
  if (url.port !== '' || from.port !== '' || (from.protocol === 'https:' && url.protocol === 'http:')) return false
  return url.hostname === from.hostname || url.hostname === `www.${from.hostname}`
}

/**
 * Copies the user and password of a URL to another URL of the same origin, because the redirected request is for the same user.
 */
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
