// Alerting of Gatus: its providers as channels, and the alerts of endpoints as thresholds and routes.
import type { FileCheck } from '../../file/format.ts'
import {
  type Audit,
  carried,
  differently,
  type Fields,
  idle,
  impossible,
  isFields,
  listOf,
  numberOf,
  type Rules,
  readFields,
  textOf,
} from '../audit.ts'
import {
  addresses,
  type ChannelRules,
  mailServer,
  makeChannels,
  type Provider,
  setField,
  signalServer,
  to,
  urgency,
  wording,
} from '../channels.ts'
import type { Moving } from '../moving.ts'
import type { Alerts } from '../routes.ts'
import { durationOf, MOST_HEARTBEAT_SEC, secondsWithin } from '../schedules.ts'

const COMMON: ChannelRules = {
  'default-alert': () => carried,
  overrides: () => differently('a channel of its own for each group that it names'),
  group: () => idle,
  client: () => impossible('Dogwatch sends without a client certificate, a proxy or tunnels'),
  insecure: (value) => (value === false ? idle : impossible('Dogwatch verifies the certificates of all receivers')),
  title: wording,
}

function provider(kind: string, rules: ChannelRules): Provider {
  return { kind, rules: { ...COMMON, ...rules } }
}

const teams = provider('teams', { 'webhook-url': to('teams_url') })

const PROVIDERS: Readonly<Record<string, Provider>> = {
  custom: provider('webhook', {
    url: to('webhook_url'),
    method: (value) => (textOf(value).toUpperCase() === 'POST' ? idle : impossible('a webhook is sent with POST')),
    body: () => impossible('the kind webhook-template has a body of your own, in Liquid'),
    headers: () => impossible('the kind webhook-template has headers of your own'),
    placeholders: wording,
  }),
  discord: provider('discord', { 'webhook-url': to('discord_url'), 'message-content': wording }),
  email: provider('email', {
    to: addresses,
    from: mailServer,
    host: mailServer,
    port: mailServer,
    username: mailServer,
    password: mailServer,
  }),
  'aws-ses': provider('email', {
    to: addresses,
    from: mailServer,
    region: mailServer,
    'access-key-id': mailServer,
    'secret-access-key': mailServer,
  }),
  googlechat: provider('google-chat', { 'webhook-url': to('google_chat_url') }),
  gotify: provider('gotify', { 'server-url': to('gotify_url'), token: to('gotify_token'), priority: urgency }),
  matrix: provider('matrix', {
    'server-url': to('matrix_url'),
    'internal-room-id': to('matrix_room'),
    'access-token': to('matrix_token'),
  }),
  mattermost: provider('mattermost', {
    'webhook-url': to('mattermost_url'),
    channel: () => impossible('the webhook decides the channel'),
  }),
  ntfy: provider('ntfy', {
    topic: to('ntfy_topic'),
    url: () => impossible('alerts go through the ntfy server that your Dogwatch uses'),
    token: () => impossible('the ntfy server is that of your Dogwatch'),
    priority: urgency,
    click: wording,
    email: () => impossible('Dogwatch sends no mail through ntfy: make a channel of the kind email'),
    'disable-cache': wording,
    'disable-firebase': wording,
  }),
  opsgenie: provider('opsgenie', {
    'api-key': to('opsgenie_key'),
    priority: urgency,
    source: wording,
    'entity-prefix': wording,
    'alias-prefix': wording,
    tags: wording,
  }),
  pagerduty: provider('pagerduty', { 'integration-key': to('pagerduty_key') }),
  pushover: provider('pushover', {
    'user-key': to('pushover_user'),
    'application-token': to('pushover_token'),
    device: to('pushover_device'),
    priority: urgency,
    'resolved-priority': urgency,
    sound: wording,
    ttl: wording,
  }),
  signal: provider('signal', {
    'api-url': signalServer,
    number: to('signal_from'),
    recipients: (value, { draft }) => {
      const [first, ...others] = listOf(value)
      setField(draft, 'signal_to', textOf(first))
      return others.length > 0 ? impossible('a channel has one recipient: the first is carried over') : carried
    },
  }),
  slack: provider('slack', { 'webhook-url': to('webhook_url') }),
  teams,
  'teams-workflows': teams,
  telegram: provider('telegram', {
    token: to('telegram_token'),
    id: to('telegram_chat'),
    'topic-id': to('telegram_topic'),
    'api-url': (value) => (value === 'https://api.telegram.org' ? idle : impossible('Dogwatch calls api.telegram.org')),
  }),
  twilio: provider('twilio-sms', {
    sid: to('twilio_account'),
    token: to('twilio_token'),
    from: to('twilio_from'),
    to: to('twilio_to'),
    'text-twilio-triggered': wording,
    'text-twilio-resolved': wording,
  }),
  zulip: provider('zulip', {
    'bot-email': to('zulip_email'),
    'bot-api-key': to('zulip_key'),
    domain: (value, { draft }) => {
      setField(draft, 'zulip_url', `https://${textOf(value)}`)
      return carried
    },
    'channel-id': (value, { draft }) => {
      setField(draft, 'zulip_channel', textOf(value))
      return differently('zulip_channel has the id of the channel: write its name')
    },
  }),
}

