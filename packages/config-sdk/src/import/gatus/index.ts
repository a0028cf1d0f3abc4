// Imports a Gatus from its configuration file or files.
import { basename } from 'node:path'
import { schemeOf } from '@dogwatch/check-rules/schemes'
import type { FileCheck, FileHeartbeat, FileScope } from '../../file/format.ts'
import {
  Audit,
  anyValue,
  carried,
  differently,
  duration,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  inside,
  isBlank,
  isFields,
  list,
  listOf,
  object,
  objectOf,
  objectOfTexts,
  objects,
  objectsOf,
  type Rules,
  readFields,
  text,
  textOf,
  texts,
  textsOf,
  UNKNOWN,
  unread,
  type Whole,
  within,
} from '../audit.ts'
import { type ImportResult, Moving } from '../moving.ts'
import { ImportError, readYaml, requireFields } from '../reading.ts'
import {
  type ItemContext,
  setBody,
  setFamily,
  setHeader,
  setHeaders,
  setMethod,
  setProxyUrl,
  setTarget,
} from '../requests.ts'
import {
  dayNumber,
  durationOf,
  MOST_HEARTBEAT_SEC,
  MOST_INTERVAL_SEC,
  MOST_TIMEOUT_SEC,
  secondsWithin,
  timeOfDay,
  weekly,
} from '../schedules.ts'
import { isZone } from '../settle.ts'
import { dnsUrl, pingUrl, readResolver, requireResponse, setDatagram } from '../targets.ts'
import { type Alerting, readAlerting, readAlerts } from './alerting.ts'
import { type EndpointKind, setConditions } from './conditions.ts'
import { merged, withVariables } from './configuration.ts'

export function importGatus(paths: readonly string[], now: Date): ImportResult {
  const audit = new Audit()
  const into = new Moving(audit)
  const given = paths.map((path) => requireFields(readYaml(path), basename(path))).reduce(merged, {})
  const config = withVariables(given, into) as Fields
  const whole: Whole = { audit, kind: 'configuration', thing: 'Gatus' }
  const endpoints = objectsOf(whole, config.endpoints, 'endpoints')
  if (endpoints.length === 0 && !isFields(config.alerting) && isBlank(config['external-endpoints'])) {
    throw new ImportError('the file has no endpoints, so it is not a Gatus configuration')
  }
  const alerting = readAlerting(objectOf(whole, config.alerting, 'alerting'), into, audit)
  const context = { into, audit, now, alerting }
  for (const endpoint of endpoints) readEndpoint(endpoint, context)
  for (const endpoint of objectsOf(whole, config['external-endpoints'], 'external-endpoints'))
    readExternal(endpoint, context)
  for (const suite of objectsOf(whole, config.suites, 'suites')) {
    audit.refuse('suite', textOf(suite.name), '', 'checks run independently and cannot pass values to each other')
  }
  const maintenance = objectOf(whole, config.maintenance, 'maintenance')
  if (!isBlank(maintenance)) readWindow(maintenance, { ...context, name: 'Maintenance', scope: { all: true } })
  for (const [field, value] of Object.entries(config)) {
    if (!READ.includes(field) && !isBlank(value))
      audit.say(
        'configuration',
        'Gatus',
        field,
        OWN.includes(field) ? impossible('applies to Gatus only') : impossible(UNKNOWN),
      )
  }
  return into.finish()
}

const READ = ['endpoints', 'external-endpoints', 'suites', 'alerting', 'maintenance']
const OWN = [
  'debug',
  'metrics',
  'skip-invalid-config-update',
  'disable-monitoring-lock',
  'concurrency',
  'security',
  'storage',
  'web',
  'ui',
  'remote',
  'connectivity',
  'tunneling',
  'announcements',
]

interface GatusContext {
  into: Moving
  audit: Audit
  now: Date
  alerting: Alerting
}

interface EndpointDraft extends EndpointKind {
  check: FileCheck
  asking: ItemContext
}

const isWebSocket = ({ url }: Fields) => /^wss?:\/\//i.test(textOf(url))
const isUdp = ({ url }: Fields) => textOf(url).toLowerCase().startsWith('udp://')
/** Whether an endpoint sends its body as it is, without an HTTP request around it. */
const sendsBody = ({ url }: Fields) => /^(?:tcp|udp):/i.test(textOf(url))

