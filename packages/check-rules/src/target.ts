// What a check points at: the kinds of url there are, and which hosts are internal.
import ipaddr from 'ipaddr.js'

/** Schemes that targets can have. */
export const SCHEMES = ['http', 'https', 'tcp', 'tls'] as const
export type Scheme = (typeof SCHEMES)[number]

export interface Target {
  scheme: Scheme
  /** A name or an address: in lower case, without brackets and without a dot at its end. */
  host: string
  port: number
  /** As a web address. For tcp and tls it stands for the host and the port only. */
  url: URL
}

const INTERNAL_SUFFIXES = ['.local', '.internal', '.lan', '.home.arpa', '.localhost']
const HAS_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+):(\d{1,5})$/

/** Reads a url into what a probe dials, or says what is wrong with it. */
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
  // The URL parser knows the many spellings of an IPv4 address only under a scheme of the web.
  const asWeb = `http://${authority}`
  if (port < 1 || port > 65_535 || !URL.canParse(asWeb)) return { fault: `must have the form ${scheme}://host:port` }
  return { scheme, ...endOf(new URL(asWeb)), port }
}

/** Where a web address leads to. */
export function endOf(url: URL): Pick<Target, 'host' | 'port' | 'url'> {
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(?<!\.)\.+$/, '')
  return { host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), url }
}

/** Given out as a public one, and yet within Azure it is the host beneath the machine, which hands out its secrets. */
const AZURE_HOST = '168.63.129.16'

/** Whether a host is a non-public address or a name that only an inner network knows. */
export function isInternalHost(host: string): boolean {
  if (ipaddr.isValid(host)) {
    const address = ipaddr.process(host)
    if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return true
    return address instanceof ipaddr.IPv6 && !isGivenOut(address)
  }
  return !host.includes('.') || INTERNAL_SUFFIXES.some((suffix) => `.${host}`.endsWith(suffix))
}

/** Of IPv6, the public addresses are all in 2000::/3; `::127.0.0.1`, for one, is not. */
function isGivenOut(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
