// Rules for the columns of monitors that are not web sites: ports, pings, DNS queries and time servers.

import { addAssertions } from '../assertions.ts'
import {
  anyValue,
  carried,
  differently,
  entryOf,
  type Fields,
  idle,
  impossible,
  isFields,
  listOf,
  lostUnless,
  number,
  numberOf,
  text,
  textOf,
} from '../audit.ts'
import { serverUrl } from '../dialogues.ts'
import { setMatch } from '../patterns.ts'
import { jsonIn } from '../reading.ts'
import { socketUrl } from '../requests.ts'
import { dnsUrl, ntpUrl, pingUrl, recordPattern, recordText, sipUrl } from '../targets.ts'
import { brokerUrl } from './apps.ts'
import { type MonitorDraft, type MonitorRule, onlyFor } from './draft.ts'

const COUNT_MAX = 10

/** Returns the number of echo requests. Version 1 sends one. */
function countOf({ ping_count }: Fields): number {
  return Math.min(COUNT_MAX, Math.max(1, Math.round(numberOf(ping_count) ?? 1)))
}

function resolversOf({ dns_resolve_server: listed }: Fields): string[] {
  return textOf(listed)
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

/** Returns the target of a monitor, which depends on several columns. */
function targetOf({ type, asking }: MonitorDraft, source: Fields): string {
  const [host, port] = [textOf(source.hostname), textOf(source.port)]
  switch (type) {
    case 'ping':
      return pingUrl(host, countOf(source))
    case 'tailscale-ping':
      return pingUrl(host, 1)
    case 'sip-options':
      return sipUrl(host, port || '5060')
    case 'dns': {
      const [resolver = ''] = resolversOf(source)
      return dnsUrl({ resolver, port, name: host, type: textOf(source.dns_resolve_type) })
    }
    case 'ntp':
      return ntpUrl(host, port)
    case 'mqtt':
      return brokerUrl(source, asking)
    case 'smtp':
      return serverUrl(
        source.smtp_security === 'secure' ? 'smtps' : 'smtp',
        host,
        port,
        source.smtp_security === 'starttls',
      )
    default:
      // With STARTTLS, Kuma speaks SMTP.
      if (source.smtp_security === 'starttls') return serverUrl('smtp', host, port, true)
      return socketUrl(source.smtp_security === 'secure' ? 'tls' : 'tcp', host, port)
  }
}

const target: MonitorRule = text((_value, { draft, source }) => {
  draft.check.url = targetOf(draft, source)
  if (draft.type === 'tailscale-ping')
    return differently('pings by ICMP; run it on a monitor in the same Tailscale network')
  return draft.type === 'sip-options'
    ? differently('sends the same OPTIONS request each time; only your own monitors run the check')
    : carried
})

const resolver: MonitorRule = text((_value, { source }) => {
  const [first = '', ...others] = resolversOf(source)
  if (others.length === 0) return carried
  return differently(`only the resolver ${first.slice(0, 80)}; create checks for the others`)
})

const count: MonitorRule = number((given, { source }) => {
  return given === countOf(source) ? carried : differently(`count ${countOf(source)}; a check sends 1 to ${COUNT_MAX}`)
})

/** Patterns for `match_string`, for the operators of conditions that a pattern can express. */
const OPERATORS: Readonly<Record<string, (value: string) => string>> = {
  equals: (value) => value,
  contains: (value) => `.*${value}.*`,
  starts_with: (value) => `${value}.*`,
  ends_with: (value) => `.*${value}`,
}

/** Rule for the conditions on the records of a DNS answer, a list in a JSON column. */
const conditions: MonitorRule = anyValue((value, { draft, source }) => {
  const listed = jsonIn(value)
  if (!Array.isArray(listed)) return impossible('must be a list')
  const [first, ...others] = listOf(listed)
  if (first === undefined) return idle
  if (!isFields(first) || first.type === 'group' || others.length > 0)
    return impossible('a check has one rule about the answer; create a check for each condition')
  const [type, wanted] = [textOf(source.dns_resolve_type), textOf(first.value)]
  const write = entryOf(OPERATORS, textOf(first.operator))
  const pattern = write && wanted !== '' ? recordPattern(type, write(recordText(type, wanted))) : undefined
  if (pattern === undefined)
    return impossible('a check can only require that a record equals, contains, begins or ends with a text')
  return setMatch(draft.check, pattern, 'regex')
})

const security: MonitorRule = text((value, { draft }) => {
  if (value === 'starttls' && draft.type === 'port') return differently('the check speaks SMTP, as in Uptime Kuma')
  return ['secure', 'starttls', 'none', 'nostarttls'].includes(value) ? carried : impossible('is not a known choice')
})

/** Rule for the stratum at which Kuma reports a failure. */
const stratum: MonitorRule = number((limit, { draft }) =>
  addAssertions(draft.check, [{ on: 'stratum', is: 'lt', value: limit }]),
)

/** Rule for the offset, ahead or behind, at which Kuma reports a failure. */
const offset: MonitorRule = number((limit, { draft }) =>
  addAssertions(draft.check, [
    { on: 'offset_ms', is: 'lt', value: limit },
    { on: 'offset_ms', is: 'gt', value: -limit },
  ]),
)

export const NETWORK = {
  hostname: onlyFor(['port', 'ping', 'dns', 'ntp', 'smtp', 'mqtt', 'tailscale-ping', 'sip-options'], target),
  port: onlyFor(['port', 'dns', 'ntp', 'smtp', 'mqtt', 'sip-options'], target),
  smtp_security: onlyFor(['port', 'smtp'], security),
  dns_resolve_type: onlyFor(['dns'], text(carried)),
  dns_resolve_server: onlyFor(['dns'], resolver),
  conditions: onlyFor(['dns'], conditions),
  packet_size: onlyFor(['ping'], lostUnless(number, [56], 'the size of echo requests is fixed')),
  ping_count: onlyFor(['ping'], count),
  ping_per_request_timeout: onlyFor(
    ['ping'],
    lostUnless(number, [2], 'the timeout of a check applies to all its echo requests together'),
  ),
  ntp_stratum_threshold: onlyFor(['ntp'], stratum),
  ntp_time_offset_threshold: onlyFor(['ntp'], offset),
  ntp_root_dispersion_threshold: onlyFor(['ntp'], number(impossible('checks do not read the root dispersion'))),
} satisfies Readonly<Record<string, MonitorRule>>
