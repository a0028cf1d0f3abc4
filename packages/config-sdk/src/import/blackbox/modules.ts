// Converts modules of blackbox_exporter to the rules of a check.
import type { FileCheck } from '../../file/format.ts'
import { type Assertion, addAssertions } from '../assertions.ts'
import {
  type Audit,
  carried,
  differently,
  duration,
  entryOf,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  inside,
  internal,
  isFields,
  listOf,
  lostUnless,
  object,
  objects,
  onlyWhere,
  type Rule,
  type Rules,
  readFields,
  text,
  textOf,
  texts,
  unread,
  within,
} from '../audit.ts'
import { setSteps } from '../dialogues.ts'
import { literally, setMatch } from '../patterns.ts'
import {
  type ItemContext,
  setBasicAuth,
  setFamily,
  setHeader,
  setHeaders,
  setMethod,
  setProxyUrl,
} from '../requests.ts'
import { MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { acceptListed, acceptStatuses } from '../statuses.ts'
import { dnsUrl, grpcUrl, pingUrl, readResolver } from '../targets.ts'

export interface ProbeDraft {
  check: FileCheck
  asking: ItemContext
  /** Target as it is written in the scrape job. */
  target: string
}

type ProbeRule = Rule<ProbeDraft>

const FILES = 'secrets and certificates in files of the exporter are not imported; set the value as a variable'
const PROXY = 'checks use a proxy only if their definition names one'
const CEL = 'CEL expressions are not supported; write assertions on json'
const NO_RECORD = 'the check also fails if there is no record of the type'
const no = (why: string): ProbeRule => unread(impossible(why))

const isHttps = ({ target }: ProbeDraft) => target.toLowerCase().startsWith('https:')

/** Rule for patterns. The probe fails if one of them matches. */
const matches: ProbeRule = texts((patterns, { draft }) => {
  const pattern = patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((one) => `(?:${one})`).join('|')
  return setMatch(draft.check, pattern, 'not_regex')
})

/** Rule for patterns. The probe fails unless all of them match. */
const misses: ProbeRule = texts((patterns, { draft }) => {
  const outcomes = patterns.map((pattern) => setMatch(draft.check, pattern, 'regex'))
  return outcomes.find(({ list }) => list !== 'carried') ?? carried
})

/** Pattern that any value of a header matches. */
const ANYTHING = /^\^?\.\*\$?$/

/** Makes a rule for patterns of response headers. */
function headerRule(is: 'regex' | 'not_regex'): ProbeRule {
  return objects((given, { draft }) => {
    const rules: Assertion[] = []
    for (const { header, regexp, allow_missing } of given) {
      const [at, value] = [textOf(header), textOf(regexp)]
      if (at === '' || value === '') return impossible('needs a header and a pattern')
      if (flagOf(allow_missing) !== true) rules.push({ on: 'header', at, is, value })
      else if (is === 'not_regex' && ANYTHING.test(value)) rules.push({ on: 'header', at, is: 'absent' })
      else return impossible(`a rule about the header ${at.slice(0, 60)} also fails if the header is missing`)
    }
    return addAssertions(draft.check, rules)
  })
}

/** Rule for the HTTP versions. Checks speak HTTP/1.1, and servers may answer with HTTP/1.0. */
const versions: ProbeRule = texts((listed, { draft }) => {
  const known = listed.map((one) => one.replace(/^HTTP\//, ''))
  if (!known.includes('1.1')) return impossible('checks use HTTP/1.1 only')
  return known.includes('1.0') ? idle : addAssertions(draft.check, [{ on: 'http_version', is: 'eq', value: '1.1' }])
})

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1024, KIB: 1024, MB: 1_048_576, MIB: 1_048_576 }
/** Number of bytes of a body that a check reads. */
const MOST_BYTES = 1_048_576

const size: ProbeRule = text((value, { draft }) => {
  const [, count = '', unit = ''] = /^(\d{1,9})\s*([A-Za-z]{0,3})$/.exec(value.trim()) ?? []
  const bytes = Number(count) * (entryOf(UNITS, unit.toUpperCase().replace(/^B$/, '')) ?? Number.NaN)
  if (count === '' || Number.isNaN(bytes)) return impossible('is not a known size')
  if (bytes === 0) return idle
  if (bytes > MOST_BYTES) return impossible('checks read at most 1 MiB of a body')
  return addAssertions(draft.check, [{ on: 'size', is: 'lte', value: bytes }])
})

/** Makes a rule that requires the scheme of the last address after redirects, such as https. */
function addressRule(is: 'regex' | 'not_regex', isCertain: (draft: ProbeDraft) => boolean): ProbeRule {
  return flag((isOn, { draft }) => {
    return isOn && !isCertain(draft)
      ? addAssertions(draft.check, [{ on: 'final_url', is, value: '(?i)^https:' }])
      : idle
  })
}

/** Rules for the IP version. blackbox_exporter prefers one version, and uses the other if the target has no address of it. */
const FAMILY: Rules<ProbeDraft> = {
  preferred_ip_protocol: text((value, { draft, source }) => {
    if (flagOf(source.ip_protocol_fallback) === false) return setFamily(draft.check, value)
    return differently('either address family is used')
  }),
  ip_protocol_fallback: flag((isOn, { draft, source }) => {
    // Without a preference, blackbox_exporter uses IPv6.
    return isOn ? idle : setFamily(draft.check, textOf(source.preferred_ip_protocol) || 'ip6')
  }),
}

const SIGN_IN: Rules<ProbeDraft> = {
  username: text(carried),
  username_file: no(FILES),
  username_ref: no(FILES),
  password: text(differently('becomes an Authorization header whose value comes from the environment')),
  password_file: no(FILES),
  password_ref: no(FILES),
}

const authorization: Rules<ProbeDraft> = {
  type: text(carried),
  credentials: text(carried),
  credentials_file: no(FILES),
}

const TLS: Rules<ProbeDraft> = {
  insecure_skip_verify: flag((isOn, { draft }) => {
    if (isOn) draft.check.insecure_skip_verify = true
    return isOn ? carried : idle
  }),
  ca: no('checks trust the certificate authorities of the monitor'),
  ca_file: no('checks trust the certificate authorities of the monitor'),
  cert: no('client certificates are not supported'),
  cert_file: no('client certificates are not supported'),
  key: no('client certificates are not supported'),
  key_file: no('client certificates are not supported'),
  server_name: no('checks use the host name of their target'),
  min_version: no('checks use the TLS versions that the monitor supports'),
  max_version: no('checks use the TLS versions that the monitor supports'),
}

export const HTTP: Rules<ProbeDraft> = {
  valid_status_codes: texts((codes, { draft }) => acceptListed(draft.check, codes)),
  valid_http_versions: versions,
  method: text((value, { draft, source }) => setMethod(draft.check, draft.asking, value, textOf(source.body))),
  headers: object((value, { draft }) => setHeaders(draft.check, draft.asking, value)),
  http_headers: object((value, { draft }) => {
    const files: string[] = []
    for (const [name, given] of Object.entries(value)) {
      const known = isFields(given) ? [...listOf(given.values), ...listOf(given.secrets)] : []
      if (textOf(known.at(-1)) !== '') setHeader(draft.check, draft.asking, name, textOf(known.at(-1)))
      else files.push(name)
    }
    return files.length === 0 ? carried : differently(`without ${files.slice(0, 5).join(', ')}: ${FILES}`)
  }),
  body: text((value, { draft, source }) => setMethod(draft.check, draft.asking, textOf(source.method), value)),
  body_file: no('a body in a file of the exporter is not imported; set it as post_data'),
  body_size_limit: size,
  compression: lostUnless(text, ['gzip', 'identity', 'none'], 'checks decompress gzip only'),
  follow_redirects: flag((isOn, { draft }) => {
    if (!isOn) draft.check.disable_redirects = true
    return carried
  }),
  no_follow_redirects: flag((isOn, { draft }) => {
    if (isOn) draft.check.disable_redirects = true
    return carried
  }),
  fail_if_ssl: addressRule('not_regex', () => false),
  fail_if_not_ssl: addressRule('regex', (draft) => isHttps(draft) && draft.check.disable_redirects === true),
  fail_if_body_matches_regexp: matches,
  fail_if_body_not_matches_regexp: misses,
  fail_if_body_json_matches_cel: no(CEL),
  fail_if_body_json_not_matches_cel: no(CEL),
  fail_if_header_matches: headerRule('not_regex'),
  fail_if_header_not_matches: headerRule('regex'),
  tls_config: inside('http.tls_config', () => TLS),
  basic_auth: object((value, { draft, ...it }) => {
    if (value.password === undefined) return impossible(FILES)
    readFields({ ...it, draft }, value, SIGN_IN, 'http.basic_auth.')
    setBasicAuth(draft.check, draft.asking, textOf(value.username), textOf(value.password))
    return within
  }),
  authorization: object((value, it) => {
    if (textOf(value.credentials) !== '')
      setHeader(
        it.draft.check,
        it.draft.asking,
        'Authorization',
        `${textOf(value.type) || 'Bearer'} ${textOf(value.credentials)}`,
      )
    readFields(it, value, authorization, 'http.authorization.')
    return within
  }),
  bearer_token: text((value, { draft }) => {
    setHeader(draft.check, draft.asking, 'Authorization', `Bearer ${value}`)
    return differently('becomes an Authorization header whose value comes from the environment')
  }),
  bearer_token_file: no(FILES),
  oauth2: no('OAuth is not supported; set an Authorization header with a long-lived token'),
  proxy_url: text((value, { draft }) => setProxyUrl(draft.check, draft.asking, value)),
  no_proxy: no(PROXY),
  proxy_from_environment: lostUnless(flag, [false], PROXY),
  proxy_connect_header: no('proxies get a user and a password only'),
  skip_resolve_phase_with_proxy: internal,
  enable_http2: internal,
  enable_http3: lostUnless(flag, [false], 'HTTP/3 is not supported'),
  ...FAMILY,
}

/** Rules for the IP version and the source address, which several probers have in common. */
const ROUTES: Rules<ProbeDraft> = {
  ...FAMILY,
  source_ip_address: no('checks use the network routes of the monitor'),
}

export const TCP: Rules<ProbeDraft> = {
  ...ROUTES,
  tls: flag(carried),
  tls_config: inside('tcp.tls_config', () => TLS),
  query_response: objects((steps, { draft, source }) =>
    steps.length === 0 ? idle : setSteps(draft.check, draft.asking, steps, flagOf(source.tls) === true),
  ),
}

export const ICMP: Rules<ProbeDraft> = {
  ...ROUTES,
  payload_size: no('the size of echo requests is fixed'),
  ttl: no('echo requests have the time to live that the monitor uses'),
}

/**
 * Makes a rule for patterns that blackbox_exporter applies to single records. A check applies them to the lines of the whole
 * answer.
 */
function recordRule(mode: 'regex' | 'not_regex', meaning: string): ProbeRule {
  return texts((patterns, { draft }) => {
    // The exporter separates the parts of a record with tabs.
    const written = patterns.map((pattern) => pattern.replaceAll(/\\t|\t/g, ' '))
    const said = setMatch(draft.check, `(?m)${written.map((one) => `(?:${one})`).join('|')}`, mode)
    return said.list === 'carried' ? differently(meaning) : said
  })
}

const OTHER_SECTIONS = 'checks search only the answer section of a response'

const ANSWER: Rules<ProbeDraft> = {
  fail_if_matches_regexp: recordRule('not_regex', 'no line of the answer may match, with spaces instead of tabs'),
  fail_if_none_matches_regexp: recordRule('regex', 'a line of the answer must match, with spaces instead of tabs'),
  fail_if_not_matches_regexp: recordRule(
    'regex',
    'a line of the answer must match one pattern, instead of each record all',
  ),
  fail_if_all_match_regexp: no('a check cannot require that one of the records does not match'),
}

export const DNS: Rules<ProbeDraft> = {
  ...ROUTES,
  query_name: text((_value, { source }) => {
    const type = textOf(source.query_type).toUpperCase()
    if (type === '' || type === 'ANY') return differently(`${NO_RECORD}; it queries records of type A instead of ANY`)
    return isFields(source.validate_answer_rrs) ? carried : differently(NO_RECORD)
  }),
  query_type: text(carried),
  query_class: lostUnless(text, ['IN'], 'checks query the class IN only'),
  recursion_desired: lostUnless(flag, [true], 'checks always ask for recursion'),
  transport_protocol: text(carried),
  dns_over_tls: flag(carried),
  tls_config: inside('dns.tls_config', () => ({
    ...TLS,
    insecure_skip_verify: lostUnless(flag, [false], 'the certificate of the resolver must be valid'),
  })),
  valid_rcodes: texts((codes, { draft }) => {
    if (codes.length === 1 && codes[0] === 'NOERROR') return carried
    return addAssertions(draft.check, [
      { on: 'dns_rcode', is: 'regex', value: `^(?:${codes.map(literally).join('|')})$` },
    ])
  }),
  validate_answer_rrs: inside('dns.validate_answer_rrs', () => ANSWER),
  validate_authority_rrs: no(OTHER_SECTIONS),
  validate_additional_rrs: no(OTHER_SECTIONS),
}

export const GRPC: Rules<ProbeDraft> = {
  ...ROUTES,
  service: text(carried),
  tls: flag(carried),
  tls_config: inside('grpc.tls_config', () => TLS),
  metadata: object((value, { draft }) => {
    const given = Object.entries(value).map(([name, values]) => [name, listOf(values).at(-1) ?? values] as const)
    return setHeaders(draft.check, draft.asking, Object.fromEntries(given))
  }),
}

export const MODULE: Rules<ProbeDraft> = {
  prober: text(carried),
  timeout: duration((seconds, { draft }) => {
    draft.check.timeout_sec = Math.min(
      draft.check.timeout_sec ?? MOST_TIMEOUT_SEC,
      secondsWithin(Math.ceil(seconds), MOST_TIMEOUT_SEC),
    )
    return draft.check.timeout_sec === seconds ? carried : differently(`timeout_sec ${draft.check.timeout_sec}`)
  }),
  http: nested('http', HTTP),
  tcp: nested('tcp', TCP),
  dns: nested('dns', DNS),
  icmp: nested('icmp', ICMP),
  grpc: nested('grpc', GRPC),
  unix: internal,
  websocket: internal,
}

function nested(field: 'http' | 'tcp' | 'dns' | 'icmp' | 'grpc', rules: Rules<ProbeDraft>): ProbeRule {
  const rule: ProbeRule = object((value, it) => {
    readFields({ ...it, source: value }, value, rules, `${field}.`)
    return within
  })
  return onlyWhere(({ source }) => source.prober === field, rule)
}

/** Applies the rules of a module to a check of one target. */
export function readModule(module: Fields, it: { audit: Audit; thing: string; draft: ProbeDraft }): void {
  const isHttp = module.prober === 'http'
  const http = isFields(module.http) ? module.http : {}
  if (isHttp && listOf(http.valid_status_codes).length === 0) acceptStatuses(it.draft.check, [{ from: 200, to: 299 }])
  readFields({ ...it, kind: 'target', source: module }, module, MODULE, 'module ')
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  unix: 'local sockets are not supported; the closest alternative is a heartbeat pinged by a script',
  websocket: 'WebSockets are not supported; the closest alternative is an https check of the same address',
}

/** Returns the target of a check, or the reason why there is none. */
export function targetOf(module: Fields, target: string): { url: string } | { why: string } {
  const prober = textOf(module.prober)
  if (prober === 'http') return { url: target.includes('://') ? target : `http://${target}` }
  if (prober === 'tcp')
    return { url: `${isFields(module.tcp) && flagOf(module.tcp.tls) === true ? 'tls' : 'tcp'}://${target}` }
  if (prober === 'icmp') return { url: pingUrl(target, 1) }
  if (prober === 'dns') return { url: queryOf(isFields(module.dns) ? module.dns : {}, target) }
  if (prober === 'grpc') return { url: healthOf(isFields(module.grpc) ? module.grpc : {}, target) }
  return { why: entryOf(UNSUPPORTED, prober) ?? `prober ${prober.slice(0, 40) || 'none'} is not supported` }
}

function healthOf(grpc: Fields, target: string): string {
  return grpcUrl(target, { service: textOf(grpc.service), isTls: flagOf(grpc.tls) === true })
}

function queryOf(dns: Fields, target: string): string {
  const type = textOf(dns.query_type).toUpperCase()
  const transport = flagOf(dns.dns_over_tls) === true ? 'tls' : textOf(dns.transport_protocol)
  return dnsUrl({
    ...readResolver(target),
    name: textOf(dns.query_name),
    type: type === 'ANY' ? '' : type,
    transport: transport === 'udp' ? '' : transport,
  })
}
