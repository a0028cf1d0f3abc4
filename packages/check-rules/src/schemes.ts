// Lists the schemes of targets, one row each, and reads their addresses. All other code asks these rows what a scheme means.
import { type Fault, parted, readHostAndPort, readWebAddress, type ShownAddress } from './address.ts'
import { APP_SCHEMES } from './apps.ts'
import { COMPOSITE_OPTIONS, readComposite } from './composite.ts'
import { ICMP_OPTIONS, readIcmp, readUdp, UDP_OPTIONS } from './datagrams.ts'
import { DIALOGUE_SCHEMES, readTcp, STEP_OPTIONS } from './dialogues.ts'
import { DNS_OPTIONS, readDns } from './dns.ts'
import { DOMAIN_OPTIONS, readDomain } from './domain.ts'
import { CERTIFICATE, MATCH } from './field-groups.ts'
import type { OptionRows } from './options.ts'
import { readTls, TLS_OPTIONS } from './tls.ts'

/** Groups of the types of checks, in the order of the form. */
export const KIND_GROUPS = ['Web', 'Network', 'Mail', 'Databases and messages', 'Domains and combinations'] as const
export type KindGroup = (typeof KIND_GROUPS)[number]

/** Meaning of a scheme for the agent, the server, the console and the importers. */
export interface SchemeRow {
  /** Reads the text after the start of the target, such as `https://`. Returns its parts, or the fault as text that follows the name of the field. */
  read: (rest: string, scheme: string, port: number | undefined) => ShownAddress | Fault
  /** Default port of targets. Absent if targets must name a port, or have none. */
  port?: number
  /** Whether a run can make a TLS handshake, whose certificate is then judged. */
  isTls: boolean
  /** Content that the agent searches for the text of a check. */
  content: Content
  /** Options in the query of the scheme's targets. Absent if there are none. */
  options?: OptionRows
  /** Names of the fields that apply to the scheme. A field that no row names applies to all schemes. */
  fields: readonly string[]
  /** Names of fields that restrict a check to own monitors, because the check then sends what a member wrote. */
  own_monitors_with?: readonly string[]
  /**
   * Ability that a monitor needs for the scheme. Agents that do not list their abilities have only `FIRST_ABILITIES`. Absent if the
   * server judges the checks.
   */
  ability?: string
  /**
   * Whether the server judges the checks. Monitors then never receive them, they have no results, and their targets have no `//`
   * after the scheme. Absent if monitors run them.
   */
  judged_by?: 'server'
  /** Ability that a target with options needs in addition, because earlier agents refuse it. */
  options_ability?: string
  /** Label of the type of check. */
  label: string
  /** Group of the type in the form. */
  group: KindGroup
  /** Text that makes a target of a name alone, such as `dns:///`. Absent if the usual start of the scheme's targets does. */
  name_start?: string
  /**
   * Scheme that the form offers in place of this one, such as `https` for `http`. Absent if the form offers this scheme itself.
   */
  offered_as?: string
  /** Hint of the form about targets of this type of check. Absent if `offered_as` is set. */
  hint?: string
  /** A valid target. The form shows it in an empty field. */
  example: string
}

export interface Content {
  /** Word for the content in the results of agents. */
  called: string
  /** Whether the content is text from the target. Results then quote it. */
  isQuoted: boolean
}

const REQUEST = [
  ...(['method', 'disable_redirects', 'headers', 'post_data', 'max_redirects', 'proxy'] as const),
  ...(['status_code_op', 'status_code_value', 'status_codes'] as const),
] as const

const BODY = { called: 'body', isQuoted: true } as const

