// Converts monitors of Uptime Kuma to checks and heartbeats.
import {
  anyValue,
  carried,
  differently,
  entryOf,
  type Fields,
  flag,
  flagOf,
  history,
  idle,
  impossible,
  internal,
  isBlank,
  isFields,
  lostUnless,
  number,
  numberOf,
  onlyWhere,
  type Rules,
  text,
  textOf,
  texts,
  unread,
} from '../audit.ts'
import { jsonIn } from '../reading.ts'
import {
  type ItemContext,
  setBasicAuth,
  setFamily,
  setHeader,
  setHeaders,
  setMethod,
  setProxy,
  setTarget,
} from '../requests.ts'
import { setRetries } from '../retries.ts'
import { MOST_HEARTBEAT_SEC, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { acceptListed } from '../statuses.ts'
import { APP_COLUMNS, grpcKeyword } from './apps.ts'
import { type MonitorDraft, type MonitorRule, onlyFor } from './draft.ts'
import { JSON_QUERY } from './json-query.ts'
import { typeOf, WEB } from './kinds.ts'
import { NETWORK } from './network.ts'
import { GLOBALPING, RABBIT } from './services.ts'

const isWeb = ({ type }: MonitorDraft) => WEB.includes(type)
const forWeb = (rule: MonitorRule) => onlyFor(WEB, rule)
/** Rule for columns of kinds that are not imported at all. */
const foreign: MonitorRule = unread(idle)

const named: MonitorRule = text((value, { draft }) => {
  draft.check.name = draft.heartbeat.name = value
  return carried
})

const active: MonitorRule = flag((isOn, { draft }) => {
  if (!isOn) draft.check.enabled = draft.heartbeat.enabled = false
  return carried
})

const interval: MonitorRule = number((seconds, { draft }) => {
  draft.check.interval_sec = secondsWithin(seconds, MOST_INTERVAL_SEC)
  draft.heartbeat.interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
  return seconds > MOST_INTERVAL_SEC ? differently(`${MOST_INTERVAL_SEC} s is the maximum`) : carried
})

/** Returns the timeout of a monitor. If there is none, Kuma uses 80% of the interval. */
function timeoutOf({ timeout: given, interval: every }: Fields): number {
  const seconds = numberOf(given) ?? 0
  return seconds > 0 ? seconds : (numberOf(every) ?? 60) * 0.8
}

const timeout: MonitorRule = number((given, { draft, source }) => {
  if (draft.type === 'push') return idle
  const seconds = timeoutOf(source)
  draft.check.timeout_sec = secondsWithin(Math.ceil(seconds), MOST_TIMEOUT_SEC)
  if (seconds > MOST_TIMEOUT_SEC) return differently(`timeout_sec ${MOST_TIMEOUT_SEC}, the maximum`)
  return given > 0
    ? carried
    : differently(`timeout_sec ${draft.check.timeout_sec}: 80% of the interval, as in Uptime Kuma`)
})

/** Rule for both fields of retries, which report the same. */
const retries: MonitorRule = number((_value, { draft, source }) => {
  const [count, seconds] = [numberOf(source.maxretries) ?? 0, numberOf(source.interval) ?? 60]
  if (count === 0) return idle
  const pause = numberOf(source.retry_interval) || seconds
  if (draft.type !== 'push') {
    const limit = secondsWithin(Math.ceil(timeoutOf(source)), MOST_TIMEOUT_SEC)
    return setRetries(draft.check, { count, pause, interval: seconds, timeout: limit })
  }
  draft.heartbeat.grace_sec = secondsWithin(count * pause, MOST_HEARTBEAT_SEC)
  return differently(`grace_sec ${draft.heartbeat.grace_sec}: the time that its retries take`)
})

const reminder: MonitorRule = number((count, { draft, source }) => {
  if (count === 0) return idle
  const seconds = secondsWithin(count * (numberOf(source.interval) ?? 60), MOST_HEARTBEAT_SEC)
  draft.check.resend_interval_sec = draft.heartbeat.resend_interval_sec = seconds
  return differently(`resend_interval_sec ${seconds}: every ${count === 1 ? 'failure' : `${count} failures`}`)
})

const target: MonitorRule = onlyFor(
  [...WEB, 'websocket-upgrade'],
  text((value, { draft }) => {
    setTarget(draft.check, draft.asking, value)
    return carried
  }),
)

/** Rule for a list of texts in a JSON column. */
const statuses: MonitorRule = anyValue((value, it) => {
  return texts((codes, { draft }: typeof it) => acceptListed(draft.check, codes)).read(jsonIn(value), it)
})

const keyword: MonitorRule = onlyFor(
  ['keyword', 'grpc-keyword'],
  text((value, { draft, source, ...it }) => {
    if (draft.type === 'grpc-keyword') return grpcKeyword.read(value, { ...it, draft, source })
    draft.check.match_string = value
    if (flagOf(source.invert_keyword) === true) draft.check.match_mode = 'not_contains'
    return carried
  }),
)

const method: MonitorRule = forWeb(
  text((value, { draft, source }) => {
    const body = textOf(source.body).trim() === '' ? '' : textOf(source.body)
    return setMethod(draft.check, draft.asking, value, body)
  }),
)

const body: MonitorRule = text((value, { draft, source }) => {
  if (!isWeb(draft) || value.trim() === '') return idle
  const type = entryOf(TYPES, textOf(source.http_body_encoding) || 'json')
  setMethod(draft.check, draft.asking, textOf(source.method), value)
  if (type) setHeader(draft.check, draft.asking, 'Content-Type', type)
  return carried
})

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
}

