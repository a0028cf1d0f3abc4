// Makes channels from notifications, alerting providers and contacts of other tools.
import type { FileChannel } from '../file/format.ts'
import {
  type Audit,
  carried,
  differently,
  type Fields,
  idle,
  impossible,
  type Rule,
  type Rules,
  readFields,
  text,
  unread,
} from './audit.ts'
import { HIDDEN_FIELDS, REQUIRED } from './channel-fields.gen.ts'
import type { Moving } from './moving.ts'

export interface ChannelDraft {
  into: Moving
  key: string
  thing: string
  destination: Record<string, string>
  enabled: boolean
  /** Further addresses of an email notification. Each becomes a channel of its own. */
  others: string[]
}

export type ChannelRules = Rules<ChannelDraft>

/** A kind of receiver in another tool, and the kind of channel that it becomes. */
export interface Provider {
  kind: string
  rules: ChannelRules
}

/** Fields with the URL of a server that needs a separate secret or none, so that files contain the URL as it is. */
const SERVER_URLS = ['alertmanager_url', 'apprise_url', 'gotify_url', 'matrix_url', 'signal_url', 'zulip_url']
/** Secret fields of destinations. Anyone who knows their values can send in the organisation's name, or read its messages. */
const SECRETS = new Set(['ntfy_topic', ...HIDDEN_FIELDS.filter((field) => !SERVER_URLS.includes(field))])

/** Makes a rule that stores a field's value as the given field of the destination. */
export function to(field: string): Rule<ChannelDraft> {
  return text((value, { draft }) => {
    setField(draft, field, value)
    return carried
  })
}

export function setField({ destination, into, key, thing }: ChannelDraft, field: string, text: string): void {
  destination[field] = SECRETS.has(field) ? into.secret(text, `${field} of ${thing}`, key, field) : text
}

/** Rule for the gateway of Signal, without the path of the request. */
export const signalServer: Rule<ChannelDraft> = text((value, { draft }) => {
  setField(draft, 'signal_url', value.replace(/\/v[12]\/send\/?$/, ''))
  return carried
})

/**
 * Rule for email addresses separated by commas. A channel has only one address, so each further address becomes a channel of its
 * own.
 */
export const addresses: Rule<ChannelDraft> = text((value, { draft }) => {
  const all = value
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  for (const address of all) {
    if (draft.destination.email === undefined) draft.destination.email = address
    else draft.others.push(address)
  }
  return all.length > 1
    ? differently('a channel has one address, so each address becomes a channel of its own')
    : carried
})

export const wording: Rule<unknown> = unread(impossible('Dogwatch uses its own message texts'))
export const urgency: Rule<unknown> = unread(impossible('urgency depends on the alert; a route can set its severity'))
export const mailServer: Rule<unknown> = unread(impossible('email is sent through the mail server of your Dogwatch'))

/** Makes a rule for a field with a choice of words. Dogwatch has no such choice: it always does what `usual` means. */
export function always(usual: string, what: string): Rule<unknown> {
  return text((value) => (value === usual ? idle : differently(what)))
}

export interface ChannelSource {
  into: Moving
  audit: Audit
  /** Name in the other tool for this kind of item. */
  kind: string
  name: string
  enabled?: boolean
}

/** Makes the channel or channels of one provider, and returns their keys. */
export function makeChannels(given: ChannelSource, provider: Provider, fields: Fields, path = ''): string[] {
  const { into, audit, kind, name } = given
  const key = into.key('channels', name)
  const draft: ChannelDraft = { into, key, thing: name, destination: {}, enabled: given.enabled ?? true, others: [] }
  readFields({ audit, kind, thing: name, source: fields, draft }, fields, provider.rules, path)
  const fault = faultOfDestination(provider.kind, draft.destination, into)
  if (fault !== undefined) {
    audit.withdraw(kind, name, fault)
    return []
  }
  into.channel(key, channelFrom(name, provider.kind, draft))
  const others = draft.others.map((email, index) => {
    const own = `${name} ${index + 2}`
    const ownKey = into.key('channels', own)
    into.channel(ownKey, channelFrom(own, provider.kind, { ...draft, destination: { email } }))
    return ownKey
  })
  return [key, ...others]
}

/** Returns why the server would refuse a destination, or undefined if it would not. */
function faultOfDestination(
  kind: string,
  destination: Readonly<Record<string, string>>,
  into: Moving,
): string | undefined {
  const missing = (REQUIRED.get(kind) ?? []).filter((field) => (destination[field] ?? '').trim() === '')
  if (missing.length > 0)
    return `a channel of kind ${kind} needs ${missing.join(' and ')}, and the original has no such value`
  const isWrong = ([field, written]: readonly [string, string]) => {
    const value = into.known(written)
    if (value === undefined) return false
    if (field.endsWith('_url')) return !/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')
    return field === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value)
  }
  const [wrong] = Object.entries(destination).find(isWrong) ?? []
  return wrong === undefined
    ? undefined
    : `${wrong} must be ${wrong === 'email' ? 'an email address' : 'a web address'}`
}

function channelFrom(name: string, kind: string, { enabled, destination }: ChannelDraft): FileChannel {
  return { name: name.slice(0, 200), kind, ...(!enabled && { enabled }), destination }
}
