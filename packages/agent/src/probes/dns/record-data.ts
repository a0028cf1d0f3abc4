// Writes the data of DNS records in the form of zone files.
import { RECORD_TYPES, type RecordType } from '@dogwatch/check-rules/dns'
import ipaddr from 'ipaddr.js'
import { quotedText, type WireReader } from './wire.ts'

type Part =
  | 'u8'
  | 'u16'
  | 'u32'
  | 'name'
  | 'text'
  | 'texts'
  | 'quoted-rest'
  | 'bare-text'
  | 'hex'
  | 'base64'
  | 'ip4'
  | 'ip6'

const DS: readonly Part[] = ['u16', 'u8', 'u8', 'hex']
const DNSKEY: readonly Part[] = ['u16', 'u8', 'u8', 'base64']
const TLSA: readonly Part[] = ['u8', 'u8', 'u8', 'hex']
const NAME: readonly Part[] = ['name']

/** Parts that the data of a record consists of, by the record's type. */
const LAYOUTS: ReadonlyMap<number, readonly Part[]> = new Map(
  Object.entries({
    A: ['ip4'],
    NS: NAME,
    CNAME: NAME,
    SOA: ['name', 'name', 'u32', 'u32', 'u32', 'u32', 'u32'],
    PTR: NAME,
    MX: ['u16', 'name'],
    TXT: ['texts'],
    AAAA: ['ip6'],
    SRV: ['u16', 'u16', 'u16', 'name'],
    NAPTR: ['u16', 'u16', 'text', 'text', 'text', 'name'],
    DNAME: NAME,
    DS,
    SSHFP: ['u8', 'u8', 'hex'],
    DNSKEY,
    TLSA,
    SMIMEA: TLSA,
    CDS: DS,
    CDNSKEY: DNSKEY,
    URI: ['u16', 'u16', 'quoted-rest'],
    CAA: ['u8', 'bare-text', 'quoted-rest'],
  } satisfies Partial<Record<RecordType, readonly Part[]>>).map(([type, parts]) => [
    RECORD_TYPES[type as RecordType],
    parts,
  ]),
)

const SERVICES: ReadonlySet<number> = new Set([RECORD_TYPES.SVCB, RECORD_TYPES.HTTPS])
const NAMES = new Map(Object.entries(RECORD_TYPES).map(([name, type]): [number, string] => [type, name]))

/** Returns the name of a type. A type without a known name has the form of RFC 3597. */
export function typeName(type: number): string {
  return NAMES.get(type) ?? `TYPE${type}`
}

/** Reads the data of a record. */
export function recordData(type: number, reader: WireReader): string {
  if (SERVICES.has(type)) return serviceData(reader)
  const layout = LAYOUTS.get(type)
  if (layout) return layout.map((part) => partText(part, reader)).join(' ')
  const bytes = reader.rest()
  return `\\# ${bytes.length}${bytes.length > 0 ? ` ${hex(bytes)}` : ''}`
}

function partText(part: Part, reader: WireReader): string {
  switch (part) {
    case 'u8':
      return String(reader.u8())
    case 'u16':
      return String(reader.u16())
    case 'u32':
      return String(reader.u32())
    case 'name':
      return reader.name()
    case 'text':
      return quotedText(reader.take(reader.u8()))
    case 'texts':
      return texts(reader)
    case 'quoted-rest':
      return quotedText(reader.rest())
    case 'bare-text':
      return quotedText(reader.take(reader.u8())).slice(1, -1)
    case 'hex':
      return hex(reader.rest())
    case 'base64':
      return reader.rest().toString('base64')
    case 'ip4':
      return ip(reader.take(4))
    case 'ip6':
      return ip(reader.take(16))
  }
}

function texts(reader: WireReader): string {
  const all: string[] = []
  while (!reader.isAtEnd) all.push(quotedText(reader.take(reader.u8())))
  return all.join(' ')
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase()
}

function ip(bytes: Buffer): string {
  return ipaddr.fromByteArray([...bytes]).toString()
}

const PARAMETERS = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint', 'dohpath']

/** Reads the data of a service binding (RFC 9460). */
function serviceData(reader: WireReader): string {
  const words = [String(reader.u16()), reader.name()]
  while (!reader.isAtEnd) {
    const key = reader.u16()
    const value = parameterText(key, reader.part(reader.u16()))
    words.push(value === '' ? parameterName(key) : `${parameterName(key)}=${value}`)
  }
  return words.join(' ')
}

function parameterName(key: number): string {
  return PARAMETERS[key] ?? `key${key}`
}

function parameterText(key: number, value: WireReader): string {
  const all: string[] = []
  switch (PARAMETERS[key]) {
    case 'mandatory':
      while (!value.isAtEnd) all.push(parameterName(value.u16()))
      return all.join(',')
    case 'alpn':
      while (!value.isAtEnd) all.push(quotedText(value.take(value.u8())).slice(1, -1))
      return `"${all.join(',')}"`
    case 'port':
      return String(value.u16())
    case 'ipv4hint':
      while (!value.isAtEnd) all.push(ip(value.take(4)))
      return all.join(',')
    case 'ipv6hint':
      while (!value.isAtEnd) all.push(ip(value.take(16)))
      return all.join(',')
    case 'ech':
      return `"${value.rest().toString('base64')}"`
    default:
      return value.isAtEnd ? '' : quotedText(value.rest())
  }
}