export const ENDPOINT: Rules<EndpointDraft> = {
  enabled: flag((isOn, { draft }) => {
    if (!isOn) draft.check.enabled = false
    return carried
  }),
  name: text(carried),
  group: text(differently('becomes a tag with its name')),
  url: text((value, { draft, source }) => {
    const { dns } = source
    if (isFields(dns)) draft.check.url = queryOf(value, dns)
    else if (/^icmp:/i.test(value)) draft.check.url = pingUrl(value.slice('icmp://'.length), 1)
    // For a `starttls:` address, Gatus speaks SMTP before the TLS handshake.
    else if (/^starttls:/i.test(value))
      draft.check.url = `smtp${value.slice('starttls'.length).split('?')[0]}?starttls=yes`
    else setTarget(draft.check, draft.asking, value)
    if (isWebSocket(source) && bodyOf(source) === '')
      return differently('the check sends no empty message, and waits for a message only with a rule about the body')
    if (!sendsBody(source)) return carried
    if (isUdp(source) && bodyOf(source) === '') return differently('the check also fails if the port is closed')
    if (bodyOf(source) !== '' && isSendable(bodyOf(source))) setDatagram(draft.check, draft.asking, bodyOf(source))
    return carried
  }),
  method: text((value, { draft, source }) =>
    draft.isWeb ? setMethod(draft.check, draft.asking, value, bodyOf(source)) : idle,
  ),
  body: text((value, { draft, source }) => {
    if (sendsBody(source) && !isSendable(value))
      return impossible('the option send cannot contain variables; write the bytes into it')
    if (sendsBody(source)) return differently('becomes the option send; only your own monitors run the check')
    if (isWebSocket(source)) {
      setBody(draft.check, draft.asking, value)
      return differently('becomes the message in post_data; only your own monitors run the check')
    }
    return draft.isWeb ? setMethod(draft.check, draft.asking, textOf(source.method), bodyOf(source)) : idle
  }),
  graphql: flag((isOn, { draft, source }) => {
    if (!isOn) return idle
    if (!hasHeader(source, 'content-type')) setHeader(draft.check, draft.asking, 'Content-Type', 'application/json')
    return carried
  }),
  headers: object((value, { draft }) => setHeaders(draft.check, draft.asking, value)),
  'extra-labels': objectOfTexts((value, { draft }) => {
    draft.check.tags = [
      ...(draft.check.tags ?? []),
      ...Object.entries(value).map(([name, label]) => `${name}:${label}`),
    ]
    return differently('become tags made of their names and values')
  }),
  interval: duration((seconds, { draft }) => {
    draft.check.interval_sec = secondsWithin(seconds, MOST_INTERVAL_SEC)
    return draft.check.interval_sec === seconds ? carried : differently(`interval_sec ${draft.check.interval_sec}`)
  }),
  conditions: anyValue(() => within),
  alerts: list(within),
  'maintenance-windows': objects(within),
  client: inside('client', () => CLIENT),
  ui: unread(impossible('the console displays all checks the same way')),
  dns: inside('dns', () => DNS),
  ssh: object(({ username }) =>
    textOf(username) === '' ? idle : impossible('checks do not sign in with SSH, and run no commands'),
  ),
  store: unread(impossible('checks cannot pass values on')),
  'always-run': unread(impossible('checks run independently')),
}

/**
 * Pattern of conditions about the records or the response code. Without such a condition, a check requires a record and the
 * response code NOERROR.
 */
const DECIDING = /^\[(?:BODY|DNS_RCODE)\] (?!== NOERROR)/

/** Rules for the query of a DNS endpoint. */
export const DNS: Rules<EndpointDraft> = {
  'query-name': text((_value, { source }) =>
    listOf(source.conditions).some((condition) => DECIDING.test(textOf(condition)))
      ? carried
      : differently('the check also fails if there is no record of the type, or the response code is not NOERROR'),
  ),
  'query-type': text(carried),
}

