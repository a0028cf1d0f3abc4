// Stores the cookies that a target sets during redirects, for the other requests of the same run.
//
// A jar that lasts a few seconds needs no list of public suffixes: a cookie contains nothing but what the target chose.
import { isIP } from 'node:net'

/** Maximum number of cookies for one site, as in browsers. */
const COOKIES_MAX = 50
const COOKIE_MAX_CHARS = 4096
const UNSENDABLE = /[\0-\x1F\x7F]/

interface Cookie {
  name: string
  value: string
  host: string
  /** Whether the cookie is also sent to the subdomains of its host. */
  isWide: boolean
  path: string
  isSecure: boolean
}

export class Cookies {
  #kept: Cookie[] = []

  /** Stores the cookies from a response's `Set-Cookie` lines. An expired cookie removes the stored cookie of the same name. */
  keep(url: URL, lines: readonly string[], now: Date): void {
    for (const line of lines) {
      const { cookie, hasExpired } = readCookie(url, line, now) ?? {}
      if (!cookie) continue
      this.#kept = this.#kept.filter((other) => !isSame(other, cookie))
      if (!hasExpired) this.#kept.push(cookie)
      if (this.#kept.length > COOKIES_MAX) this.#kept.shift()
    }
  }

  /** Returns the cookies for a request. A cookie that the target set replaces the check's cookie of the same name. */
  headerFor(url: URL, given?: string): string | undefined {
    const found = this.#kept.filter((cookie) => belongsTo(cookie, url))
    if (found.length === 0) return given
    const names = new Set(found.map(({ name }) => name))
    const kept = (given ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0]?.trim() ?? ''))
    const own = found.toSorted((a, b) => b.path.length - a.path.length).map(({ name, value }) => `${name}=${value}`)
    return [...kept, ...own].join('; ')
  }
}

interface ReadCookie {
  cookie: Cookie
  hasExpired: boolean
}

/** Reads a cookie. Returns undefined if no request may send it, or if its domain does not contain the host of the response. */
function readCookie(url: URL, line: string, now: Date): ReadCookie | undefined {
  const [pair = '', ...parts] = line.split(';')
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()]
  if (name === '' || pair.length > COOKIE_MAX_CHARS || UNSENDABLE.test(pair)) return undefined
  const attributes = new Map(parts.map(readAttribute))
  const domain = (attributes.get('domain') ?? '').toLowerCase().replace(/^\./, '')
  const isWide = domain !== '' && domain !== url.hostname
  if (isWide && !(domain.includes('.') && isWithin(url.hostname, domain))) return undefined
  const path = attributes.get('path') ?? ''
  const cookie: Cookie = {
    name,
    value,
    host: isWide ? domain : url.hostname,
    isWide: domain !== '',
    path: path.startsWith('/') ? path : folderOf(url),
    isSecure: attributes.has('secure'),
  }
  return { cookie, hasExpired: hasExpired(attributes, now) }
}

function readAttribute(part: string): [name: string, value: string] {
  const at = part.indexOf('=')
  return at === -1
    ? [part.trim().toLowerCase(), '']
    : [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()]
}

/** Whether a cookie has expired. Ignores dates that cannot be read, as browsers do. */
function hasExpired(attributes: ReadonlyMap<string, string>, now: Date): boolean {
  const age = attributes.get('max-age') ?? ''
  if (/^-?\d+$/.test(age)) return Number(age) <= 0
  return Date.parse(attributes.get('expires') ?? '') <= now.getTime()
}

function folderOf({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')))
}

function isSame(a: Cookie, b: Cookie): boolean {
  return a.name === b.name && a.host === b.host && a.path === b.path
}

function belongsTo({ host, isWide, path, isSecure }: Cookie, url: URL): boolean {
  if (isSecure && url.protocol !== 'https:') return false
  if (url.hostname !== host && !(isWide && isWithin(url.hostname, host))) return false
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** Whether a name is below a domain. An address is below none. */
function isWithin(host: string, domain: string): boolean {
  return host.endsWith(`.${domain}`) && isIP(host) === 0
}
