// Imports the monitors and heartbeats of Better Stack from the JSON of its API.
import { basename } from 'node:path'
import type { Scheme } from '@dogwatch/check-rules/schemes'
import type { FileCheck, FileHeartbeat } from '../file/format.ts'
import {
  Audit,
  anyValue,
  carried,
  differently,
  entryOf,
  type Fields,
  flag,
  history,
  idle,
  impossible,
  internal,
  isBlank,
  isFields,
  lostUnless,
  number,
  numberOf,
  objectOf,
  objects,
  objectsOf,
  onlyWhere,
  type Rule,
  type Rules,
  readFields,
  text,
  textOf,
  texts,
  UNKNOWN,
  unread,
  type Whole,
  within,
} from './audit.ts'
import { serverUrl } from './dialogues.ts'
import { type ImportResult, Moving } from './moving.ts'
import { pageIn, reportMissingPages } from './paging.ts'
import { setMatch } from './patterns.ts'
import { ImportError, readJson, requireFields } from './reading.ts'
import {
  type ItemContext,
  setBasicAuth,
  setFamily,
  setHeaders,
  setMethod,
  setProxyUrl,
  setTarget,
  socketUrl,
} from './requests.ts'
import { graceWithin, MOST_HEARTBEAT_SEC, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from './schedules.ts'
import { readWindow } from './stack-windows.ts'
import { acceptListed, acceptStatuses } from './statuses.ts'
import { dnsUrl, pingUrl, requireResponse, udpUrl } from './targets.ts'

interface Draft {
  type: string
  check: FileCheck
  heartbeat: FileHeartbeat
  asking: ItemContext
}

type StackRule = Rule<Draft>

const WEB = ['status', 'expected_status_code', 'keyword', 'keyword_absence']
const NETWORK = ['tcp', 'udp', 'ping', 'dns']
/** Schemes and the TLS port of a mail server, by the type of its monitor. */
const MAIL: Readonly<Record<string, { plain: Scheme; secure: Scheme; port: string }>> = {
  smtp: { plain: 'smtp', secure: 'smtps', port: '465' },
  pop: { plain: 'pop3', secure: 'pop3s', port: '995' },
  imap: { plain: 'imap', secure: 'imaps', port: '993' },
}
const TELLING = 'the API does not return alert destinations; create channels and routes'
const PEOPLE: StackRule = lostUnless(flag, [false], TELLING)

const isWeb = ({ type }: Draft) => WEB.includes(type)
const forWeb = (rule: StackRule): StackRule => onlyWhere(({ draft }) => isWeb(draft), rule)

function portsOf({ port }: Fields): string[] {
  return textOf(port)
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
}

const target: StackRule = text((value, { draft, source }) => {
  if (isWeb(draft)) {
    setTarget(draft.check, draft.asking, value)
    return carried
  }
  if (draft.type === 'ping') {
    draft.check.url = pingUrl(value)
    return carried
  }
  if (draft.type === 'dns') {
    draft.check.url = dnsUrl({ resolver: value, port: portsOf(source)[0] ?? '', name: textOf(source.request_body) })
    return differently('the check queries records of type A')
  }
  const mail = entryOf(MAIL, draft.type)
  const ports = portsOf(source)
  const [port = '', ...others] = ports
  if (mail) draft.check.url = serverUrl(port === mail.port ? mail.secure : mail.plain, value, port)
  else draft.check.url = draft.type === 'udp' ? udpUrl(value, port) : socketUrl('tcp', value, port)
  if (others.length > 0) return differently(`only port ${port}; create checks for ${others.slice(0, 5).join(', ')}`)
  return draft.type === 'udp' ? differently('the check sends an empty datagram') : carried
})

const keyword: StackRule = onlyWhere(
  ({ draft }) => draft.type.startsWith('keyword') || draft.type === 'udp',
  text((value, { draft }) => {
    return setMatch(draft.check, value, draft.type === 'keyword_absence' ? 'not_contains' : 'contains')
  }),
)

const interval: StackRule = number((seconds, { draft }) => {
  draft.check.interval_sec = secondsWithin(seconds, MOST_INTERVAL_SEC)
  return carried
})

const timeout: StackRule = number((given, { draft }) => {
  // Monitors of servers have the timeout in milliseconds, and other monitors have it in seconds.
  const seconds = given >= 500 ? given / 1000 : given
  draft.check.timeout_sec = secondsWithin(Math.ceil(seconds), MOST_TIMEOUT_SEC)
  return draft.check.timeout_sec === seconds ? carried : differently(`timeout_sec ${draft.check.timeout_sec}`)
})

const confirmation: StackRule = number((seconds, { draft, source }) => {
  if (seconds <= 0) return idle
  draft.check.down_interval_sec = Math.min(1000, 1 + Math.ceil(seconds / (numberOf(source.check_frequency) || 180)))
  return differently(
    `down_interval_sec ${draft.check.down_interval_sec}: the number of failures in a row that fit in ${seconds} s`,
  )
})

const recovery: StackRule = number((seconds, { draft, source }) => {
  const count = Math.min(100, 1 + Math.floor(seconds / (numberOf(source.check_frequency) || 180)))
  if (count <= 1) return idle
  draft.check.up_successes = count
  return differently(`up_successes ${count}: the number of successes in a row that fit in ${seconds} s`)
})

const headers: StackRule = objects((given, { draft }) => {
  if (given.some(({ name }) => textOf(name) === '')) return impossible('one of the headers has no name')
  return setHeaders(draft.check, draft.asking, Object.fromEntries(given.map((one) => [textOf(one.name), one.value])))
})

const signIn: StackRule = text((_value, { draft, source }) => {
  setBasicAuth(draft.check, draft.asking, textOf(source.auth_username), textOf(source.auth_password))
  return differently('becomes an Authorization header whose value comes from the environment')
})

/** Rule for the host of a proxy and for its port. The host can contain a login. */
const proxy: StackRule = text((_value, { draft, source }) =>
  setProxyUrl(draft.check, draft.asking, `http://${textOf(source.proxy_host)}:${textOf(source.proxy_port) || '80'}`),
)

const paused: StackRule = flag((isPaused, { draft }) => {
  if (isPaused) draft.check.enabled = draft.heartbeat.enabled = false
  return isPaused ? carried : idle
})

/** Rule for the state, which also says whether the monitor is paused. */
const status: StackRule = text((value, it) => {
  return value === 'paused' ? paused.read(true, it) : history.read(value, it)
})

const certificate: StackRule = number((days, { draft }) => {
  if (days <= 0) return idle
  draft.check.cert_warn_days = days
  return differently(`cert_warn_days ${days}: the check is degraded from then on`)
})

const named: StackRule = text((value, { draft }) => {
  draft.check.name = draft.heartbeat.name = value
  return carried
})

/** Rule for the fields of the maintenance window, which `readWindow` reads together. */
const window: StackRule = anyValue(() => within)
const group: StackRule = text(differently('becomes a tag with the name of the group'))

const BOTH: Rules<Draft> = {
  status,
  paused,
  paused_at: history,
  created_at: history,
  updated_at: history,
  call: PEOPLE,
  sms: PEOPLE,
  email: PEOPLE,
  push: PEOPLE,
  critical_alert: PEOPLE,
  team_wait: unread(impossible(TELLING)),
  policy_id: unread(impossible(TELLING)),
  expiration_policy_id: unread(impossible(TELLING)),
  team_name: internal,
  maintenance_from: window,
  maintenance_to: window,
  maintenance_timezone: window,
  maintenance_days: window,
}

export const MONITOR: Rules<Draft> = {
  ...BOTH,
  url: target,
  pronounceable_name: named,
  monitor_type: text(carried),
  monitor_group_id: group,
  last_checked_at: history,
  required_keyword: keyword,
  verify_ssl: flag((isOn, { draft }) => {
    if (!isOn) draft.check.insecure_skip_verify = true
    return carried
  }),
  check_frequency: interval,
  http_method: forWeb(
    text((value, { draft, source }) => setMethod(draft.check, draft.asking, value, textOf(source.request_body))),
  ),
  request_timeout: timeout,
  recovery_period: recovery,
  confirmation_period: confirmation,
  request_headers: forWeb(headers),
  request_body: onlyWhere(
    ({ draft }) => isWeb(draft) || draft.type === 'dns',
    text((value, { draft, source }) =>
      draft.type === 'dns' ? carried : setMethod(draft.check, draft.asking, textOf(source.http_method), value),
    ),
  ),
  auth_username: forWeb(signIn),
  auth_password: forWeb(signIn),
  ssl_expiration: certificate,
  domain_expiration: number((days) => (days > 0 ? differently('becomes a check of the domain') : idle)),
  regions: unread(impossible('checks run from your own monitors or the shared ones')),
  follow_redirects: forWeb(
    flag((isOn, { draft }) => {
      if (!isOn) draft.check.disable_redirects = true
      return carried
    }),
  ),
  remember_cookies: forWeb(
    flag((isOn) => (isOn ? carried : differently('checks always keep the cookies of a redirect'))),
  ),
  port: text(carried),
  expected_status_codes: onlyWhere(
    ({ draft }) => draft.type === 'expected_status_code',
    texts((codes, { draft }) => acceptListed(draft.check, codes)),
  ),
  ip_version: text((value, { draft }) => setFamily(draft.check, value)),
  playwright_script: internal,
  scenario_name: internal,
  environment_variables: internal,
  checks_version: internal,
  proxy_host: forWeb(proxy),
  proxy_port: forWeb(proxy),
}

export const HEARTBEAT: Rules<Draft> = {
  ...BOTH,
  url: unread(differently('Dogwatch creates a new ping URL; update the job to call it')),
  name: named,
  period: number((seconds, { draft }) => {
    draft.heartbeat.interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
    return carried
  }),
  grace: number((seconds, { draft }) => {
    draft.heartbeat.grace_sec = graceWithin(seconds)
    return carried
  }),
  heartbeat_group_id: group,
  sort_index: unread(impossible('heartbeats are listed in order of creation')),
  server_timezone: unread(impossible('heartbeats use a time zone only with a cron expression')),
}

interface StackRecord {
  id: string
  type: string
  attributes: Fields
}

export function importBetterStack(paths: readonly string[], now: Date): ImportResult {
  const audit = new Audit()
  const into = new Moving(audit)
  const files = paths.map((path) => requireFields(readJson(path), basename(path)))
  const whole: Whole = { audit, kind: 'file', thing: 'Better Stack' }
  const lists = files.map(({ data }) =>
    objectsOf(whole, isFields(data) ? [data] : data, 'data').map((one) => recordOf(one, whole)),
  )
  const records = lists.flat()
  reportMissingPages(
    audit,
    'Better Stack',
    files.flatMap(({ pagination }, index) => {
      if (!isFields(pagination)) return []
      const { prev, next, last } = pagination
      const page = isBlank(prev) ? 1 : pageIn(textOf(prev)) + 1
      const all = Math.max(page, pageIn(textOf(last)), pageIn(textOf(next)))
      return { list: `${lists[index]?.[0]?.type ?? 'record'}s`, page, held: 1, all }
    }),
  )
  if (!records.some(({ type }) => type === 'monitor' || type === 'heartbeat'))
    throw new ImportError('the file contains no monitors and no heartbeats, so it is not a Better Stack API response')
  const groups = new Map(
    records.filter(({ type }) => type.endsWith('_group')).map(({ id, attributes }) => [id, textOf(attributes.name)]),
  )
  for (const record of records) {
    if (record.type === 'monitor' || record.type === 'heartbeat') readRecord(record, { into, groups, now })
    else readOther(record, audit)
  }
  for (const file of files) {
    for (const [field, value] of Object.entries(file)) {
      if (!['data', 'pagination'].includes(field) && !isBlank(value))
        audit.say('file', 'Better Stack', field, impossible(UNKNOWN))
    }
  }
  return into.finish()
}

const GROUP: Rules<unknown> = {
  name: text(carried),
  sort_index: unread(impossible('tags are not ordered')),
  paused: lostUnless(flag, [false], 'tags cannot pause anything; pause the items themselves'),
  team_name: internal,
  created_at: history,
  updated_at: history,
}

function readOther({ id, type, attributes }: StackRecord, audit: Audit): void {
  const thing = textOf(attributes.name) || id
  if (!type.endsWith('_group'))
    return audit.refuse(type || 'record', thing, '', 'Dogwatch does not support records of this type')
  readFields({ audit, kind: type, thing, source: attributes, draft: {} }, attributes, GROUP)
}

function recordOf({ id, type, attributes }: Fields, whole: Whole): StackRecord {
  const name = `${textOf(type)} ${textOf(id)}`.trim()
  return { id: textOf(id), type: textOf(type), attributes: objectOf(whole, attributes, `${name}: attributes`) }
}

/** Maximum number of days before the end of a registration at which a check warns. */
const MOST_DOMAIN_DAYS = 3650

interface Context {
  into: Moving
  groups: ReadonlyMap<string, string>
  now: Date
}

function readRecord({ id, type: record, attributes: source }: StackRecord, { into, groups, now }: Context): void {
  const { audit } = into
  const isCheck = record === 'monitor'
  const type = isCheck ? textOf(source.monitor_type) : ''
  const name =
    textOf(source.pronounceable_name ?? source.name ?? source.scenario_name) || textOf(source.url) || `${record} ${id}`
  const why = isCheck ? whyNot(type) : undefined
  if (why !== undefined) return audit.refuse(record, name, '', why)
  const section = isCheck ? 'checks' : 'heartbeats'
  const key = into.key(section, name)
  const draft: Draft = { type, check: {}, heartbeat: { grace_sec: 0 }, asking: { into, key, thing: name } }
  const made = { audit, kind: record, thing: name }
  if (type === 'status' || type.startsWith('keyword')) acceptStatuses(draft.check, [{ from: 200, to: 299 }])
  readFields({ ...made, source, draft }, source, isCheck ? MONITOR : HEARTBEAT)
  const group = groups.get(textOf(source.monitor_group_id ?? source.heartbeat_group_id))
  if (group !== undefined) draft.check.tags = draft.heartbeat.tags = [group]
  else if (!isBlank(source.monitor_group_id ?? source.heartbeat_group_id)) {
    audit.say(
      record,
      name,
      'group',
      impossible("the files do not include the group's name; add the response that lists the groups"),
    )
  }
  if (type === 'udp') requireResponse(draft.check)
  const days = numberOf(source.domain_expiration) ?? 0
  if (isCheck && days > 0)
    into.domain(textOf(source.url), Math.min(days, MOST_DOMAIN_DAYS), { kind: record, thing: name })
  if (isCheck) into.check(key, draft.check, made)
  else into.heartbeat(key, draft.heartbeat, made)
  readWindow(source, { into, now, name, scope: isCheck ? { checks: [key] } : { heartbeats: [key] } })
}

function whyNot(type: string): string | undefined {
  if (WEB.includes(type) || NETWORK.includes(type) || Object.hasOwn(MAIL, type)) return undefined
  if (type === 'playwright')
    return 'browser scenarios are not supported; the closest alternative is a heartbeat that the scenario pings at its end'
  return `monitors of type ${type.slice(0, 40) || 'none'} are not supported`
}