const headers: MonitorRule = forWeb(
  anyValue((value, { draft }) => {
    const given = jsonIn(value)
    return isFields(given)
      ? setHeaders(draft.check, draft.asking, given)
      : impossible('must be an object whose values are text')
  }),
)

/** Applies a rule only to some ways to sign in. The fields of the others keep old values without effect. */
function signIn(methods: readonly string[], rule: MonitorRule): MonitorRule {
  return onlyWhere(({ draft, source }) => isWeb(draft) && methods.includes(textOf(source.auth_method)), rule)
}

const basic: MonitorRule = text((_value, { draft, source }) => {
  setBasicAuth(draft.check, draft.asking, textOf(source.basic_auth_user), textOf(source.basic_auth_pass))
  return differently('becomes an Authorization header whose value comes from the environment')
})

const bearer: MonitorRule = text((value, { draft }) => {
  setHeader(draft.check, draft.asking, 'Authorization', `Bearer ${value}`)
  return differently('becomes an Authorization header whose value comes from the environment')
})

const authMethod: MonitorRule = forWeb(
  text((value) => {
    const isKnown = ['none', 'basic', 'bearer'].includes(value)
    const why = entryOf(NO_AUTH, value) ?? (isKnown ? undefined : 'this sign-in method is not supported')
    return why === undefined ? carried : impossible(why)
  }),
)

const NO_AUTH: Readonly<Record<string, string>> = {
  ntlm: 'NTLM is not supported',
  mtls: 'client certificates are not supported',
  'oauth2-cc': 'OAuth is not supported; set an Authorization header with a long-lived token',
}

const certificate: MonitorRule = flag((isOn, { draft, source }) => {
  const isHttps = isWeb(draft) && textOf(source.url).toLowerCase().startsWith('https:')
  if (!isOn || !isHttps || draft.certificateDays.length === 0) return idle
  const most = Math.max(...draft.certificateDays)
  draft.check.cert_warn_days = most
  const days = draft.certificateDays.join(', ')
  return differently(
    `cert_warn_days ${most}: the check is degraded from then on, instead of sending alerts ${days} days before expiry`,
  )
})

const MOST_REDIRECTS = 20

const redirects: MonitorRule = number((most, { draft }) => {
  if (most === 0) draft.check.disable_redirects = true
  // Without `max_redirects`, a check follows at most 10 redirects.
  if (most === 0 || most === 10) return carried
  draft.check.max_redirects = Math.min(MOST_REDIRECTS, Math.max(1, Math.round(most)))
  return draft.check.max_redirects === most ? carried : differently(`max_redirects ${draft.check.max_redirects}`)
})

function switches(field: 'insecure_skip_verify' | 'invert_result'): MonitorRule {
  return flag((isOn, { draft }) => {
    if (!isOn) return idle
    if (draft.type === 'push') return impossible('heartbeats do not support this rule')
    draft.check[field] = true
    return carried
  })
}

const proxy: MonitorRule = text((_value, { draft, source }) => {
  const row = draft.proxies(source.proxy_id)
  if (!row) return impossible('its proxy is missing')
  const [protocol, host, port, user, password] = ['protocol', 'host', 'port', 'username', 'password'].map((column) =>
    isBlank(row[column]) ? '' : textOf(row[column]) || undefined,
  )
  if (user === undefined || password === undefined || flagOf(row.auth ?? false) === undefined)
    return impossible('the login of its proxy must be text')
  const login = flagOf(row.auth) === true ? { user, password } : {}
  return setProxy(draft.check, draft.asking, { protocol: protocol ?? '', host: host ?? '', port: port ?? '', ...login })
})