export const CLIENT: Rules<EndpointDraft> = {
  timeout: duration((seconds, { draft }) => {
    draft.check.timeout_sec = secondsWithin(Math.ceil(seconds), MOST_TIMEOUT_SEC)
    return draft.check.timeout_sec === seconds ? carried : differently(`timeout_sec ${draft.check.timeout_sec}`)
  }),
  insecure: flag((isOn, { draft }) => {
    if (isOn) draft.check.insecure_skip_verify = true
    return isOn ? carried : idle
  }),
  'ignore-redirect': flag((isOn, { draft }) => {
    if (isOn) draft.check.disable_redirects = true
    return isOn ? carried : idle
  }),
  'proxy-url': text((value, { draft }) => (draft.isWeb ? setProxyUrl(draft.check, draft.asking, value) : idle)),
  'dns-resolver': unread(impossible('checks use the name servers of the monitor')),
  oauth2: unread(impossible('OAuth is not supported; set an Authorization header with a long-lived token')),
  'identity-aware-proxy': unread(impossible('identity-aware proxy tokens are not supported')),
  network: text((value, { draft }) => {
    // Gatus uses the field `network` only for pings.
    return value === 'ip' || schemeOf(draft.check.url ?? '') !== 'icmp' ? idle : setFamily(draft.check, value)
  }),
  tls: unread(impossible('client certificates are not supported')),
  tunnel: unread(impossible('tunnels are not supported; run a monitor behind the tunnel')),
  'store-cookies': flag((isOn) => (isOn ? differently('cookies are kept within a run only') : idle)),
}

function readEndpoint(source: Fields, context: GatusContext): void {
  const { into, audit, alerting } = context
  const name = textOf(source.name) || 'endpoint'
  const group = textOf(source.group)
  const thing = group === '' ? name : `${group}/${name}`
  const why = whyNot(source)
  if (why !== undefined) return audit.refuse('endpoint', thing, '', why)
  const key = into.key('checks', group === '' ? name : `${group} ${name}`)
  const kind: EndpointKind = isFields(source.dns)
    ? { isWeb: false, record_type: textOf(source.dns['query-type']) || 'A' }
    : { isWeb: isOfWeb(source) }
  const draft: EndpointDraft = { check: { name, interval_sec: 60 }, asking: { into, key, thing }, ...kind }
  const made = { audit, kind: 'endpoint', thing }
  readFields({ ...made, source, draft }, source, ENDPOINT)
  const conditions = textsOf(made, source.conditions, 'conditions')
  setConditions(draft.check, conditions, kind, (condition, said) =>
    audit.say('endpoint', thing, `conditions ${condition}`, said),
  )
  // Gatus waits for a response only if it sends a body.
  if (isUdp(source) && bodyOf(source) !== '') requireResponse(draft.check)
  if (group !== '') draft.check.tags = [...(draft.check.tags ?? []), group]
  readAlerts(source.alerts, { check: draft.check, section: 'checks', key, group, into, alerting }, made)
  into.check(key, draft.check, made)
  for (const window of listOf(source['maintenance-windows']).filter(isFields)) {
    readWindow(window, { ...context, name: `Maintenance of ${thing}`, scope: { checks: [key] } })
  }
}

