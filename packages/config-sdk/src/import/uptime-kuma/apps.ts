// Rules for the columns of monitors of applications: WebSockets, gRPC services, MQTT brokers and databases.
import {
  anyValue,
  carried,
  differently,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  isFields,
  lostUnless,
  text,
  textOf,
} from '../audit.ts'
import { setRedis } from '../dialogues.ts'
import { setMatch } from '../patterns.ts'
import { jsonIn } from '../reading.ts'
import { type ItemContext, setHeader, setHeaders } from '../requests.ts'
import { databaseUrl, grpcUrl, isReadingQuery, mqttUrl } from '../targets.ts'
import { type MonitorDraft, type MonitorRule, onlyFor } from './draft.ts'

/** Types of Uptime Kuma's monitors of applications. */
export const APPS: readonly string[] = ['websocket-upgrade', 'grpc-keyword', 'mqtt', 'postgres', 'mysql']
const DATABASES = ['postgres', 'mysql']

const HEALTH = '{"status":"SERVING"}'

/** Returns why a monitor of an application is not imported, as a whole. */
export function whyNoApp(monitor: Fields): string | undefined {
  const { type, hostname, grpc_url, database_connection_string: connection } = monitor
  if (type === 'mqtt' && /^(?:https?|wss?):/i.test(textOf(hostname))) return 'MQTT over WebSockets is not supported'
  if (type === 'grpc-keyword' && !callsHealth(monitor))
    return `checks call only the standard health service of gRPC; the closest alternative is a check of grpc://${textOf(grpc_url).slice(0, 200) || 'HOST:PORT'}`
  const isDatabase = DATABASES.includes(textOf(type))
  return isDatabase && !connectionOf(textOf(type), textOf(connection))
    ? 'its connection string is not a URL with a user'
    : undefined
}

function callsHealth({ grpc_protobuf, grpc_service_name, grpc_method }: Fields): boolean {
  const isStandard = /\bpackage\s+grpc\.health\.v1\s*;/.test(textOf(grpc_protobuf))
  return isStandard && /(?:^|\.)Health$/.test(textOf(grpc_service_name)) && /^check$/i.test(textOf(grpc_method))
}

function connectionOf(type: string, text: string): URL | undefined {
  const isOfType = type === 'postgres' ? /^postgres(?:ql)?:\/\//i : /^mysql:\/\//i
  const url = isOfType.test(text) && URL.canParse(text) ? new URL(text) : undefined
  return url && url.username !== '' && url.hostname !== '' ? url : undefined
}

/** Returns the target of an MQTT broker, which depends on several columns. */
export function brokerUrl(source: Fields, { into, key, thing }: ItemContext): string {
  const [, scheme = 'mqtt', host = ''] = /^(?:(mqtts?):\/\/)?(.*)$/is.exec(textOf(source.hostname).trim()) ?? []
  const password = encodeURIComponent(textOf(source.mqtt_password))
  return mqttUrl({
    isTls: scheme.toLowerCase() === 'mqtts',
    host,
    port: textOf(source.port),
    user: encodeURIComponent(textOf(source.mqtt_username)),
    password: password === '' ? '' : into.secret(password, `password in the URL of ${thing}`, key, 'password'),
    topic: textOf(source.mqtt_topic),
  })
}

const grpcTarget: MonitorRule = text((value, { draft, source }) => {
  const body = jsonIn(source.grpc_body)
  const service = isFields(body) ? textOf(body.service) : ''
  draft.check.url = grpcUrl(value, { service, isTls: flagOf(source.grpc_enable_tls) === true })
  return carried
})

/** Rule for a request to the health service, which has one field. */
const body: MonitorRule = anyValue((value) => {
  const given = jsonIn(value)
  const isRequest =
    isFields(given) && Object.entries(given).every(([name, one]) => name === 'service' && textOf(one) !== '')
  return isRequest ? carried : impossible('must be an object with the text service')
})

/** Rule for the text that a response must contain. Of the states, only SERVING passes. */
export const grpcKeyword: MonitorRule = text((value, { source }) => {
  if (flagOf(source.invert_keyword) === true || !HEALTH.includes(value))
    return impossible('of the states of a service, only SERVING passes')
  return differently('only the state SERVING passes')
})