/** Everything but recovery: Gatus tells that only when it is asked to. */
const WITHOUT_UP: NonNullable<Alerts['events']> = [
  'down',
  'late',
  'reminder',
  'degraded',
  'certificate',
  'unmonitored',
  'monitor_offline',
  'flapping',
  'report',
]
const FAILURES = 3
const SUCCESSES = 2

/** A provider: its channels, those of groups that it overrides, and what alerts of it are by default. */
interface Known {
  channels: readonly string[]
  byGroup: ReadonlyMap<string, readonly string[]>
  defaults: Fields
}

export type Alerting = ReadonlyMap<string, Known>

export function readAlerting(alerting: unknown, into: Moving, audit: Audit): Alerting {
  const known = new Map<string, Known>()
  for (const [type, given] of Object.entries(isFields(alerting) ? alerting : {})) {
    const provider = Object.hasOwn(PROVIDERS, type) ? PROVIDERS[type] : undefined
    if (!provider || !isFields(given)) {
      audit.refuse(
        'alerting',
        type,
        '',
        'Dogwatch has no channel of this kind; the nearest is the kind webhook-template',
      )
      continue
    }
    const make = (name: string, fields: Fields) =>
      makeChannels({ into, audit, kind: 'alerting', name }, provider, fields)
    const { 'default-alert': defaults, overrides, ...plain } = given
    const groups = listOf(overrides).filter(isFields)
    known.set(type, {
      channels: make(type, { ...given, ...plain }),
      byGroup: new Map(
        groups.map((own) => [textOf(own.group), make(`${type} ${textOf(own.group)}`, { ...plain, ...own })]),
      ),
      defaults: isFields(defaults) ? defaults : {},
    })
  }
  return known
}

export interface AlertDraft {
  check: FileCheck
  section: 'checks' | 'heartbeats'
  key: string
  group: string
  into: Moving
  alerting: Alerting
}

/** What an alert of an endpoint may say. */
const ALERT: Rules<AlertDraft> = {
  type: (value, { draft }) => {
    return draft.alerting.has(textOf(value)) ? carried : impossible('its provider is not carried over')
  },
  enabled: () => carried,
  'failure-threshold': (value, { draft }) => threshold('down_interval_sec', value, draft),
  'success-threshold': (value, { draft }) => threshold('up_successes', value, draft),
  'send-on-resolved': () => carried,
  description: wording,
  'minimum-reminder-interval': (value, { draft }) => {
    const seconds = durationOf(textOf(value))
    if (seconds === undefined) return impossible('it is no duration')
    if (seconds > 0) draft.check.resend_interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
    return carried
  },
  'provider-override': () => impossible('a channel is the same for all that it hears of: make a second one'),
}

function threshold(field: 'down_interval_sec' | 'up_successes', value: unknown, { check }: AlertDraft) {
  const number = Math.max(1, Math.round(numberOf(value) ?? 1))
  const held = check[field]
  if (held !== undefined && held !== number) return differently(`${field} ${held}, as another alert of it says`)
  check[field] = Math.min(number, field === 'up_successes' ? 100 : 1000)
  return carried
}

/** The alerts of an endpoint, with the defaults of their providers. */
export function readAlerts(
  given: unknown,
  draft: AlertDraft,
  { audit, kind, thing }: { audit: Audit; kind: string; thing: string },
): void {
  for (const [index, own] of listOf(given).entries()) {
    if (!isFields(own)) {
      audit.say(kind, thing, `alerts[${index}]`, impossible('it must be an object'))
      continue
    }
    const provider = draft.alerting.get(textOf(own.type))
    const alert: Fields = { ...provider?.defaults, ...own }
    const isOn = alert.enabled !== false
    const whole = isOn ? { 'failure-threshold': FAILURES, 'success-threshold': SUCCESSES, ...alert } : own
    const rules = isOn ? ALERT : Object.fromEntries(Object.keys(ALERT).map((field) => [field, () => carried]))
    readFields({ audit, kind, thing, source: whole, draft }, whole, rules, `alerts[${index}].`)
    if (!provider || !isOn) continue
    draft.into.tells({
      section: draft.section,
      key: draft.key,
      channels: provider.byGroup.get(draft.group) ?? provider.channels,
      ...(alert['send-on-resolved'] !== true && { events: WITHOUT_UP }),
    })
  }
}