function whyNot({ dns, url }: Fields): string | undefined {
  const address = textOf(url).toLowerCase()
  const isKnown = isFields(dns) || /^(?:\$\{|starttls:\/\/)/.test(address) || schemeOf(address) !== undefined
  return isKnown ? undefined : 'its URL scheme is not supported; a heartbeat can be pinged by a script'
}

/** Returns the target of a DNS endpoint, whose address is the resolver with or without a port. */
function queryOf(address: string, dns: Fields): string {
  return dnsUrl({ ...readResolver(address), name: textOf(dns['query-name']), type: textOf(dns['query-type']) })
}

/** Whether the body contains neither variables nor placeholders of Gatus, so that a datagram can contain it. */
function isSendable(body: string): boolean {
  return !/\$\{[A-Za-z_]\w*\}|\[LOCAL_ADDRESS\]/.test(body)
}

/** Fields that only HTTP endpoints have. */
const WEB_ONLY = ['method', 'body', 'graphql', 'headers']

/** Whether an endpoint is an HTTP endpoint, by its address. If the address is an unknown variable, the other fields decide. */
function isOfWeb(source: Fields): boolean {
  const address = textOf(source.url).toLowerCase()
  if (!address.startsWith('${')) return address.startsWith('http')
  if (WEB_ONLY.some((field) => !isBlank(source[field]))) return true
  return listOf(source.conditions).some((condition) => /\[(?:STATUS|BODY)\]/.test(textOf(condition)))
}

function bodyOf({ body, graphql }: Fields): string {
  return flagOf(graphql) === true && textOf(body) !== '' ? JSON.stringify({ query: textOf(body) }) : textOf(body)
}

function hasHeader({ headers }: Fields, name: string): boolean {
  return isFields(headers) && Object.keys(headers).some((header) => header.toLowerCase() === name)
}

interface ExternalDraft {
  heartbeat: FileHeartbeat
}

const EXTERNAL: Rules<ExternalDraft> = {
  enabled: flag((isOn, { draft }) => {
    if (!isOn) draft.heartbeat.enabled = false
    return carried
  }),
  name: text(carried),
  group: text(differently('becomes a tag with its name')),
  token: unread(differently('Dogwatch creates a new ping URL; update the job to call it')),
  alerts: list(within),
  'maintenance-windows': objects(within),
  heartbeat: inside('heartbeat', () => ({ interval: duration(carried) })),
}

function readExternal(source: Fields, context: GatusContext): void {
  const { into, audit, alerting } = context
  const name = textOf(source.name) || 'external endpoint'
  const group = textOf(source.group)
  const thing = group === '' ? name : `${group}/${name}`
  const seconds = isFields(source.heartbeat) ? durationOf(textOf(source.heartbeat.interval)) : undefined
  if (!seconds)
    return audit.refuse(
      'external endpoint',
      thing,
      '',
      'a heartbeat needs an interval, and this endpoint has none; results cannot be pushed to Dogwatch',
    )
  const key = into.key('heartbeats', group === '' ? name : `${group} ${name}`)
  const heartbeat: FileHeartbeat = { name, interval_sec: secondsWithin(seconds, MOST_HEARTBEAT_SEC), grace_sec: 0 }
  const made = { audit, kind: 'external endpoint', thing }
  readFields({ ...made, source, draft: { heartbeat } }, source, EXTERNAL)
  if (group !== '') heartbeat.tags = [group]
  const check: FileCheck = {}
  readAlerts(source.alerts, { check, section: 'heartbeats', key, group, into, alerting }, made)
  if (check.resend_interval_sec !== undefined) heartbeat.resend_interval_sec = check.resend_interval_sec
  if ((check.down_interval_sec ?? 1) > 1) {
    // The grace period replaces the number of failures in a row: the heartbeat goes down after that many intervals without a
    // ping.
    heartbeat.grace_sec = secondsWithin((check.down_interval_sec ?? 1) * seconds - seconds, MOST_HEARTBEAT_SEC)
    audit.say(
      'external endpoint',
      thing,
      'alerts',
      differently(`grace_sec ${heartbeat.grace_sec}: the time that its failures in a row take`),
    )
  }
  into.heartbeat(key, heartbeat, made)
  for (const window of listOf(source['maintenance-windows']).filter(isFields)) {
    readWindow(window, { ...context, name: `Maintenance of ${thing}`, scope: { heartbeats: [key] } })
  }
}

const NO_ZONE = 'zone UTC, because the original zone name is unknown'

const WINDOW: Rules<unknown> = {
  enabled: flag(carried),
  start: text(carried),
  duration: duration(carried),
  timezone: text((value) => (isZone(value) ? carried : differently(NO_ZONE))),
  every: texts(carried),
}

function readWindow(
  source: Fields,
  { into, audit, now, name, scope }: GatusContext & { name: string; scope: FileScope },
): void {
  const refuse = (why: string) => audit.refuse('maintenance', name, '', why)
  if (flagOf(source.enabled) === false) return refuse('turned off')
  const at = timeOfDay(textOf(source.start))
  const duration_sec = durationOf(textOf(source.duration)) ?? 0
  if (at === undefined || duration_sec < 60) return refuse('has no start, or is shorter than a minute')
  const every = listOf(source.every).map((day) => dayNumber(textOf(day)))
  const days = every.filter((day) => day !== undefined)
  if (days.length < every.length) return refuse('names a day that does not exist')
  readFields({ audit, kind: 'maintenance', thing: name, source, draft: {} }, source, WINDOW)
  const zone = textOf(source.timezone)
  const window = weekly(
    { today: now.toISOString().slice(0, 10), at, days },
    { duration_sec, zone: isZone(zone) ? zone : 'UTC', scope, name: name.slice(0, 100) },
  )
  into.window(into.key('maintenance', name), window)
}
