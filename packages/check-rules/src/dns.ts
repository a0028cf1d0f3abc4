// Reads the target of a DNS query: the resolver, the name and the options (RFC 4501).
import { type Fault, readHostAndPort, type ShownAddress, toAscii, withoutDots } from './address.ts'
import { type OptionsOf, readOptions } from './options.ts'

/** Types of records that a check can query, with their numbers. */
export const RECORD_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  DS: 43,
  SSHFP: 44,
  DNSKEY: 48,
  TLSA: 52,
  SMIMEA: 53,
  CDS: 59,
  CDNSKEY: 60,
  SVCB: 64,
  HTTPS: 65,
  URI: 256,
  CAA: 257,
} as const

export type RecordType = keyof typeof RECORD_TYPES

const [FIRST = 'A', ...OTHERS] = Object.keys(RECORD_TYPES) as RecordType[]
/** Port of DNS over TLS (RFC 7858). */
const TLS_PORT = 853

export const DNS_OPTIONS = {
  /** Type of the records. */
  type: { kind: 'word', words: [FIRST, ...OTHERS], label: 'Record type' },
  transport: {
    kind: 'word',
    words: ['udp', 'tcp', 'tls'],
    said: { udp: 'UDP', tcp: 'TCP', tls: 'DNS over TLS' },
    label: 'Transport',
    hint: 'DNS over TLS uses port 853, unless the target has another port.',
  },
  /** Whether to query each name server of the zone, and to compare the serial numbers of the zone. */
  authoritative: {
    kind: 'yes-no',
    label: 'Query all name servers of the zone',
    hint: 'The check fails if a name server does not answer, or if the serial numbers of the zone differ.',
  },
  /** Whether to ask the resolver if it has verified the answer by DNSSEC. */
  ad: {
    kind: 'yes-no',
    label: 'Request DNSSEC verification',
    hint: 'The resolver then says whether it verified the answer. Add the assertion “DNSSEC verified” to require this.',
  },
} as const

export interface DnsAddress extends ShownAddress, OptionsOf<typeof DNS_OPTIONS> {
  /** Name or address of the resolver. Absent if the resolvers of the monitor's own machine are queried. */
  host?: string
  port: number
  /** Name to query, in lower case and without a final dot. Empty for the root. */
  name: string
}

const NAME_MAX = 253
const LABEL = /^[a-z0-9_*](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const FORM = { fault: 'must have the form dns://resolver/name or dns:///name' }

export function readDns(rest: string, scheme: string, defaultPort = 0): DnsAddress | Fault {
  const [, authority = '', path = '', query = ''] = /^([^/?#]*)\/([^?#]*)(?:\?([^#]*))?$/.exec(rest) ?? []
  const name = readName(path)
  if (name === undefined) return FORM
  // RFC 4501 separates options with a semicolon.
  const options = readOptions(DNS_OPTIONS, query.replaceAll(';', '&'))
  if ('fault' in options) return options
  const port = options.transport === 'tls' ? TLS_PORT : defaultPort
  if (authority === '' && options.transport === 'tls') return { fault: 'must name a resolver for the option transport' }
  if (authority === '') return { ...options, name, port, shown: name || '.' }
  const resolver = readHostAndPort(authority, scheme, port)
  if ('fault' in resolver) return FORM
  return { ...options, name, host: resolver.host, port: resolver.port, shown: `${authority}/${name || '.'}` }
}

/** Returns the name to query as an agent sends it, or undefined if it is not valid. */
function readName(path: string): string | undefined {
  if (path === '.') return ''
  const name = withoutDots(isAscii(path) ? path.toLowerCase() : toAscii(path))
  return name.length <= NAME_MAX && name.split('.').every((label) => LABEL.test(label)) ? name : undefined
}

function isAscii(text: string): boolean {
  return !/[^!-~]/.test(text)
}
