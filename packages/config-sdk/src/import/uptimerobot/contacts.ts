// Converts alert contacts of UptimeRobot to channels.
import { carried, type Fields, idle, internal, isFields, listOf, number, numberOf, text, textOf } from '../audit.ts'
import { makeChannels, type Provider, to } from '../channels.ts'
import type { Moving } from '../moving.ts'

export function contactsOf(monitor: Fields): { id: string; threshold: number; recurrence: number; fields: Fields }[] {
  const given = listOf(monitor.alert_contacts ?? monitor.assignedAlertContacts).filter(isFields)
  return given.map((fields) => ({
    id: textOf(fields.id ?? fields.alertContactId),
    threshold: numberOf(fields.threshold) ?? 0,
    recurrence: numberOf(fields.recurrence) ?? 0,
    fields,
  }))
}

const HOOKS: readonly (readonly [host: string, kind: string, field: string])[] = [
  ['hooks.slack.com', 'slack', 'webhook_url'],
  ['discord.com', 'discord', 'discord_url'],
  ['discordapp.com', 'discord', 'discord_url'],
  ['chat.googleapis.com', 'google-chat', 'google_chat_url'],
  ['.logic.azure.com', 'teams', 'teams_url'],
  ['.webhook.office.com', 'teams', 'teams_url'],
]

/**
 * Makes the channels of a contact. Derives the kind from the address, because the numbers of kinds differ between API versions.
 */
export function readContact(contact: Fields, into: Moving): readonly string[] {
  const value = textOf(contact.value)
  const name =
    textOf(contact.friendly_name ?? contact.friendlyName) ||
    value.split('/')[2] ||
    value ||
    `contact ${textOf(contact.id)}`
  const host = URL.canParse(value) ? new URL(value).hostname : ''
  const hook = HOOKS.find(([known]) => host === known || (known.startsWith('.') && host.endsWith(known)))
  const isMail = value.includes('@') && host === ''
  const kind = isMail ? 'email' : (hook?.[1] ?? (host === '' ? undefined : 'webhook'))
  if (kind === undefined) {
    into.audit.refuse('alert contact', name, '', 'no channel kind matches this contact; create one manually')
    return []
  }
  const field = isMail ? 'email' : (hook?.[2] ?? 'webhook_url')
  const shown = isMail ? value : name
  return makeChannels(
    { into, audit: into.audit, kind: 'alert contact', name: shown, enabled: numberOf(contact.status) !== 1 },
    providerOf(kind, field),
    contact,
  )
}

function providerOf(kind: string, field: string): Provider {
  const rules: Provider['rules'] = {
    id: internal,
    alertContactId: internal,
    friendly_name: text(carried),
    friendlyName: text(carried),
    value: to(field),
    type: text(carried),
    threshold: number((value) => (value === 0 ? idle : carried)),
    recurrence: number((value) => (value === 0 ? idle : carried)),
    status: text(carried),
  }
  return { kind, rules }
}
