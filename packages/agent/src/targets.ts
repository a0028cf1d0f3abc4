// What a check points at: reads its url into what a probe dials.

export type Scheme = 'http' | 'https' | 'tcp' | 'tls'

export interface Target {
  scheme: Scheme
  /** A name or an address: in lower case, without brackets and without a dot at its end. */
  host: string
  port: number
  /** As a web address; that of tcp and tls stands for host and port only. */
  url: URL
}

const HAS_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+):(\d{1,5})$/

export function readTarget(url: string): Target | { fault: string } {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+):\/\/(.*)$/s.exec(url) ?? []
  const known = scheme.toLowerCase()
  if (known === 'http' || known === 'https') return readWebTarget(known, url)
  if (known === 'tcp' || known === 'tls') return readSocketTarget(known, rest)
  return { fault: url === '' ? 'the url is empty' : 'the url must begin with http://, https://, tcp:// or tls://' }
}

function readWebTarget(scheme: 'http' | 'https', text: string): Target | { fault: string } {
  if (!URL.canParse(text) || /\s/.test(text)) return { fault: 'the url must be a valid url' }
  return { scheme, ...endOf(new URL(text)) }
}

function readSocketTarget(scheme: 'tcp' | 'tls', authority: string): Target | { fault: string } {
  const port = Number(HAS_PORT.exec(authority)?.[1] ?? 0)
  // The URL parser knows the many spellings of an IPv4 address only under a scheme of the web.
  const asWeb = `http://${authority}`
  if (port < 1 || port > 65_535 || !URL.canParse(asWeb)) return { fault: `the url must be ${scheme}://host:port` }
  return { scheme, ...endOf(new URL(asWeb)), port }
}

/** Where a web address leads to. */
export function endOf(url: URL): Pick<Target, 'host' | 'port' | 'url'> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/(?<!\.)\.+$/, '')
  return { host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), url }
}
