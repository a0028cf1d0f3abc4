// Lists the kinds of channels. All other code looks them up here.
import { alertmanager } from './alertmanager/kind.ts'
import { apprise } from './apprise/kind.ts'
import type { Channel } from './channel.ts'
import { discord } from './discord/kind.ts'
import { openPost } from './egress.ts'
import { email } from './email/kind.ts'
import { googleChat } from './google-chat/kind.ts'
import { gotify } from './gotify/kind.ts'
import type { ChannelKind, ChannelSettings, Field } from './kind.ts'
import { matrix } from './matrix/kind.ts'
import { mattermost } from './mattermost/kind.ts'
import { ntfy } from './ntfy/kind.ts'
import { openKind } from './open-kind.ts'
import { opsgenie } from './opsgenie/kind.ts'
import { pagerduty } from './pagerduty/kind.ts'
import { pushover } from './pushover/kind.ts'
import { signal } from './signal/kind.ts'
import { slack } from './slack/kind.ts'
import { syslog } from './syslog/kind.ts'
import { teams } from './teams/kind.ts'
import { telegram } from './telegram/kind.ts'
import { twilioSms } from './twilio-sms/kind.ts'
import { twilioVoice } from './twilio-voice/kind.ts'
import { webhook } from './webhook/kind.ts'
import { webhookTemplate } from './webhook-template/kind.ts'
import { zulip } from './zulip/kind.ts'

/** The field that switches grouping on or off, for kinds that people read. */
const GROUPING: Field = {
  label: 'Grouping',
  hint: 'Combines alerts from the same 5 s into one message. The default is on.',
  input: 'text',
  shown: 'never',
  isSecret: false,
  isOptional: true,
  options: ['on', 'off'],
}

/** All kinds, in display order. */
const KINDS: ChannelKind[] = [
  ntfy,
  email,
  webhook,
  slack,
  discord,
  teams,
  telegram,
  pagerduty,
  opsgenie,
  pushover,
  gotify,
  mattermost,
  googleChat,
  matrix,
  zulip,
  twilioSms,
  twilioVoice,
  signal,
  webhookTemplate,
  alertmanager,
  syslog,
  apprise,
].map(withGrouping)

function withGrouping(kind: ChannelKind): ChannelKind {
  if (kind.grouped === undefined) return kind
  return { ...kind, fields: { ...kind.fields, grouping: GROUPING }, example: { ...kind.example, grouping: 'on' } }
}

/** Returns the maximum number of alerts in one message to a channel. It is 1 unless its kind has groups and grouping is on. */
export function groupSize({
  kind,
  destination,
}: {
  kind: string
  destination: Readonly<Record<string, string>>
}): number {
  return destination.grouping === 'off' ? 1 : (findKind(kind)?.grouped ?? 1)
}

export function channelKinds(): readonly ChannelKind[] {
  return KINDS
}

export function kindNames(): string[] {
  return KINDS.map(({ name }) => name)
}

export function findKind(name: string): ChannelKind | undefined {
  return KINDS.find((kind) => kind.name === name)
}

/** Whether a kind sends alerts by email, and so needs a mail server. */
export function goesByMail(name: string): boolean {
  return Object.values(findKind(name)?.fields ?? {}).some(({ isMailbox, isOptional }) => isMailbox && !isOptional)
}

/**
 * Whether all organisations send through one account of the operator, and so share one quota. Email is limited by mailbox
 * instead.
 */
export function sharesQuota(name: string): boolean {
  const sending = findKind(name)?.sending
  return sending?.by === 'http' && sending.server === 'operator'
}

/** Returns the names of the fields of all kinds, each once. Kinds can share a field. */
export function fieldNames(): string[] {
  return [...new Set(KINDS.flatMap(({ fields }) => Object.keys(fields)))]
}

/** Adds a kind. The caller must do this before the registry is used. */
export function registerKind(kind: ChannelKind): void {
  if (findKind(kind.name)) throw new Error(`there is a kind ${kind.name} already`)
  KINDS.push(kind)
}

/** Channels by the name of the kind. */
export type Channels = Readonly<Record<string, Channel>>

/** Opens a channel for each kind. Requests to URLs that users typed go through a guard. Those to URLs of the operator do not. */
export function createChannels(settings: ChannelSettings): Channels {
  const posts = { receiver: openPost(settings), operator: openPost('anywhere') }
  return Object.fromEntries(KINDS.map((kind) => [kind.name, openKind(kind, posts, settings)]))
}
