// Reads the host and the port of an address.

export interface Fault {
  /** Fault as text that follows the name of the field. */
  fault: string
}

/** Parts that all addresses have. An address has a host and a port only if its scheme has them. */
export interface ShownAddress {
  /** Address without credentials and query, because both can be secrets. */
  shown: string
  /**
   * Whether only the organisation's own monitors may run the check, because the check sends what a member wrote. Default: true if
   * the target has no host, otherwise false.
   */
  needs_own_monitor?: boolean
}

export interface HostAndPort extends ShownAddress {
  /** Name or address of the host, in lower case, without brackets and without a final dot. */
  host: string
  port: number
}

export interface WebAddress extends HostAndPort {
  url: URL
}

/** Reads a URL. Its scheme must be one whose hosts the URL standard reads: http, https, ws or wss. */
export function readWebAddress(rest: string, scheme: string, port = 0): WebAddress | Fault {
  const text = `${scheme}://${rest}`
  if (!URL.canParse(text) || /\s/.test(text)) return { fault: 'is not a valid URL' }
  const url = new URL(text)
  const address = endOf(url, port)
  if (address.port === 0) return { fault: 'must have a port from 1 to 65535' }
  return { ...address, url, shown: `${url.host}${url.pathname === '/' ? '' : url.pathname}` }
}

const HOST_AND_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+)(?::(\d{1,5}))?$/

export function readHostAndPort(rest: string, scheme: string, defaultPort = 0): HostAndPort | Fault {
  const match = HOST_AND_PORT.exec(rest)
  const port = match ? Number(match[1] ?? defaultPort) : 0
  // The URL parser knows the many spellings of an IPv4 address only with a web scheme.
  const asWeb = `http://${rest}`
  if (port < 1 || port > 65_535 || !URL.canParse(asWeb)) return { fault: `must have the form ${scheme}://host:port` }
  const url = new URL(asWeb)
  return { ...endOf(url, port), port, shown: `${url.hostname}:${port}` }
}

/** Returns the host and port of a web address. `port` is used if the address names no port. */
export function endOf(url: URL, port: number): Pick<HostAndPort, 'host' | 'port'> {
  const host = withoutDots(url.hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  return { host, port: Number(url.port || port) }
}

/** Removes the final dots of a name. */
export function withoutDots(name: string): string {
  return name.replace(/(?<!\.)\.+$/, '')
}

/** Splits a target at its first question mark. */
export function parted(rest: string): { authority: string; query: string } {
  const at = rest.indexOf('?')
  return at < 0 ? { authority: rest, query: '' } : { authority: rest.slice(0, at), query: rest.slice(at + 1) }
}

/** Returns the ASCII form of an international name, or an empty text if the name is not valid. */
export function toAscii(name: string): string {
  return /\s/.test(name) || !URL.canParse(`http://${name}`) ? '' : new URL(`http://${name}`).hostname
}

/** Decodes a text in percent-encoding. Returns undefined if it is not valid. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
