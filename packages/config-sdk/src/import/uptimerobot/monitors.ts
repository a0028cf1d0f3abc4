// Defines the rules for the fields of UptimeRobot monitors. Versions 2 and 3 of its API name them differently.
import type { FileCheck, FileHeartbeat } from '../../file/format.ts'
import {
  anyValue,
  type Case,
  carried,
  differently,
  entryOf,
  type Fields,
  flag,
  history,
  idle,
  impossible,
  inside,
  internal,
  isBlank,
  isFields,
  list,
  lostUnless,
  number,
  numberOf,
  object,
  objects,
  onlyWhere,
  type Rule,
  type Rules,
  type Said,
  text,
  textOf,
  texts,
  unread,
  within,
} from '../audit.ts'
import { literally, setMatch } from '../patterns.ts'
import { jsonIn } from '../reading.ts'
import {
  type ItemContext,
  setBasicAuth,
  setBody,
  setFamily,
  setHeader,
  setHeaders,
  setTarget,
  socketUrl,
} from '../requests.ts'
import { graceWithin, MOST_HEARTBEAT_SEC, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { acceptListed, acceptStatuses } from '../statuses.ts'
import { dnsUrl, pingUrl, recordPattern, recordText, setDatagram, udpUrl } from '../targets.ts'

export interface RobotDraft {
  type: string
  check: FileCheck
  heartbeat: FileHeartbeat
  asking: ItemContext
  /** Number of retries after a failure. They are converted when the whole monitor has been read. */
  retries?: number
}

type RobotRule = Rule<RobotDraft>

/** Types of monitors. Version 2 has their indexes, version 3 their names. */
export const TYPES = ['', 'HTTP', 'KEYWORD', 'PING', 'PORT', 'HEARTBEAT', 'DNS']
const METHODS = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PORTS: Readonly<Record<string, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 }

export function word(words: readonly string[], value: unknown): string {
  const name = textOf(value).toUpperCase()
  return /^\d{1,3}$/.test(name) ? (words[Number(name)] ?? name) : name
}

const isWeb = ({ type }: RobotDraft) => type === 'HTTP' || type === 'KEYWORD'
const forWeb = (rule: RobotRule): RobotRule => onlyWhere(({ draft }) => isWeb(draft), rule)
const onlyIn = (type: string, rule: RobotRule): RobotRule => onlyWhere(({ draft }) => draft.type === type, rule)

const target: RobotRule = text((value, { draft, source }) => {
  if (draft.type === 'HEARTBEAT') return differently('Dogwatch creates a new ping URL; update the job to call it')
  switch (draft.type) {
    case 'PORT': {
      const port = numberOf(source.port) || (entryOf(PORTS, textOf(source.sub_type)) ?? '')
      draft.check.url = socketUrl('tcp', value, port)
      return carried
    }
    case 'PING':
      draft.check.url = pingUrl(value)
      return carried
    case 'DNS':
      draft.check.url = dnsUrl({ resolver: '', name: value, type: recordsOf(source)[0]?.type ?? 'A' })
      return differently("the check queries the resolvers of the monitor's own machine; only your own monitors run it")
    case 'UDP': {
      draft.check.url = udpUrl(value, textOf(source.port))
      const payload = payloadOf(source)
      if (payload !== '') setDatagram(draft.check, draft.asking, payload)
      return differently('the check passes if one of up to four datagrams gets a response')
    }
    default:
      setTarget(draft.check, draft.asking, value)
      return carried
  }
})

/** Returns the records that a DNS monitor expects, by their type. */
function recordsOf({ config }: Fields): { type: string; values: unknown }[] {
  const records = isFields(config) && isFields(config.dnsRecords) ? config.dnsRecords : {}
  return Object.entries(records).flatMap(([type, values]) =>
    isBlank(values) ? [] : [{ type: type.toUpperCase(), values }],
  )
}

function payloadOf({ config }: Fields): string {
  return isFields(config) && isFields(config.udp) ? textOf(config.udp.payload) : ''
}

/** Types of records whose values are written like those of a DNS answer. */
const COMPARABLE = ['A', 'AAAA', 'CNAME', 'NS']

