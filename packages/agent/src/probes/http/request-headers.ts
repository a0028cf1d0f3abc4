// Builds the headers of a check's requests: those of the check, and those that every request needs.
import { VERSION } from '../../process/version.ts'
import { basicAuth } from '../web-identity.ts'
import type { Cookies } from './cookies.ts'
import type { Request } from './redirect.ts'

/** Methods whose requests omit the Content-Length header if they have no body. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/**
 * Returns header names and values in turn, in the order of sending. `login` is the header value for a proxy that forwards the
 * request.
 */
export function headerLines({ url, method, headers, body }: Request, cookies: Cookies, login?: string): string[] {
  const given = Object.entries(headers)
  const names = new Map(given.map(([name, value]) => [name.toLowerCase(), [name, value] as const]))
  const [cookieName, givenCookie] = names.get('cookie') ?? ['Cookie']
  const cookie = cookies.headerFor(url, givenCookie)
  if (cookie !== undefined) names.set('cookie', [cookieName, cookie])
  const host = names.get('host')?.[1] ?? url.host
  const lines = ['Host', host]
  const add = (name: string, value: string): void => {
    if (!names.has(name.toLowerCase())) lines.push(name, value)
  }
  add('User-Agent', `dogwatch-agent/${VERSION}`)
  add('Accept', '*/*')
  add('Accept-Encoding', 'gzip, deflate, br')
  const authorization = basicAuth(url)
  if (authorization) add('Authorization', authorization)
  for (const [lower, [name, value]] of names) if (lower !== 'host') lines.push(name, value)
  if (body !== '') add('Content-Type', 'application/x-www-form-urlencoded')
  if (body !== '' || !WITHOUT_BODY.has(method)) lines.push('Content-Length', String(Buffer.byteLength(body)))
  if (login !== undefined) lines.push('Proxy-Authorization', login)
  lines.push('Connection', 'close')
  return lines
}
