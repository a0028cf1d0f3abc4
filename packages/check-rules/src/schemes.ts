// Lists the schemes of targets, one row each, and reads their addresses. All other code asks these rows what a scheme means.

/** Meaning of a scheme for the agent, the server, the console and the importers. */
export interface SchemeRow {
  /** Reads the text after `://`. Returns its parts, or the fault as text that follows the name of the field. */
  read: (rest: string, scheme: string, port: number | undefined) => ShownAddress | Fault
  /** Port of targets that name none. Absent if they must name one, or have none. */
  port?: number
  /** Whether a run makes a TLS handshake, whose certificate is then judged. */
  isTls: boolean
  /** Content that the agent searches for the text of a check. */
  content: Content
  /** Names of the fields that apply to the scheme. A field that no row names applies to all schemes. */
  fields: readonly string[]
  /** Ability that a monitor needs for the scheme. Agents that do not list their abilities have only `FIRST_ABILITIES`. */
  ability: string
  /** Label of the type of check. */
  label: string
  /** Scheme whose choice in the form includes this one. Absent if the form offers this scheme. */
  offered_as?: string
  /** Part of the hint of the target. Absent if the hint of another scheme includes this one. */
  hint?: string
  /** A valid target. The form shows it in an empty field. */
  example: string
}

export interface Content {
  /** Word in the results of agents. */
  called: string
  /** Words in the form. */
  described: string
  /** Whether it is text from the target, which results quote. */
  isQuoted: boolean
}

export interface Fault {
  /** Text that follows the name of the field. */
  fault: string
}

/** Parts that all addresses have. An address has a host and a port only if its scheme has them. */
export interface ShownAddress {
  /** Address without credentials and query, because both can be secrets. */
  shown: string
}

export interface HostAndPort extends ShownAddress {
  /** Name or address of the host, in lower case, without brackets and without a final dot. */
  host: string
  port: number
}

export interface WebAddress extends HostAndPort {
  url: URL
}

const MATCH = ['match_string', 'match_mode'] as const
const REQUEST = ['disable_redirects', 'headers', 'post_data', 'status_code_op', 'status_code_value'] as const
const CERTIFICATE = ['insecure_skip_verify', 'cert_expiry_warn_days', 'cert_warn_days'] as const

const BODY = { called: 'body', described: 'response body', isQuoted: true } as const

/** All schemes, in the order of lists. */
export const SCHEMES = {
  http: {
    read: readWebAddress,
    port: 80,
    isTls: false,
    content: BODY,
    // A redirect can lead to https.
    fields: [...MATCH, ...REQUEST, ...CERTIFICATE],
    ability: 'http',
    label: 'Website',
    offered_as: 'https',
    example: 'http://example.com/',
  },
  https: {
    read: readWebAddress,
    port: 443,
    isTls: true,
    content: BODY,
    fields: [...MATCH, ...REQUEST, ...CERTIFICATE],
    ability: 'http',
    label: 'Website',
    hint: 'An http:// or https:// URL to check a website',
    example: 'https://example.com/',
  },
  tcp: {
    read: readHostAndPort,
    isTls: false,
    content: { called: 'banner', described: 'TCP banner', isQuoted: true },
    fields: MATCH,
    ability: 'tcp',
    label: 'TCP port',
    hint: 'tcp://host:port to check a port',
    example: 'tcp://example.com:443',
  },
  tls: {
    read: readHostAndPort,
    isTls: true,
    content: { called: 'certificate', described: 'certificate summary', isQuoted: false },
    fields: [...MATCH, ...CERTIFICATE],
    ability: 'tls',
    label: 'TLS certificate',
    hint: 'tls://host:port to check a certificate',
    example: 'tls://example.com:443',
  },
} as const satisfies Readonly<Record<string, SchemeRow>>

export type Scheme = keyof typeof SCHEMES

export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly Scheme[]

/** Returns the row of a scheme, with the type that all rows share. */
export function schemeRow(scheme: Scheme): SchemeRow {
  return SCHEMES[scheme]
}

/** The rows with their names. */
export const SCHEME_ROWS = SCHEME_NAMES.map((name) => ({ name, ...schemeRow(name) }))

/** Returns the scheme of a target, or undefined if there is no such scheme. The rest of the target can be invalid. */
export function schemeOf(target: string): Scheme | undefined {
  const word = target.slice(0, Math.max(0, target.indexOf('://'))).toLowerCase()
  return SCHEME_NAMES.find((scheme) => scheme === word)
}

/** Reads a URL. Its scheme must be one whose hosts the URL standard reads: http, https, ws or wss. */
function readWebAddress(rest: string, scheme: string, port = 0): WebAddress | Fault {
  const text = `${scheme}://${rest}`
  if (!URL.canParse(text) || /\s/.test(text)) return { fault: 'is not a valid URL' }
  const url = new URL(text)
  const address = endOf(url, port)
  if (address.port === 0) return { fault: 'must have a port from 1 to 65535' }
  return { ...address, url, shown: `${url.host}${url.pathname === '/' ? '' : url.pathname}` }
}

const HOST_AND_PORT = /^(?:\[[^\]]+\]|[^:/?#@[\]]+)(?::(\d{1,5}))?$/

function readHostAndPort(rest: string, scheme: string, defaultPort = 0): HostAndPort | Fault {
  const match = HOST_AND_PORT.exec(rest)
  const port = match ? Number(match[1] ?? defaultPort) : 0
  // The URL parser knows the many spellings of an IPv4 address only with a web scheme.
  const asWeb = `http://${rest}`
  if (port < 1 || port > 65_535 || !URL.canParse(asWeb)) return { fault: `must have the form ${scheme}://host:port` }
  const url = new URL(asWeb)
  return { ...endOf(url, port), port, shown: `${url.hostname}:${port}` }
}

/** Returns the host and port of a web address. `port` is the port if it names none. */
export function endOf(url: URL, port: number): Pick<HostAndPort, 'host' | 'port'> {
  const host = withoutDots(url.hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  return { host, port: Number(url.port || port) }
}

/** Removes the final dots of a name. */
export function withoutDots(name: string): string {
  return name.replace(/(?<!\.)\.+$/, '')
}
