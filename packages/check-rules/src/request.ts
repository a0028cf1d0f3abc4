// Reads the method and the proxy of a request.
import { decoded, endOf, type Fault } from './address.ts'

const METHOD = /^[A-Z][A-Z0-9_-]{0,19}$/

/**
 * Returns the fault of a request method, as text that follows the name of the field. An empty text means no method and has no
 * fault.
 */
export function faultOfMethod(method: string): string | undefined {
  if (method === '') return undefined
  if (method === 'CONNECT') return 'must not be CONNECT, which opens a tunnel'
  return METHOD.test(method) ? undefined : 'must be a method of at most 20 capital letters, such as PUT'
}

export interface ProxyAddress {
  scheme: 'http' | 'socks5'
  /** Name or address of the proxy, in lower case and without brackets. */
  host: string
  port: number
  /** User name, decoded. User name and password are empty if there is no login. */
  user: string
  password: string
}

const PROXY = /^(http|socks5):\/\/((?:[^\s/?#\\]*@)?[^\s/?#\\@]+:\d{1,5})\/?$/
const PROXY_FORM = { fault: 'must have the form http://host:port or socks5://host:port' }
/** Maximum length of the user and of the password of SOCKS5, in bytes. */
const LOGIN_MAX_BYTES = 255

/** Reads the address of a proxy, or returns its fault. */
export function readProxy(text: string): ProxyAddress | Fault {
  const [, scheme, authority = ''] = PROXY.exec(text) ?? []
  // The URL parser knows the many spellings of an IPv4 address only with a web scheme.
  const asWeb = `http://${authority}`
  if ((scheme !== 'http' && scheme !== 'socks5') || !URL.canParse(asWeb)) return PROXY_FORM
  const url = new URL(asWeb)
  const { host, port } = endOf(url, 80)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (port < 1 || host === '' || user === undefined || password === undefined) return PROXY_FORM
  if ([user, password].some((part) => new TextEncoder().encode(part).length > LOGIN_MAX_BYTES))
    return { fault: `must have a user and a password of at most ${LOGIN_MAX_BYTES} bytes each` }
  if (scheme === 'socks5' && user === '' && password !== '') return { fault: 'must have a user for its password' }
  return { scheme, host, port, user, password }
}

/** Returns the fault of a proxy, as text that follows the name of the field. An empty text means no proxy and has no fault. */
export function faultOfProxy(text: string): string | undefined {
  const proxy = text === '' ? undefined : readProxy(text)
  return proxy && 'fault' in proxy ? proxy.fault : undefined
}

/**
 * Returns the scheme, host and port of a proxy, without its login. Returns an empty text if there is no proxy, or if it is
 * invalid.
 */
export function proxyServerOf(text: string): string {
  const proxy = text === '' ? undefined : readProxy(text)
  return !proxy || 'fault' in proxy ? '' : `${proxy.scheme}://${proxy.host}:${proxy.port}`
}
