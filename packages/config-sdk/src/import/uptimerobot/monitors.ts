// What is done with each field of a monitor of UptimeRobot. Version 2 and version 3 of its API name them differently.
import type { FileCheck, FileHeartbeat } from '../../file/format.ts'
import {
  carried,
  differently,
  entryOf,
  history,
  idle,
  impossible,
  inside,
  isBlank,
  isFields,
  listOf,
  lostUnless,
  numberOf,
  type Rule,
  type Rules,
  textOf,
  yes,
} from '../audit.ts'
import { literally, setMatch } from '../patterns.ts'
import { jsonIn } from '../reading.ts'
import { type Asking, setBasicAuth, setBody, setHeader, setHeaders, setTarget } from '../requests.ts'
import { graceWithin, MOST_HEARTBEAT_SEC, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { acceptStatuses, type Span, spanOf } from '../statuses.ts'

export interface RobotDraft {
  type: string
  check: FileCheck
  heartbeat: FileHeartbeat
  asking: Asking
}

type RobotRule = Rule<RobotDraft>

/** Version 2 has numbers, version 3 has words. */
export const TYPES = ['', 'HTTP', 'KEYWORD', 'PING', 'PORT', 'HEARTBEAT', 'DNS']
const METHODS = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PORTS: Readonly<Record<string, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 }

export const word = (words: readonly string[], value: unknown) =>
  typeof value === 'number' ? (words[value] ?? String(value)) : textOf(value).toUpperCase()
const isWeb = ({ type }: RobotDraft) => type === 'HTTP' || type === 'KEYWORD'
const forWeb =
  (rule: RobotRule): RobotRule =>
  (value, it) =>
    isWeb(it.draft) ? rule(value, it) : idle
const onlyIn = (type: string, rule: RobotRule): RobotRule => {
  return (value, it) => (it.draft.type === type ? rule(value, it) : idle)
}

const target: RobotRule = (value, { draft, source }) => {
  if (draft.type === 'HEARTBEAT') return differently('Dogwatch makes a new ping URL: the job must call that one')
  if (draft.type !== 'PORT') setTarget(draft.check, draft.asking, textOf(value))
  else
    draft.check.url = `tcp://${textOf(value)}:${numberOf(source.port) || (entryOf(PORTS, textOf(source.sub_type)) ?? '')}`
  return carried
}

const keyword: RobotRule = (value, { draft, source }) => {
  // The types name what is alerted on: a keyword that exists, or one that does not.
  const mustNot = source.keyword_type === 1 || textOf(source.keywordType) === 'ALERT_EXISTS'
  const isAnyCase =
    (numberOf(source.keyword_case_type) ?? 0) > 0 || textOf(source.keywordCaseType) === 'CaseInsensitive'
  if (!isAnyCase) return setMatch(draft.check, textOf(value), mustNot ? 'not_contains' : 'contains')
  return setMatch(draft.check, `(?i)${literally(textOf(value))}`, mustNot ? 'not_regex' : 'regex')
}

/** `404:1_500:0`: what passes besides statuses below 400, and what does not. */
const statuses: RobotRule = (value, { draft }) => {
  const given = typeof value === 'string' ? value.split('_') : []
  const accepted = new Set<number>(Array.from({ length: 200 }, (_, index) => 200 + index))
  for (const part of given) {
    const [, code, isUp] = /^(\d{3}):([01])$/.exec(part.trim()) ?? []
    if (code === undefined) return impossible('it is not written as 404:1_500:0')
    if (isUp === '1') accepted.add(Number(code))
    else accepted.delete(Number(code))
  }
  return given.length === 0
    ? impossible('it is not written as 404:1_500:0')
    : acceptStatuses(
        draft.check,
        [...accepted].map((code) => ({ from: code, to: code })),
      )
}

const codes: RobotRule = (value, { draft }) => {
  const spans: (Span | undefined)[] = listOf(value).map((code) => spanOf(textOf(code)))
  const known = spans.filter((span) => span !== undefined)
  return known.length < spans.length ? impossible('it lists what is no status') : acceptStatuses(draft.check, known)
}