/** Rule for the expected records. Answers are sorted, so one pattern finds several values in order. */
const records: RobotRule = object((_value, it) => {
  const [first, ...others] = recordsOf(it.source)
  if (!first) return idle
  return texts((values, { draft }: typeof it) => {
    const patterns = values.toSorted().map((value) => recordPattern(first.type, recordText(first.type, value)))
    if (!COMPARABLE.includes(first.type)) return impossible(`values of ${first.type} records cannot be compared`)
    const said = setMatch(draft.check, patterns.join('(?:\\n.*)*?\\n.*'), 'regex')
    if (said.list !== 'carried') return said
    const rest = others.map(({ type }) => type).slice(0, 5)
    return differently(
      rest.length > 0
        ? `only the ${first.type} records; create checks for ${rest.join(', ')}`
        : 'further records also pass',
    )
  }).read(first.values, it)
})

/** Makes a rule for a field with one of some words or, in version 2, their numbers. */
function oneOf(known: readonly (string | number)[], answer: Said = carried): RobotRule {
  const names = known.map((name) => String(name).toUpperCase())
  return text((value) => (names.includes(value.toUpperCase()) ? answer : impossible('is not a known choice')))
}

const keyword: RobotRule = text((value, { draft, source }) => {
  // The type says whether the alert is sent if the keyword exists, or if it does not exist.
  const mustNot = numberOf(source.keyword_type) === 1 || textOf(source.keywordType) === 'ALERT_EXISTS'
  const isAnyCase =
    (numberOf(source.keyword_case_type) ?? 0) > 0 || textOf(source.keywordCaseType) === 'CaseInsensitive'
  if (!isAnyCase) return setMatch(draft.check, value, mustNot ? 'not_contains' : 'contains')
  return setMatch(draft.check, `(?i)${literally(value)}`, mustNot ? 'not_regex' : 'regex')
})

/** Rule for `404:1_500:0`: the statuses that pass in addition to those below 400, and those that do not. */
const statuses: RobotRule = text((value, { draft }) => {
  const given = value.split('_')
  const accepted = new Set<number>(Array.from({ length: 200 }, (_, index) => 200 + index))
  for (const part of given) {
    const [, code, isUp] = /^(\d{3}):([01])$/.exec(part.trim()) ?? []
    if (code === undefined) return impossible('must look like 404:1_500:0')
    if (isUp === '1') accepted.add(Number(code))
    else accepted.delete(Number(code))
  }
  return acceptStatuses(
    draft.check,
    [...accepted].map((code) => ({ from: code, to: code })),
  )
})

const codes: RobotRule = texts((listed, { draft }) => acceptListed(draft.check, listed))

const method: RobotRule = text((value, { draft, source }) => {
  const name = word(METHODS, value)
  if (name === (isBlank(bodyIn(source, name)) ? 'GET' : 'POST')) return name === 'GET' ? idle : carried
  draft.check.method = name
  return carried
})

/** Returns the body that a monitor sends with a method. */
function bodyIn({ post_value, postValueData }: Fields, name: string): unknown {
  return name === 'GET' || name === 'HEAD' ? undefined : (post_value ?? postValueData)
}

const body: RobotRule = anyValue((value, { draft, source }) => {
  if (bodyIn(source, word(METHODS, source.http_method ?? source.httpMethodType ?? 'GET')) === undefined) return idle
  const isForm = numberOf(source.post_type) === 1 || textOf(source.postValueType) === 'KEY_VALUE'
  const given = jsonIn(value) ?? value
  if (!isFields(given) && !Array.isArray(given) && textOf(value) === '') return impossible('must be text or an object')
  const form =
    isForm && isFields(given)
      ? new URLSearchParams(Object.entries(given).map(([name, one]) => [name, textOf(one)])).toString()
      : undefined
  const text = form ?? (typeof value === 'string' ? value : JSON.stringify(value))
  setBody(draft.check, draft.asking, text)
  const isJson = numberOf(source.post_content_type) === 1 || textOf(source.postValueType) === 'RAW_JSON'
  const type = form === undefined ? (isJson ? 'application/json' : undefined) : 'application/x-www-form-urlencoded'
  if (type) setHeader(draft.check, draft.asking, 'Content-Type', type)
  return carried
})

