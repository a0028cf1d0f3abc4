// Reads the target of a check, and decides which hosts are internal.
import ipaddr from 'ipaddr.js'

/** Schemes that targets can have. */
export const SCHEMES = ['http', 'https', 'tcp', 'tls'] as const
export type Scheme = (typeof SCHEMES)[number]

export interface Target {
  scheme: Scheme
  /** Name or address of the host, in lower case, without brackets and without a final dot. */
  host: string
  port: number
  /** The target as a web address. For tcp and tls, only its host and port are meaningful. */
  url: URL
}

const INTERNAL_SUFFIXES = ['.local', '.internal', '.lan', '.home.arpa', '.localhost']
const HAS_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+):(\d{1,5})$/

/** Reads a url into what a probe dials, or returns its fault. */
export function readTarget(url: string): Target | { fault: string } {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+):\/\/(.*)$/s.exec(url) ?? []
  const known = scheme.toLowerCase()
  if (known === 'http' || known === 'https') return readWebTarget(known, url)
  if (known === 'tcp' || known === 'tls') return readSocketTarget(known, rest)
  return { fault: 'must start with http://, https://, tcp:// or tls://' }
}

function readWebTarget(scheme: 'http' | 'https', text: string): Target | { fault: string } {
  if (!URL.canParse(text) || /\s/.test(text)) return { fault: 'is not a valid URL' }
  const target = { scheme, ...endOf(new URL(text)) }
  return target.port === 0 ? { fault: 'must have a port from 1 to 65535' } : target
}

function readSocketTarget(scheme: 'tcp' | 'tls', authority: string): Target | { fault: string } {
  const port = Number(HAS_PORT.exec(authority)?.[1] ?? 0)
  // The URL parser knows the many spellings of an IPv4 address only with a web scheme.
  const asWeb = `http://${authority}`
  if (port < 1 || port > 65_535 || !URL.canParse(asWeb)) return { fault: `must have the form ${scheme}://host:port` }
  return { scheme, ...endOf(new URL(asWeb)), port }
}

/** Returns the host and port of a web address. */
export function endOf(url: URL): Pick<Target, 'host' | 'port' | 'url'> {
  const host = withoutDots(url.hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  return { host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), url }
}

/** Address that is assigned as public, although within Azure it is the machine's host, which reveals secrets. */
const AZURE_HOST = '168.63.129.16'

/** Returns whether `text` is clearly an address of the public Internet. A name is not an address. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  // An IPv4 address embedded in IPv6 counts as the IPv4 address.
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return false
  // The public addresses of IPv6 are all in 2000::/3. For example, `::127.0.0.1` is not.
  return address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

/** Returns whether a host is a non-public address or an internal name, however it is written. */
export function isInternalHost(host: string): boolean {
  const bare = withoutDots(host.replace(/^\[|%.*$|\]$/gs, ''))
  return ipaddr.isValid(bare) ? !isPublicAddress(bare) : isInternalName(bare)
}

/** Returns whether only an inner network knows a name. Case and final dots do not matter. */
export function isInternalName(name: string): boolean {
  const bare = withoutDots(name.toLowerCase())
  return !bare.includes('.') || INTERNAL_SUFFIXES.some((suffix) => `.${bare}`.endsWith(suffix))
}

function withoutDots(name: string): string {
  return name.replace(/(?<!\.)\.+$/, '')
}