const method: RobotRule = (value, { source }) => {
  const name = word(METHODS, value)
  const body = source.post_value ?? source.postValueData
  if (name === 'GET') return idle
  if (name === 'HEAD') return differently('sent as GET: a check reads the body')
  if (name === 'POST') return isBlank(body) ? differently('sent as GET: a check sends POST only with a body') : carried
  return impossible(`a check sends GET or POST, never ${name.slice(0, 20)}: it sends GET, without the body`)
}

const body: RobotRule = (value, { draft, source }) => {
  if (word(METHODS, source.http_method ?? source.httpMethodType ?? 'GET') !== 'POST')
    return impossible('a check sends a body with POST only')
  const isForm = source.post_type === 1 || textOf(source.postValueType) === 'KEY_VALUE'
  const given = jsonIn(value) ?? value
  const form =
    isForm && isFields(given)
      ? new URLSearchParams(Object.entries(given).map(([name, one]) => [name, textOf(one)])).toString()
      : undefined
  const text = form ?? (typeof value === 'string' ? value : JSON.stringify(value))
  setBody(draft.check, draft.asking, text)
  const isJson = source.post_content_type === 1 || textOf(source.postValueType) === 'RAW_JSON'
  const type = form === undefined ? (isJson ? 'application/json' : undefined) : 'application/x-www-form-urlencoded'
  if (type) setHeader(draft.check, draft.asking, 'Content-Type', type)
  return carried
}

const password: RobotRule = (value, { draft, source }) => {
  const how = source.http_auth_type === 2 ? 'DIGEST' : textOf(source.authType)
  if (how === 'DIGEST') return impossible('Dogwatch does not sign in with Digest')
  if (how === 'NONE') return idle
  if (how === 'BEARER') setHeader(draft.check, draft.asking, 'Authorization', `Bearer ${textOf(value)}`)
  else setBasicAuth(draft.check, draft.asking, textOf(source.http_username ?? source.httpUsername), textOf(value))
  return differently('a header Authorization, whose value comes from the environment')
}

const interval: RobotRule = (value, { draft }) => {
  draft.check.interval_sec = secondsWithin(numberOf(value) ?? 300, MOST_INTERVAL_SEC)
  draft.heartbeat.interval_sec = secondsWithin(numberOf(value) ?? 300, MOST_HEARTBEAT_SEC)
  return carried
}

const timeout: RobotRule = (value, { draft }) => {
  if (draft.type === 'HEARTBEAT') return idle
  const seconds = numberOf(value) ?? 30
  draft.check.timeout_sec = secondsWithin(seconds, MOST_TIMEOUT_SEC)
  return seconds > MOST_TIMEOUT_SEC ? differently(`timeout_sec ${MOST_TIMEOUT_SEC}, which is the most`) : carried
}

const paused: RobotRule = (value, { draft }) => {
  const isPaused = value === 0 || value === true || textOf(value).toUpperCase() === 'PAUSED'
  if (isPaused) draft.check.enabled = draft.heartbeat.enabled = false
  return isPaused ? carried : history()
}

const certificate: RobotRule = (value, { draft, source }) => {
  if (value !== true || !textOf(source.url).toLowerCase().startsWith('https:')) return idle
  draft.check.cert_warn_days = 30
  return differently('cert_warn_days 30: degraded from then on, instead of several reminders')
}

const named: RobotRule = (value, { draft }) => {
  draft.check.name = draft.heartbeat.name = textOf(value)
  return carried
}

const headers: RobotRule = (value, { draft }) => {
  const given = jsonIn(value)
  return isFields(given) ? setHeaders(draft.check, draft.asking, given) : impossible('it is not an object of texts')
}

const skipVerify: RobotRule = (_value, { draft }) => {
  draft.check.insecure_skip_verify = true
  return carried
}

const tags: RobotRule = (value, { draft }) => {
  draft.check.tags = draft.heartbeat.tags = listOf(value).map((tag) => textOf(isFields(tag) ? tag.name : tag))
  return carried
}

const DOMAIN = 'Dogwatch does not watch the registration of domains'
const GROUPS = 'monitors are in no groups: a tag may do'
const PLACES = 'a check runs from the monitors of your organisation or the shared ones'
const linked: RobotRule = () => ({ list: 'within' })