const pushToken: MonitorRule = unread(differently('Dogwatch creates a new ping URL; update the job to call it'))
/** Rules for the columns, by their names in the database. */
export const MONITOR: Rules<MonitorDraft> = {
  id: internal,
  name: named,
  active,
  user_id: internal,
  interval,
  url: target,
  type: text(carried),
  weight: lostUnless(number, [2000], 'checks are listed in order of creation'),
  ...NETWORK,
  ...APP_COLUMNS,
  created_date: history,
  keyword,
  maxretries: retries,
  ignore_tls: switches('insecure_skip_verify'),
  upside_down: switches('invert_result'),
  maxredirects: forWeb(redirects),
  accepted_statuscodes_json: forWeb(statuses),
  dns_last_result: foreign,
  retry_interval: retries,
  push_token: onlyFor(['push'], pushToken),
  method,
  body,
  headers,
  basic_auth_user: signIn(['basic'], basic),
  basic_auth_pass: signIn(['basic'], basic),
  docker_host: foreign,
  docker_container: foreign,
  proxy_id: forWeb(proxy),
  expiry_notification: certificate,
  auth_method: authMethod,
  auth_domain: signIn(['ntlm'], unread(impossible('NTLM is not supported'))),
  auth_workstation: signIn(['ntlm'], unread(impossible('NTLM is not supported'))),
  radius_username: foreign,
  radius_calling_station_id: foreign,
  radius_called_station_id: foreign,
  radius_secret: foreign,
  resend_interval: reminder,
  game: foreign,
  http_body_encoding: forWeb(
    onlyWhere(
      ({ source }) => textOf(source.body).trim() !== '',
      text((value) => (entryOf(TYPES, value) ? carried : impossible('is not a known encoding'))),
    ),
  ),
  description: unread(impossible('checks have no description; consider a tag')),
  tls_ca: signIn(['mtls'], unread(impossible('client certificates are not supported'))),
  tls_cert: signIn(['mtls'], unread(impossible('client certificates are not supported'))),
  tls_key: signIn(['mtls'], unread(impossible('client certificates are not supported'))),
  parent: text(differently('becomes a tag with the name of the group')),
  invert_keyword: onlyFor(['keyword', 'grpc-keyword'], flag(carried)),
  ...JSON_QUERY,
  retry_only_on_status_code_failure: onlyFor(
    ['json-query'],
    lostUnless(flag, [false], 'checks retry after every failure'),
  ),
  kafka_producer_topic: foreign,
  kafka_producer_brokers: foreign,
  kafka_producer_sasl_options: foreign,
  kafka_producer_message: foreign,
  kafka_producer_ssl: foreign,
  kafka_producer_allow_auto_topic_creation: foreign,
  oauth_client_id: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  oauth_client_secret: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  oauth_token_url: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  oauth_scopes: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  oauth_audience: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  oauth_auth_method: signIn(['oauth2-cc'], unread(impossible('OAuth is not supported'))),
  timeout,
  gamedig_given_port_only: foreign,
  gamedig_token: foreign,
  mqtt_websocket_path: foreign,
  remote_browser: foreign,
  screenshot_delay: foreign,
  snmp_oid: foreign,
  snmp_version: foreign,
  snmp_v3_username: foreign,
  cache_bust: forWeb(lostUnless(flag, [false], 'checks add nothing to the URL; consider a Cache-Control header')),
  ...RABBIT,
  ping_numeric: foreign,
  ip_family: forWeb(text((value, { draft }) => setFamily(draft.check, value))),
  manual_status: foreign,
  domain_expiry_notification: flag((isOn) => (isOn ? differently('becomes a check of the domain') : idle)),
  save_response: forWeb(
    lostUnless(flag, [false], 'results store the beginning of a response; see result_detail_max_chars'),
  ),
  save_error_response: foreign,
  response_max_length: foreign,
  system_service_name: foreign,
  ...GLOBALPING,
  expected_tls_alert: onlyFor(['port'], lostUnless(text, ['none'], 'expected TLS alerts are not supported')),
  bearer_token: signIn(['bearer'], bearer),
}

export function newDraft(
  monitor: Fields,
  asking: ItemContext,
  { certificateDays, proxies }: Pick<MonitorDraft, 'certificateDays' | 'proxies'>,
): MonitorDraft {
  return { type: typeOf(monitor), check: {}, heartbeat: {}, asking, certificateDays, proxies }
}
