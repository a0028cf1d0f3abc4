// Imports the alerting of Gatus: its providers as channels, and the alerts of endpoints as thresholds and routes.
import type { FileCheck } from '../../file/format.ts'
import {
  type Audit,
  carried,
  differently,
  duration,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  inside,
  internal,
  isBlank,
  isFields,
  listOf,
  lostUnless,
  number,
  objects,
  type Rules,
  readFields,
  text,
  textOf,
  texts,
  unread,
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
import { MOST_HEARTBEAT_SEC, secondsWithin } from '../schedules.ts'

const COMMON: ChannelRules = {
  'default-alert': inside('default-alert', () => DEFAULTS),
  overrides: objects(differently('becomes a separate channel for each group')),
  group: text(idle),
  client: unread(impossible('client certificates, proxies and tunnels are not supported for alerts')),
  insecure: lostUnless(flag, [false], "Dogwatch always verifies the receiver's certificate"),
  title: wording,
}

function provider(kind: string, rules: ChannelRules): Provider {
  return { kind, rules: { ...COMMON, ...rules } }
}

const teams = provider('teams', { 'webhook-url': to('teams_url') })

const PROVIDERS = new Map(
  Object.entries<Provider>({
    custom: provider('webhook', {
      url: to('webhook_url'),
      method: text((value) => (value.toUpperCase() === 'POST' ? idle : impossible('webhooks are sent with POST'))),
      body: unread(impossible('use the kind webhook-template for a custom body, in Liquid')),
      headers: unread(impossible('use the kind webhook-template for custom headers')),
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
      channel: unread(impossible('the webhook determines the channel')),
    }),
    ntfy: provider('ntfy', {
      topic: to('ntfy_topic'),
      url: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      token: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      priority: urgency,
      click: wording,
      email: unread(impossible('Dogwatch does not send email through ntfy; create a channel of kind email')),
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
      recipients: texts(([first = '', ...others], { draft }) => {
        setField(draft, 'signal_to', first)
        return others.length > 0 ? impossible('a channel has one recipient; only the first was imported') : carried
      }),
    }),
    slack: provider('slack', { 'webhook-url': to('webhook_url') }),
    teams,
    'teams-workflows': teams,
    telegram: provider('telegram', {
      token: to('telegram_token'),
      id: to('telegram_chat'),
      'topic-id': to('telegram_topic'),
      'api-url': lostUnless(text, ['https://api.telegram.org'], 'Dogwatch always uses api.telegram.org'),
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
      domain: text((value, { draft }) => {
        setField(draft, 'zulip_url', `https://${value}`)
        return carried
      }),
      'channel-id': text((value, { draft }) => {
        setField(draft, 'zulip_channel', value)
        return differently("zulip_channel contains a channel ID; replace it with the channel's name")
      }),
    }),
  }),
)

/** All events except recovery, because Gatus reports recoveries only on request. */
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

/** A provider: its channels, those of groups with overrides, and the defaults of its alerts. */
interface KnownProvider {
  channels: readonly string[]
  byGroup: ReadonlyMap<string, readonly string[]>
  defaults: Fields
}

export type Alerting = ReadonlyMap<string, KnownProvider>

export function readAlerting(alerting: Fields, into: Moving, audit: Audit): Alerting {
  const known = new Map<string, KnownProvider>()
  for (const [type, given] of Object.entries(alerting)) {
    const provider = PROVIDERS.get(type)
    if (provider && isBlank(given)) continue
    if (provider && !isFields(given)) audit.refuse('alerting', type, '', 'must be an object')
    if (!provider) {
      audit.refuse(
        'alerting',
        type,
        '',
        'Dogwatch has no channel of this kind; the closest alternative is webhook-template',
      )
    }
    if (!provider || !isFields(given)) continue
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

/** Rules for the fields of an endpoint's alert. */
const ALERT: Rules<AlertDraft> = {
  type: text((value, { draft }) => {
    const { channels, byGroup } = draft.alerting.get(value) ?? {}
    const told = byGroup?.get(draft.group) ?? channels ?? []
    return told.length > 0 ? carried : impossible('its provider was not imported')
  }),
  enabled: flag(carried),
  'failure-threshold': number((value, { draft }) => threshold('down_interval_sec', value, draft)),
  'success-threshold': number((value, { draft }) => threshold('up_successes', value, draft)),
  'send-on-resolved': flag(carried),
  description: wording,
  'minimum-reminder-interval': duration((seconds, { draft }) => {
    if (seconds > 0) draft.check.resend_interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
    return carried
  }),
  'provider-override': unread(impossible('a channel sends every alert the same way; create a second channel')),
}

/** Rules for the defaults of a provider's alerts. Each alert of the provider is read with these defaults. */
const DEFAULTS: ChannelRules = {
  enabled: flag(carried),
  'failure-threshold': number(carried),
  'success-threshold': number(carried),
  'send-on-resolved': flag(carried),
  description: wording,
  'minimum-reminder-interval': duration(carried),
}

/** Rules for an alert that is disabled, whose other fields have no effect. */
const OFF: Rules<AlertDraft> = {
  ...Object.fromEntries(Object.keys(ALERT).map((field) => [field, internal])),
  enabled: flag(carried),
}

function threshold(field: 'down_interval_sec' | 'up_successes', value: number, { check }: AlertDraft) {
  const count = Math.max(1, Math.round(value))
  const held = check[field]
  if (held !== undefined && held !== count)
    return differently(`${field} ${held}, as set by another alert of the endpoint`)
  check[field] = Math.min(count, field === 'up_successes' ? 100 : 1000)
  return carried
}

/** Reads the alerts of an endpoint, with the defaults of their providers. */
export function readAlerts(
  given: unknown,
  draft: AlertDraft,
  { audit, kind, thing }: { audit: Audit; kind: string; thing: string },
): void {
  for (const [index, own] of listOf(given).entries()) {
    if (!isFields(own)) {
      audit.say(kind, thing, `alerts[${index}]`, impossible('must be an object'))
      continue
    }
    const provider = draft.alerting.get(textOf(own.type))
    const alert: Fields = { ...provider?.defaults, ...own }
    const isOn = flagOf(alert.enabled) !== false
    const whole = isOn ? { 'failure-threshold': FAILURES, 'success-threshold': SUCCESSES, ...alert } : own
    readFields({ audit, kind, thing, source: whole, draft }, whole, isOn ? ALERT : OFF, `alerts[${index}].`)
    if (!provider || !isOn) continue
    draft.into.tells({
      section: draft.section,
      key: draft.key,
      channels: provider.byGroup.get(draft.group) ?? provider.channels,
      ...(flagOf(alert['send-on-resolved']) !== true && { events: WITHOUT_UP }),
    })
  }
}
