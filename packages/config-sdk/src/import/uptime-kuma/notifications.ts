// Converts notifications of Uptime Kuma to channels.
import {
  carried,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  internal,
  isFields,
  lostUnless,
  text,
  textOf,
  UNKNOWN,
  unread,
} from '../audit.ts'
import {
  addresses,
  always,
  type ChannelRules,
  type ChannelSource,
  mailServer,
  makeChannels,
  type Provider,
  setField,
  signalServer,
  to,
  urgency,
  wording,
} from '../channels.ts'
import { jsonIn } from '../reading.ts'

/** Rules for the fields of every notification. */
const COMMON: ChannelRules = {
  type: text(carried),
  name: internal,
  id: internal,
  userId: internal,
  active: internal,
  isDefault: internal,
  applyExisting: internal,
}

/** Makes a rule for a switch. Dogwatch has no such switch: it always does what "off" means. */
const off = (why: string): ChannelRules[string] => flag((isOn) => (isOn ? impossible(why) : idle))

function provider(kind: string, rules: ChannelRules): Provider {
  return { kind, rules: { ...COMMON, ...rules } }
}

const webhook: ChannelRules = {
  webhookURL: to('webhook_url'),
  httpMethod: text((value) => (value.toLowerCase() === 'post' ? idle : impossible('webhooks are sent with POST'))),
  webhookContentType: unread(impossible('Dogwatch sends its own body; use the kind webhook-template for a custom one')),
  webhookCustomBody: unread(impossible('use the kind webhook-template for a custom body, in Liquid')),
  webhookAdditionalHeaders: unread(impossible('use the kind webhook-template for custom headers')),
}

/** Providers by their type in Kuma. */
const PROVIDERS = new Map(
  Object.entries<Provider>({
    slack: provider('slack', {
      slackwebhookURL: to('webhook_url'),
      slackchannel: unread(impossible('the webhook determines the channel')),
      slackusername: wording,
      slackiconemo: wording,
      slackbutton: wording,
      slackchannelnotify: off('Dogwatch never mentions everyone in a channel'),
      slackrichmessage: internal,
      slackUseTemplate: off('Dogwatch uses its own message texts'),
      slackTemplate: wording,
      slackIncludeGroupName: off('Dogwatch uses its own message texts'),
    }),
    discord: provider('discord', {
      discordWebhookUrl: to('discord_url'),
      discordUsername: wording,
      discordPrefixMessage: wording,
      discordChannelType: lostUnless(text, ['channel'], 'Dogwatch posts to the channel of the webhook'),
      threadId: unread(impossible('Dogwatch posts to the channel of the webhook')),
      postName: unread(impossible('Dogwatch posts to the channel of the webhook')),
      disableUrl: off('Dogwatch uses its own message texts'),
      discordSuppressNotifications: off('Dogwatch uses its own message texts'),
      discordUseMessageTemplate: off('Dogwatch uses its own message texts'),
      discordMessageFormat: wording,
      discordMessageTemplate: wording,
    }),
    telegram: provider('telegram', {
      telegramBotToken: to('telegram_token'),
      telegramChatID: to('telegram_chat'),
      telegramMessageThreadID: to('telegram_topic'),
      telegramServerUrl: lostUnless(text, ['https://api.telegram.org'], 'Dogwatch always uses api.telegram.org'),
      telegramSendSilently: off('Dogwatch messages are never silent'),
      telegramProtectContent: off('Dogwatch messages can always be forwarded'),
      telegramUseTemplate: off('Dogwatch uses its own message texts'),
      telegramTemplate: wording,
      telegramTemplateParseMode: wording,
    }),
    PagerDuty: provider('pagerduty', {
      pagerdutyIntegrationKey: to('pagerduty_key'),
      pagerdutyIntegrationUrl: text((value, { draft }) => {
        if (value.includes('.eu.')) setField(draft, 'pagerduty_region', 'eu')
        return carried
      }),
      pagerdutyPriority: urgency,
      pagerdutyAutoResolve: always('resolve', 'Dogwatch resolves an incident when its check recovers'),
    }),
    Opsgenie: provider('opsgenie', {
      opsgenieApiKey: to('opsgenie_key'),
      opsgenieRegion: to('opsgenie_region'),
      opsgeniePriority: urgency,
    }),
    pushover: provider('pushover', {
      pushoveruserkey: to('pushover_user'),
      pushoverapptoken: to('pushover_token'),
      pushoverdevice: to('pushover_device'),
      pushoverpriority: urgency,
      pushovertitle: wording,
      pushoversounds: wording,
      pushoversounds_up: wording,
      pushoverttl: wording,
    }),
    gotify: provider('gotify', {
      gotifyserverurl: to('gotify_url'),
      gotifyapplicationToken: to('gotify_token'),
      gotifyPriority: urgency,
    }),
    mattermost: provider('mattermost', {
      mattermostWebhookUrl: to('mattermost_url'),
      mattermostusername: wording,
      mattermostchannel: unread(impossible('the webhook determines the channel')),
      mattermosticonemo: wording,
      mattermosticonurl: wording,
    }),
    GoogleChat: provider('google-chat', {
      googleChatWebhookURL: to('google_chat_url'),
      googleChatUseTemplate: off('Dogwatch uses its own message texts'),
      googleChatTemplate: wording,
      googleChatMaxRetries: unread(impossible('Dogwatch has its own retries')),
    }),
    matrix: provider('matrix', {
      homeserverUrl: to('matrix_url'),
      internalRoomId: to('matrix_room'),
      accessToken: to('matrix_token'),
      matrixUseTemplate: off('Dogwatch uses its own message texts'),
      matrixTemplate: wording,
    }),
    ntfy: provider('ntfy', {
      ntfytopic: to('ntfy_topic'),
      ntfyserverurl: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      ntfyAuthenticationMethod: lostUnless(
        text,
        ['none'],
        'ntfy alerts use the server that your Dogwatch is configured with',
      ),
      ntfyusername: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      ntfypassword: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      ntfyaccesstoken: unread(impossible('ntfy alerts use the server that your Dogwatch is configured with')),
      ntfyPriority: urgency,
      ntfyPriorityDown: urgency,
      ntfyIcon: wording,
      ntfyCall: unread(impossible('Dogwatch makes no phone calls through ntfy; use the kind twilio-voice')),
      ntfyUseTemplate: off('Dogwatch uses its own message texts'),
      ntfyCustomTitle: wording,
      ntfyCustomMessage: wording,
    }),
    smtp: provider('email', {
      smtpTo: addresses,
      smtpCC: addresses,
      smtpBCC: addresses,
      smtpFrom: mailServer,
      smtpHost: mailServer,
      smtpPort: mailServer,
      smtpSecure: mailServer,
      smtpIgnoreTLSError: mailServer,
      smtpIgnoreSTARTTLS: mailServer,
      smtpUsername: mailServer,
      smtpPassword: mailServer,
      smtpDkimDomain: mailServer,
      smtpDkimHashAlgo: mailServer,
      smtpDkimKeySelector: mailServer,
      smtpDkimPrivateKey: mailServer,
      smtpDkimheaderFieldNames: mailServer,
      smtpDkimskipFields: mailServer,
      smtpAdditionalHeaders: mailServer,
      customSubject: wording,
      customBody: wording,
      htmlBody: off('Dogwatch uses its own message texts'),
    }),
    webhook: provider('webhook', webhook),
    teams: provider('teams', {
      webhookUrl: to('teams_url'),
      teamsEnableTags: off('Dogwatch uses its own message texts'),
    }),
    signal: provider('signal', {
      signalURL: signalServer,
      signalNumber: to('signal_from'),
      signalRecipients: text((value, { draft }) => {
        const [first = '', ...others] = value.split(',').map((part) => part.trim())
        setField(draft, 'signal_to', first)
        return others.length > 0 ? impossible('a channel has one recipient; only the first was imported') : carried
      }),
      signalUseTemplate: off('Dogwatch uses its own message texts'),
      signalTemplate: wording,
    }),
    twilio: provider('twilio-sms', {
      twilioAccountSID: to('twilio_account'),
      twilioAuthToken: to('twilio_token'),
      twilioToNumber: to('twilio_to'),
      twilioFromNumber: text((value, { draft, source }) => {
        if (textOf(source.twilioMessagingServiceSID) !== '') return idle
        setField(draft, 'twilio_from', value)
        return carried
      }),
      twilioApiKey: unread(impossible('Dogwatch signs in with the account SID and its auth token')),
      twilioMessagingServiceSID: to('twilio_from'),
    }),
  }),
)

