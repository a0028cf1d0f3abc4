// What a check points at: the kinds of url there are, and whether one is an internal address.
import ipaddr from 'ipaddr.js'

export type CheckKind = 'http' | 'https' | 'tcp' | 'tls'

export type Target = { kind: CheckKind; host: string } | { fault: string }

const INTERNAL_SUFFIXES = ['.local', '.internal', '.lan', '.home.arpa', '.localhost']
const HAS_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+):(\d{1,5})$/

/** Reads a url: its kind and its host in lower case, without brackets, or what is wrong with it. */
export function readTarget(url: string): Target {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+):\/\/(.*)$/s.exec(url) ?? []
  const kind = scheme.toLowerCase()
  if (kind === 'http' || kind === 'https') return readWebTarget(kind, url)
  if (kind === 'tcp' || kind === 'tls') return readSocketTarget(kind, rest)
  return { fault: 'must begin with http://, https://, tcp:// or tls://' }
}

function readWebTarget(kind: 'http' | 'https', url: string): Target {
  if (!URL.canParse(url) || /\s/.test(url)) return { fault: 'must be a valid url' }
  return { kind, host: bareHost(new URL(url).hostname) }
}

function readSocketTarget(kind: 'tcp' | 'tls', authority: string): Target {
  const port = Number(HAS_PORT.exec(authority)?.[1] ?? 0)
  if (port < 1 || port > 65535) return { fault: `must be ${kind}://host:port` }
  // The URL parser knows the many spellings of an IPv4 address only under a scheme of the web.
  const asWeb = `http://${authority}`
  if (!URL.canParse(asWeb)) return { fault: `must be ${kind}://host:port` }
  return { kind, host: bareHost(new URL(asWeb).hostname) }
}

function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(?<!\.)\.+$/, '')
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