const password: RobotRule = text((value, { draft, source }) => {
  const how = numberOf(source.http_auth_type) === 2 ? 'DIGEST' : textOf(source.authType)
  if (how === 'DIGEST') return impossible('digest authentication is not supported')
  if (how === 'NONE') return idle
  if (how === 'BEARER') setHeader(draft.check, draft.asking, 'Authorization', `Bearer ${value}`)
  else setBasicAuth(draft.check, draft.asking, textOf(source.http_username ?? source.httpUsername), value)
  return differently('becomes an Authorization header whose value comes from the environment')
})

const interval: RobotRule = number((seconds, { draft }) => {
  draft.check.interval_sec = secondsWithin(seconds, MOST_INTERVAL_SEC)
  draft.heartbeat.interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
  return carried
})

const timeout: RobotRule = number((seconds, { draft }) => {
  if (draft.type === 'HEARTBEAT') return idle
  draft.check.timeout_sec = secondsWithin(seconds, MOST_TIMEOUT_SEC)
  return seconds > MOST_TIMEOUT_SEC ? differently(`timeout_sec ${MOST_TIMEOUT_SEC}, the maximum`) : carried
})

const paused: RobotRule = flag((isPaused, { draft }) => {
  if (isPaused) draft.check.enabled = draft.heartbeat.enabled = false
  return isPaused ? carried : idle
})

/** Rule for the state, which also says whether the monitor is paused. Version 2 has 0 for paused. */
const status: RobotRule = text((value, it) => {
  return value === '0' || value.toUpperCase() === 'PAUSED' ? paused.read(true, it) : history.read(value, it)
})

const certificate: RobotRule = flag((isOn, { draft, source }) => {
  if (!isOn || !textOf(source.url).toLowerCase().startsWith('https:')) return idle
  draft.check.cert_warn_days = 30
  return differently('cert_warn_days 30: the check is degraded from then on, instead of several reminders')
})

const named: RobotRule = text((value, { draft }) => {
  draft.check.name = draft.heartbeat.name = value
  return carried
})

const headers: RobotRule = anyValue((value, { draft }) => {
  const given = jsonIn(value)
  return isFields(given)
    ? setHeaders(draft.check, draft.asking, given)
    : impossible('must be an object whose values are text')
})

const skipsVerifying = (isSkipped: boolean, { draft }: Case<RobotDraft>): Said => {
  if (!isSkipped || !isWeb(draft)) return idle
  draft.check.insecure_skip_verify = true
  return carried
}

const tags: RobotRule = list((listed, { draft }) => {
  const names = listed.map((tag) => textOf(isFields(tag) ? tag.name : tag))
  draft.check.tags = draft.heartbeat.tags = names.filter((name) => name !== '')
  return names.includes('') ? impossible('must be a list of names') : carried
})

const DIGEST = impossible('digest authentication is not supported')
const DOMAIN = 'create a check of domain:NAME'
const GROUPS = 'checks have no groups; consider a tag'
const PLACES = 'checks run from your own monitors or the shared ones'
const linked: RobotRule = list(within)
/** Rule for the contacts of a monitor. Their fields are read with the contacts. */
const contacts: RobotRule = objects(within)