export const MONITOR: Rules<RobotDraft> = {
  id: () => idle,
  friendly_name: named,
  friendlyName: named,
  url: target,
  type: () => carried,
  sub_type: onlyIn('PORT', () => carried),
  port: onlyIn('PORT', () => carried),
  keyword_type: onlyIn('KEYWORD', () => carried),
  keywordType: onlyIn('KEYWORD', () => carried),
  keyword_case_type: onlyIn('KEYWORD', () => carried),
  keywordCaseType: onlyIn('KEYWORD', () => carried),
  keyword_value: onlyIn('KEYWORD', keyword),
  keywordValue: onlyIn('KEYWORD', keyword),
  http_username: forWeb(() => carried),
  httpUsername: forWeb(() => carried),
  http_password: forWeb(password),
  httpPassword: forWeb(password),
  http_auth_type: forWeb((value) => (value === 2 ? impossible('Dogwatch does not sign in with Digest') : carried)),
  authType: forWeb((value) => (value === 'DIGEST' ? impossible('Dogwatch does not sign in with Digest') : carried)),
  http_method: forWeb(method),
  httpMethodType: forWeb(method),
  post_type: forWeb(() => carried),
  postValueType: forWeb(() => carried),
  post_value: forWeb(body),
  postValueData: forWeb(body),
  post_content_type: forWeb(() => carried),
  interval,
  timeout,
  gracePeriod: onlyIn('HEARTBEAT', (value, { draft }) => {
    draft.heartbeat.grace_sec = graceWithin(numberOf(value) ?? 0)
    return carried
  }),
  status: paused,
  isPaused: paused,
  create_datetime: history,
  createDateTime: history,
  custom_http_headers: forWeb(headers),
  customHttpHeaders: forWeb(headers),
  custom_http_statuses: forWeb(statuses),
  successHttpResponseCodes: forWeb(codes),
  ssl: inside('ssl', () => SSL),
  checkSSLErrors: (value, it) => (value === false && isWeb(it.draft) ? skipVerify(value, it) : idle),
  sslExpirationReminder: certificate,
  sslBrand: history,
  sslExpiryDateTime: history,
  domainExpirationReminder: lostUnless([false], DOMAIN),
  domainExpireDate: history,
  followRedirections: forWeb((value, { draft }) => {
    if (value === false) draft.check.disable_redirects = true
    return carried
  }),
  responseTimeThreshold: (value, { draft }) => {
    if (!numberOf(value)) return idle
    draft.check.degraded_over_ms = Math.min(60_000, numberOf(value) ?? 0)
    return differently('degraded_over_ms: a warning, not an incident of its own')
  },
  monitor_group: lostUnless([0], GROUPS),
  is_group_main: lostUnless([0], GROUPS),
  groupId: lostUnless([0], GROUPS),
  tags,
  regionalData: () => impossible(PLACES),
  regionData: () => impossible(PLACES),
  config: inside('config', () => CONFIG),
  customFields: () => impossible('a check has no fields of your own: tags may do'),
  alert_contacts: linked,
  assignedAlertContacts: linked,
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
  userId: () => idle,
}

const SSL: Rules<RobotDraft> = {
  brand: history,
  product: history,
  expires: history,
  ignore_errors: (value, it) => (yes(value) && isWeb(it.draft) ? skipVerify(value, it) : idle),
  disable_domain_expire_notifications: (value) => (yes(value) ? idle : impossible(DOMAIN)),
}

const CONFIG: Rules<RobotDraft> = {
  sslExpirationPeriodDays: (value, { draft }) => {
    const days = listOf(value).flatMap((day) => numberOf(day) ?? [])
    if (days.length === 0) return idle
    draft.check.cert_warn_days = Math.max(...days)
    return differently(
      `cert_warn_days ${draft.check.cert_warn_days}: degraded from then on, instead of several reminders`,
    )
  },
  ipVersion: () => impossible('a check takes the address family that answers'),
  dnsRecords: () => impossible('Dogwatch does not ask name servers'),
  apiAssertions: () => impossible('Dogwatch has no rules for JSON: the nearest is match_mode regex on the body'),
  udp: () => impossible('Dogwatch does not speak UDP'),
  applicationErrorRetries: (value, { draft }) => {
    const count = numberOf(value) ?? 0
    if (count === 0) return idle
    draft.check.retry_count = Math.min(10, count)
    return carried
  },
}