/** Alternatives for types without a kind of channel. */
const NEAREST = new Map(
  Object.entries({
    apprise: 'the kind apprise, which calls an Apprise API server',
    'rocket.chat': 'the kind mattermost, whose webhooks Rocket.Chat understands',
    alerta: 'the kind alertmanager or webhook-template',
    squadcast: 'the kind webhook-template',
    Splunk: 'the kind webhook-template',
    SendGrid: 'the kind email',
    Resend: 'the kind email',
    Brevo: 'the kind email',
    TurboSMTP: 'the kind email',
    JiraServiceManagement: 'the kind opsgenie',
  }),
)

/** Returns the keys of the channels that replace a notification. There are none if Dogwatch has no such kind of channel. */
export function readNotification(row: Fields, into: Omit<ChannelSource, 'kind' | 'name' | 'enabled'>): string[] {
  const config = jsonIn(row.config)
  const name = textOf(row.name) || `notification ${textOf(row.id)}`
  const say = (field: string, said: Parameters<typeof into.audit.say>[3]) =>
    into.audit.say('notification', name, field, said)
  if (!isFields(config)) {
    say('', impossible('its configuration is not valid'))
    return []
  }
  const type = textOf(config.type)
  const known = PROVIDERS.get(type)
  if (!known) {
    const nearest = NEAREST.get(type) ?? 'the kind webhook-template'
    say(
      '',
      impossible(
        `Dogwatch has no channel of kind ${type.slice(0, 40) || 'none'}; the closest alternative is ${nearest}`,
      ),
    )
    return []
  }
  for (const [field, value] of Object.entries(row)) {
    if (value === null || value === '' || field === 'config') continue
    say(field, ofRow(field, value))
  }
  return makeChannels(
    { ...into, kind: 'notification', name, enabled: row.active === undefined || flagOf(row.active) !== false },
    known,
    config,
  )
}

function ofRow(field: string, value: unknown): Parameters<ChannelSource['audit']['say']>[3] {
  if (field === 'id' || field === 'user_id') return idle
  if (field === 'name') return carried
  if (field === 'active' && flagOf(value) !== undefined) return carried
  if (field === 'active') return impossible('must be true or false')
  if (field !== 'is_default') return impossible(UNKNOWN)
  const isOn = flagOf(value)
  if (isOn === undefined) return impossible('must be true or false')
  return isOn
    ? impossible(
        'there is no default channel for new checks: routes decide, and without routes every channel is notified',
      )
    : idle
}