export const MONITOR: Rules<RobotDraft> = {
  id: internal,
  friendly_name: named,
  friendlyName: named,
  url: target,
  type: text(carried),
  sub_type: onlyIn('PORT', number(carried)),
  port: onlyWhere(({ draft }) => draft.type === 'PORT' || draft.type === 'UDP', number(carried)),
  keyword_type: onlyIn('KEYWORD', oneOf([1, 2])),
  keywordType: onlyIn('KEYWORD', oneOf(['ALERT_EXISTS', 'ALERT_NOT_EXISTS'])),
  keyword_case_type: onlyIn('KEYWORD', oneOf([0, 1])),
  keywordCaseType: onlyIn('KEYWORD', oneOf(['CaseSensitive', 'CaseInsensitive'])),
  keyword_value: onlyIn('KEYWORD', keyword),
  keywordValue: onlyIn('KEYWORD', keyword),
  http_username: forWeb(text(carried)),
  httpUsername: forWeb(text(carried)),
  http_password: forWeb(password),
  httpPassword: forWeb(password),
  http_auth_type: forWeb(text((value, it) => (value === '2' ? DIGEST : oneOf([0, 1]).read(value, it)))),
  authType: forWeb(
    text((value, it) => (value === 'DIGEST' ? DIGEST : oneOf(['NONE', 'HTTP_BASIC', 'BEARER']).read(value, it))),
  ),
  http_method: forWeb(method),
  httpMethodType: forWeb(method),
  post_type: forWeb(oneOf([1, 2])),
  postValueType: forWeb(oneOf(['KEY_VALUE', 'RAW_JSON'])),
  post_value: forWeb(body),
  postValueData: forWeb(body),
  post_content_type: forWeb(oneOf([0, 1])),
  interval,
  timeout,
  gracePeriod: onlyIn(
    'HEARTBEAT',
    number((seconds, { draft }) => {
      draft.heartbeat.grace_sec = graceWithin(seconds)
      return carried
    }),
  ),
  status,
  isPaused: paused,
  create_datetime: history,
  createDateTime: history,
  custom_http_headers: forWeb(headers),
  customHttpHeaders: forWeb(headers),
  custom_http_statuses: forWeb(statuses),
  successHttpResponseCodes: forWeb(codes),
  ssl: inside('ssl', () => SSL),
  checkSSLErrors: flag((isOn, it) => skipsVerifying(!isOn, it)),
  sslExpirationReminder: certificate,
  sslBrand: history,
  sslExpiryDateTime: history,
  domainExpirationReminder: lostUnless(flag, [false], DOMAIN),
  domainExpireDate: history,
  followRedirections: forWeb(
    flag((isOn, { draft }) => {
      if (!isOn) draft.check.disable_redirects = true
      return carried
    }),
  ),
  responseTimeThreshold: number((limit, { draft }) => {
    if (limit === 0) return idle
    draft.check.degraded_over_ms = Math.min(60_000, limit)
    return differently('degraded_over_ms: a warning, not an incident of its own')
  }),
  monitor_group: lostUnless(number, [0], GROUPS),
  is_group_main: lostUnless(number, [0], GROUPS),
  groupId: lostUnless(number, [0], GROUPS),
  tags,
  regionalData: unread(impossible(PLACES)),
  regionData: unread(impossible(PLACES)),
  config: inside('config', () => CONFIG),
  customFields: unread(impossible('checks have no custom fields; consider tags')),
  alert_contacts: contacts,
  assignedAlertContacts: contacts,
  mwindows: linked,
  maintenanceWindows: linked,
  maintenanceWindowsIds: linked,
  logs: history,
  response_times: history,
  average_response_time: history,
  all_time_uptime_ratio: history,
  all_time_uptime_durations: history,
  custom_uptime_ratio: history,
  custom_uptime_ranges: history,
  custom_down_durations: history,
  lastIncident: history,
  lastIncidentId: history,
  lastDayUptimes: history,
  currentStateDuration: history,
  userId: internal,
}

const SSL: Rules<RobotDraft> = {
  brand: history,
  product: history,
  expires: history,
  ignore_errors: flag(skipsVerifying),
  disable_domain_expire_notifications: lostUnless(flag, [true], DOMAIN),
}

const UDP: Rules<RobotDraft> = {
  payload: text(differently('becomes the option send; only your own monitors run the check')),
  packetLossThreshold: number(impossible('a check does not count the datagrams that get no response')),
}

const CONFIG: Rules<RobotDraft> = {
  sslExpirationPeriodDays: list((listed, { draft }) => {
    const days = listed.flatMap((day) => numberOf(day) ?? [])
    if (days.length < listed.length) return impossible('must be a list of numbers')
    if (days.length === 0) return idle
    draft.check.cert_warn_days = Math.max(...days)
    return differently(
      `cert_warn_days ${draft.check.cert_warn_days}: the check is degraded from then on, instead of several reminders`,
    )
  }),
  ipVersion: text((value, { draft }) => setFamily(draft.check, value)),
  dnsRecords: onlyIn('DNS', records),
  apiAssertions: unread(impossible('rules of API monitors are not imported; write assertions on json')),
  udp: onlyIn(
    'UDP',
    inside('config.udp', () => UDP),
  ),
  applicationErrorRetries: number((count, { draft }) => {
    if (count <= 0) return idle
    draft.retries = Math.round(count)
    return within
  }),
}
