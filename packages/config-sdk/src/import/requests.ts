// Sets the request of a check: its headers, its body and its credentials, and keeps every secret out of the file.

import { isIPv6 } from 'node:net'
import { HARMLESS_HEADERS } from '@dogwatch/check-rules/fields'
import type { Scheme } from '@dogwatch/check-rules/schemes'
import type { FileCheck } from '../file/format.ts'
import { carried, differently, idle, impossible, type Said, textOf } from './audit.ts'
import type { Moving } from './moving.ts'

export interface ItemContext {
  into: Moving
  key: string
  thing: string
}

/** Headers that contain no secret, in addition to those that the agent sends to other sites. */
const ALSO_HARMLESS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'referer',
  'x-requested-with',
  'accept-charset',
  'range',
  'sec-websocket-protocol',
])
const SOUNDS_SECRET = [
  'password',
  'passwd',
  'secret',
  'token',
  'api_key',
  'apikey',
  'api-key',
  'client_secret',
  'credential',
]

export function setHeader(check: FileCheck, asking: ItemContext, name: string, value: string): void {
  setHeaders(check, asking, { [name]: value })
}

/** Sets headers from an object with text values. */
export function setHeaders(check: FileCheck, asking: ItemContext, given: Readonly<Record<string, unknown>>): Said {
  const { into, key, thing } = asking
  const headers = new Map(Object.entries(check.headers ?? {}))
  const names = new Map([...headers.keys()].map((name) => [name.toLowerCase(), name]))
  const odd: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const [text, lower] = [textOf(value), name.toLowerCase()]
    if (text === '') {
      odd.push(name)
      continue
    }
    const isHarmless = HARMLESS_HEADERS.has(lower) || ALSO_HARMLESS.has(lower)
    const same = names.get(lower) ?? name
    names.set(lower, same)
    headers.set(same, isHarmless ? text : into.secret(text, `header ${name} of ${thing}`, key, name))
  }
  if (headers.size > 0) check.headers = Object.fromEntries(headers)
  return odd.length === 0 ? carried : differently(`without ${odd.join(', ')}, whose values are not text`)
}

/**
 * Returns the target of a service that is not a web site. Brackets an IPv6 address, whose colons would look like that of the
 * port.
 */
export function socketUrl(scheme: Scheme, host: string, port: string | number): string {
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

export function setBasicAuth(check: FileCheck, asking: ItemContext, user: string, password: string): void {
  setHeader(check, asking, 'Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
}

export function setBody(check: FileCheck, { into, key, thing }: ItemContext, body: string): void {
  const lower = body.toLowerCase()
  const isSecret = SOUNDS_SECRET.some((word) => lower.includes(word))
  check.post_data = isSecret ? into.secret(body, `request body of ${thing}`, key, 'body') : body
}

/** Sets the target. Replaces a password in its userinfo with a secret. */
export function setTarget(check: FileCheck, { into, key, thing }: ItemContext, url: string): void {
  check.url = withoutPassword(url, (password) =>
    into.secret(password, `password in the URL of ${thing}`, key, 'password'),
  )
}

function withoutPassword(url: string, hide: (password: string) => string): string {
  const start = url.indexOf('://') + 3
  const slash = url.indexOf('/', start)
  const end = slash === -1 ? url.length : slash
  const at = url.lastIndexOf('@', end)
  if (start < 3 || at < start || at > end) return url
  const colon = url.indexOf(':', start)
  if (colon === -1 || colon > at || colon + 1 === at) return url
  return `${url.slice(0, colon + 1)}${hide(url.slice(colon + 1, at))}${url.slice(at)}`
}

/** Sets the method and the body of a check, which sends GET without a body, and POST with one, unless it has a method. */
export function setMethod(check: FileCheck, asking: ItemContext, given: string, body: string): Said {
  const method = given.toUpperCase() || 'GET'
  if (body !== '') setBody(check, asking, body)
  if (method === (body === '' ? 'GET' : 'POST')) return body === '' ? idle : carried
  check.method = method
  return carried
}

export interface Proxy {
  protocol: string
  host: string
  port: string
  user?: string
  password?: string
}

const PROXY_SCHEMES = new Map([
  ['http', 'http'],
  ['socks', 'socks5'],
  ['socks5', 'socks5'],
  ['socks5h', 'socks5'],
])

/** Sets the proxy of a check. Replaces its password with a secret. */
export function setProxy(check: FileCheck, { into, key, thing }: ItemContext, proxy: Proxy): Said {
  const { protocol, host, port, user = '', password = '' } = proxy
  const scheme = PROXY_SCHEMES.get(protocol.toLowerCase())
  if (scheme === undefined)
    return impossible(`proxies of the kind ${protocol.slice(0, 20) || 'none'} are not supported`)
  if (host === '' || port === '') return impossible('the proxy needs a host and a port')
  const hide = (text: string) =>
    into.secret(encodeURIComponent(text), `password of the proxy of ${thing}`, key, 'proxy')
  const login = user === '' ? '' : `${encodeURIComponent(user)}${password === '' ? '' : `:${hide(password)}`}@`
  check.proxy = `${scheme}://${login}${isIPv6(host) ? `[${host}]` : host}:${port}`
  return differently('only your own monitors run a check with a proxy')
}

/** Sets the proxy of a check from its URL. */
export function setProxyUrl(check: FileCheck, asking: ItemContext, text: string): Said {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return impossible('the URL of the proxy is not valid')
  return setProxy(check, asking, {
    protocol: url.protocol.replace(':', ''),
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port || (url.protocol === 'http:' ? '80' : '1080'),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  })
}

/** Sets the address family of a check from a word such as `ip4`, `ipv6Only` or `tcp6`. */
export function setFamily(check: FileCheck, word: string): Said {
  const [, family] = /^(?:ip|tcp|udp)?v?([46])(?:only)?$/i.exec(word) ?? []
  if (family === undefined) return impossible('is not a known address family')
  check.ip_family = family
  return carried
}