/** All schemes, in the order that lists show. */
export const SCHEMES = {
  http: {
    read: readWebAddress,
    port: 80,
    isTls: false,
    content: BODY,
    // Includes the fields of certificates, because a redirect can lead to https.
    fields: [...MATCH, ...REQUEST, ...CERTIFICATE],
    ability: 'http',
    label: 'Website',
    group: 'Web',
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
    group: 'Web',
    hint: 'An http:// or https:// URL to check a website',
    example: 'https://example.com/',
  },
  tcp: {
    read: readTcp,
    isTls: false,
    content: { called: 'banner', isQuoted: true },
    options: STEP_OPTIONS,
    // Includes the fields of certificates, because a dialogue can begin TLS.
    fields: [...MATCH, ...CERTIFICATE],
    ability: 'tcp',
    options_ability: 'dialogue',
    label: 'TCP port',
    group: 'Network',
    hint: 'tcp://host:port to check a port',
    example: 'tcp://example.com:443',
  },
  tls: {
    read: readTls,
    isTls: true,
    content: { called: 'certificate', isQuoted: false },
    options: TLS_OPTIONS,
    fields: [...MATCH, ...CERTIFICATE],
    ability: 'tls',
    options_ability: 'tls_addresses',
    label: 'TLS certificate',
    group: 'Web',
    hint: 'tls://host:port to check a certificate',
    example: 'tls://example.com:443',
  },
  dns: {
    read: readDns,
    port: 53,
    isTls: false,
    content: { called: 'answer', isQuoted: true },
    options: DNS_OPTIONS,
    fields: MATCH,
    ability: 'dns',
    label: 'DNS record',
    group: 'Network',
    name_start: 'dns:///',
    hint: 'dns://resolver:port/name to check a DNS record (the name alone asks the resolver of the monitor)',
    example: 'dns://1.1.1.1/example.com?type=A',
  },
  icmp: {
    read: readIcmp,
    isTls: false,
    content: { called: 'summary', isQuoted: true },
    options: ICMP_OPTIONS,
    fields: MATCH,
    ability: 'icmp',
    label: 'Ping',
    group: 'Network',
    hint: 'icmp://host to ping a host',
    example: 'icmp://example.com',
  },
  udp: {
    read: readUdp,
    isTls: false,
    content: { called: 'response', isQuoted: true },
    options: UDP_OPTIONS,
    fields: MATCH,
    ability: 'udp',
    label: 'UDP port',
    group: 'Network',
    hint: 'udp://host:port to check a UDP port',
    example: 'udp://example.com:5060',
  },
  ntp: {
    read: readHostAndPort,
    port: 123,
    isTls: false,
    content: { called: 'summary', isQuoted: true },
    fields: MATCH,
    ability: 'ntp',
    label: 'Time server',
    group: 'Network',
    hint: 'ntp://host to check a time server',
    example: 'ntp://time.example.com',
  },
  ...DIALOGUE_SCHEMES,
  ...APP_SCHEMES,
  composite: {
    read: readComposite,
    isTls: false,
    content: { called: 'state', isQuoted: false },
    options: COMPOSITE_OPTIONS,
    fields: [],
    judged_by: 'server',
    label: 'Composite',
    group: 'Domains and combinations',
    hint: 'composite:tag:web to combine the states of all checks with a tag, or of several members separated by commas',
    example: 'composite:tag:database?down_at=2',
  },
  domain: {
    read: readDomain,
    isTls: false,
    content: { called: 'state', isQuoted: false },
    options: DOMAIN_OPTIONS,
    fields: [],
    judged_by: 'server',
    label: 'Domain expiry',
    group: 'Domains and combinations',
    hint: 'domain:example.com to watch when the registration of a domain ends',
    example: 'domain:example.com?warn=30',
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

/** Schemes whose checks the server judges. */
export type ServerScheme = {
  [One in Scheme]: (typeof SCHEMES)[One] extends { judged_by: 'server' } ? One : never
}[Scheme]
/** Schemes whose checks monitors run. */
export type ProbedScheme = Exclude<Scheme, ServerScheme>

/** Whether the server judges the checks of a scheme, and not monitors by their runs. */
export function isJudgedByServer(scheme: Scheme): scheme is ServerScheme {
  return schemeRow(scheme).judged_by === 'server'
}

/** Returns the start of all targets of a scheme, such as `https://`. */
export function startOf(scheme: Scheme): string {
  return isJudgedByServer(scheme) ? `${scheme}:` : `${scheme}://`
}

/** Returns the target that a text means for a type of check. A text that has a scheme keeps it. */
export function targetFor(kind: Scheme, text: string): string {
  if (text === '' || text.includes('://') || schemeOf(text) !== undefined) return text
  const isName = !parted(text).authority.includes('/')
  return `${(isName ? schemeRow(kind).name_start : undefined) ?? startOf(kind)}${text}`
}

/** Returns the scheme of a target, or undefined if there is no such scheme. The rest of the target can be invalid. */
export function schemeOf(target: string): Scheme | undefined {
  const word = target.slice(0, Math.max(0, target.indexOf(':'))).toLowerCase()
  const scheme = SCHEME_NAMES.find((name) => name === word)
  return scheme !== undefined && target.slice(word.length).startsWith(startOf(scheme).slice(word.length))
    ? scheme
    : undefined
}

/** Whether the server judges the checks of a target. The rest of the target can be invalid. */
export function isTargetOfServer(target: string): boolean {
  const scheme = schemeOf(target)
  return scheme !== undefined && isJudgedByServer(scheme)
}
