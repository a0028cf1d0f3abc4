// Writes the targets of checks that are not of web sites or plain ports, and the patterns that find records in a DNS answer.
import { isIPv4, isIPv6 } from 'node:net'
import { readTarget } from '@dogwatch/check-rules/target'
import type { FileCheck } from '../file/format.ts'
import { literally } from './patterns.ts'
import { type ItemContext, socketUrl } from './requests.ts'

/** Escapes the separators of a target, so that a text of the other tool cannot add an option. */
export function withoutSeparators(text: string): string {
  return text.replaceAll(/[/?#&;]/g, (separator) => encodeURIComponent(separator))
}

/** Writes a host of a target. Brackets an IPv6 address. */
function hostIn(text: string): string {
  const host = withoutSeparators(text.trim())
  return isIPv6(host) ? `[${host}]` : host
}

/** Returns the target of a ping. `count` is the number of echo requests. */
export function pingUrl(host: string, count?: number): string {
  return `icmp://${hostIn(host)}${count === undefined ? '' : `?count=${count}`}`
}

export function ntpUrl(host: string, port: string): string {
  return port === '' || port === '123' ? `ntp://${hostIn(host)}` : socketUrl('ntp', withoutSeparators(host), port)
}

/** Returns the target of a UDP port without options. */
export function udpUrl(host: string, port: string): string {
  return socketUrl('udp', withoutSeparators(host.trim()), withoutSeparators(port))
}

/** Adds the content of the datagram to a UDP target, as a secret like the body of a request. */
export function setDatagram(check: FileCheck, { into, key, thing }: ItemContext, content: string): void {
  check.url = `${check.url ?? ''}?send=${into.secret(bytesIn(content), `datagram of ${thing}`, key, 'send')}`
}

/** Returns a UDP target that sends an OPTIONS request of SIP (RFC 3261), and expects that the server accepts it. */
export function sipUrl(host: string, port: string): string {
  const name = isIPv6(host.trim()) ? `[${host.trim()}]` : host.trim()
  const lines = [
    `OPTIONS sip:${name} SIP/2.0`,
    'Via: SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bKdogwatch',
    'Max-Forwards: 70',
    `From: <sip:dogwatch@${name}>;tag=dogwatch`,
    `To: <sip:${name}>`,
    'Call-ID: dogwatch',
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '',
    '',
  ]
  return `${udpUrl(host, port)}?send=${bytesIn(lines.join('\r\n'))}&expect=${bytesIn('SIP/2.0 200 ')}`
}

/** Returns a text as the value of an option of a target, percent-encoded: every byte but letters, digits, `_`, `.` and `-`. */
export function bytesIn(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => [String.fromCodePoint(byte), `%${byte.toString(16).padStart(2, '0')}`] as const)
    .map(([character, escape]) => (/[\w.-]/.test(character) ? character : escape))
    .join('')
}

/** Makes a UDP check fail without a response, unless it already has a rule about the response. */
export function requireResponse(check: FileCheck): void {
  if (check.match_string !== undefined) return
  check.match_string = '(?s).'
  check.match_mode = 'regex'
}

/** Escapes a text within an option of a target, and keeps it readable. */
function optionText(text: string): string {
  // biome-ignore lint: control characters are what is looked for
  return text.replaceAll(/[%&#;?\0-\x1f\x7f]/g, (character) => encodeURIComponent(character))
}

/** Returns the target of the health of a gRPC service. */
export function grpcUrl(address: string, { service, isTls }: { service: string; isTls: boolean }): string {
  const path = service === '' ? '' : `/${encodeURIComponent(service)}`
  return `${isTls ? 'grpcs' : 'grpc'}://${withoutSeparators(address.trim())}${path}`
}

interface Broker {
  isTls: boolean
  host: string
  port: string
  /** User and password in percent-encoding. Empty if there is none. */
  user: string
  password: string
  topic: string
}

export function mqttUrl({ isTls, host, port, user, password, topic }: Broker): string {
  const login = user === '' && password === '' ? '' : `${user}${password === '' ? '' : `:${password}`}@`
  const place = port === '' ? hostIn(host) : `${hostIn(host)}:${withoutSeparators(port)}`
  return `${isTls ? 'mqtts' : 'mqtt'}://${login}${place}${topic === '' ? '' : `?topic=${optionText(topic)}`}`
}

/** Whether a check can run a query. It can if the query begins like one that only reads. */
export function isReadingQuery(query: string): boolean {
  return !('fault' in readTarget(`mysql://u@h?query=${optionText(query.trim())}`))
}

interface Connection {
  url: URL
  /** Password in percent-encoding. Empty if there is none. */
  password: string
  isTls: boolean
  query: string
}

/** Returns the target of a database. Leaves out a query that a check cannot run. */
export function databaseUrl(scheme: 'postgres' | 'mysql', { url, password, isTls, query }: Connection): string {
  const login = `${url.username}${password === '' ? '' : `:${password}`}@`
  const options = [
    ...(isTls ? ['tls=yes'] : []),
    ...(query.trim() !== '' && isReadingQuery(query) ? [`query=${optionText(query.trim())}`] : []),
  ]
  const path = url.pathname === '/' ? '' : url.pathname
  return `${scheme}://${login}${url.host}${path}${options.length === 0 ? '' : `?${options.join('&')}`}`
}

export interface DnsQuery {
  /** Address of the resolver. Empty for the resolvers of the monitor's own machine. */
  resolver: string
  port?: string
  name: string
  /** Type of the records. Empty for A. */
  type?: string
  transport?: string
}

export function dnsUrl({ resolver, port = '', name, type = '', transport = '' }: DnsQuery): string {
  const isUsual = port === '' || (port === '53' && transport !== 'tls')
  const authority = isUsual ? hostIn(resolver) : `${hostIn(resolver)}:${withoutSeparators(port)}`
  const options = Object.entries({ type, transport }).filter(([, value]) => value !== '')
  const query = options.map(([option, value]) => `${option}=${withoutSeparators(value)}`).join('&')
  const asked = type.toUpperCase() === 'PTR' ? pointerName(name) : name
  return `dns://${authority}/${withoutSeparators(asked.trim())}${query === '' ? '' : `?${query}`}`
}

/** Splits the address of a resolver into host and port. The port is empty if the address has none. */
export function readResolver(address: string): { resolver: string; port: string } {
  const [, resolver = address, port = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(address.trim()) ?? []
  return { resolver, port }
}

/** Returns the name whose PTR record belongs to an IP address. Returns any other text unchanged. */
function pointerName(name: string): string {
  if (isIPv4(name)) return `${name.split('.').toReversed().join('.')}.in-addr.arpa`
  if (!isIPv6(name) || name.includes('%')) return name
  const [before = [], after = []] = canonical(name)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const digits = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')
  return `${digits.split('').toReversed().join('.')}.ip6.arpa`
}

/** Returns an IPv6 address in its shortest form (RFC 5952), as DNS answers have it. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** Patterns, by type, for the parts of a record before and after the value that other tools show. */
const AROUND = new Map<string, readonly [before: string, after: string]>([
  ['A', ['', '']],
  ['AAAA', ['', '']],
  ['CNAME', ['', '\\.']],
  ['NS', ['', '\\.']],
  ['PTR', ['', '\\.']],
  ['MX', ['\\d+ ', '\\.']],
  ['SRV', ['\\d+ \\d+ \\d+ ', '\\.']],
  ['SOA', ['', '\\. .*']],
  ['CAA', ['\\d+ issue "', '"']],
  ['TXT', ['(?:.* )?"', '"(?: .*)?']],
])

/**
 * Returns a pattern that finds a record in a DNS answer if the record's value matches the pattern `value`. Returns undefined for
 * types that have no such pattern.
 */
export function recordPattern(type: string, value: string): string | undefined {
  const around = AROUND.get(type.toUpperCase())
  return around && `(?m) IN ${type.toUpperCase()} ${around[0]}${value}${around[1]}$`
}

/** Returns a pattern for a text in the value of a record, as DNS answers write it. */
export function recordText(type: string, text: string): string {
  const trimmed = text.trim()
  const kind = type.toUpperCase()
  if (kind === 'AAAA' && isIPv6(trimmed) && !trimmed.includes('%')) return literally(canonical(trimmed))
  if (kind === 'TXT' || kind === 'CAA') return literally(text.replaceAll(/["\\]/g, (character) => `\\${character}`))
  return literally(trimmed.replace(/\.$/, ''))
}