const metadata: MonitorRule = anyValue((value, { draft }) => {
  const given = jsonIn(value)
  return isFields(given)
    ? setHeaders(draft.check, draft.asking, given)
    : impossible('must be an object whose values are text')
})

const success: MonitorRule = text((value, { draft, source }) => {
  if (textOf(source.mqtt_check_type) === 'json-query') return idle
  const said = setMatch(draft.check, value)
  return said.list === 'carried' ? differently('any message in time may contain the text, not only the first') : said
})

/** Modes of TLS of PostgreSQL, as the driver of Uptime Kuma reads them. */
const VERIFIED = ['prefer', 'require', 'verify-ca', 'verify-full']

const connection: MonitorRule = text((value, it) => {
  if (it.draft.type === 'redis') return setRedis(it.draft.check, it.draft.asking, value)
  const url = connectionOf(it.draft.type, value)
  if (!url) return impossible('is not a URL with a user')
  const { isTls, lost } = readParameters(url, it.draft)
  it.draft.check.url = databaseUrl(it.draft.type === 'mysql' ? 'mysql' : 'postgres', {
    url,
    password: passwordOf(url, it.source, it.draft),
    isTls,
    query: textOf(it.source.database_query),
  })
  const told = 'a password becomes a variable, and only your own monitors run the check'
  return differently(lost.length === 0 ? told : `${told}; without ${lost.join(', ').slice(0, 200)}`)
})

function passwordOf(url: URL, { radius_password }: Fields, { type, asking }: MonitorDraft): string {
  const own = type === 'mysql' ? encodeURIComponent(textOf(radius_password)) : ''
  const password = own || url.password
  return password === ''
    ? ''
    : asking.into.secret(password, `password in the URL of ${asking.thing}`, asking.key, 'password')
}

function readParameters({ searchParams }: URL, { type, check }: MonitorDraft): { isTls: boolean; lost: string[] } {
  const lost: string[] = []
  let isTls = false
  for (const [name, value] of searchParams) {
    const isMode = type === 'postgres' && (name === 'sslmode' || name === 'ssl')
    if (isMode && ['disable', 'false', '0'].includes(value)) continue
    if (isMode && (value === 'no-verify' || VERIFIED.includes(value) || ['true', '1'].includes(value))) {
      isTls = true
      if (value === 'no-verify') check.insecure_skip_verify = true
    } else lost.push(name)
  }
  return { isTls, lost }
}

const query: MonitorRule = text((value) =>
  isReadingQuery(value)
    ? carried
    : impossible('a query must begin with SELECT, SHOW, WITH, VALUES or TABLE; the check only signs in'),
)

const subprotocol: MonitorRule = text((value, { draft }) => {
  setHeader(draft.check, draft.asking, 'Sec-WebSocket-Protocol', value)
  return carried
})

export const APP_COLUMNS = {
  mqtt_topic: onlyFor(['mqtt'], text(carried)),
  mqtt_success_message: onlyFor(['mqtt'], success),
  mqtt_username: onlyFor(['mqtt'], text(carried)),
  mqtt_password: onlyFor(['mqtt'], text(carried)),
  mqtt_check_type: onlyFor(
    ['mqtt'],
    lostUnless(text, ['keyword'], 'JSON rules on messages are not supported; the check waits for any message'),
  ),
  grpc_url: onlyFor(['grpc-keyword'], grpcTarget),
  grpc_body: onlyFor(['grpc-keyword'], body),
  grpc_enable_tls: onlyFor(['grpc-keyword'], flag(carried)),
  grpc_protobuf: onlyFor(['grpc-keyword'], text(carried)),
  grpc_service_name: onlyFor(['grpc-keyword'], text(carried)),
  grpc_method: onlyFor(['grpc-keyword'], text(carried)),
  grpc_metadata: onlyFor(['grpc-keyword'], metadata),
  database_connection_string: onlyFor([...DATABASES, 'redis'], connection),
  database_query: onlyFor(DATABASES, query),
  radius_password: onlyFor(['mysql'], text(carried)),
  ws_subprotocol: onlyFor(['websocket-upgrade'], subprotocol),
  ws_ignore_sec_websocket_accept_header: onlyFor(
    ['websocket-upgrade'],
    lostUnless(flag, [false], 'checks require a valid handshake'),
  ),
} satisfies Readonly<Record<string, MonitorRule>>
