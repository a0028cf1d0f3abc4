// Says in words what an entry of the audit log means. Each action that the code can write has a row here.

import { count, duration, list } from '@dogwatch/channels/wording'
import { CHECK_FIELDS } from '@dogwatch/check-rules/fields'

/** Part of a sentence: text, a name that a user chose, or a time. `subject` is the name of the changed thing. */
export type PhrasePart = string | { named: string } | { subject: string } | { at: string }

type Detail = Readonly<Record<string, unknown>>

/** Words of a sentence: `verb` and `thing` precede the subject, `rest` follows it. */
interface SentenceWords {
  verb: string | ((detail: Detail) => string)
  thing: string
  rest?: (detail: Detail) => readonly PhrasePart[]
  /**
   * Form of the subject. `words`: it is already a phrase, such as `3 checks`. `none`: the sentence has no subject. Absent if the
   * subject is a name.
   */
  subject?: 'words' | 'none'
}

const row = (verb: SentenceWords['verb'], thing = '', rest?: SentenceWords['rest']): SentenceWords => ({
  verb,
  thing,
  ...(rest && { rest }),
})

/**
 * Builds the row of an action that edits settings. The name of a single changed field precedes the subject; names of several
 * follow the subject.
 */
const edit = (thing: string): SentenceWords => row((detail) => editVerb(detail), thing, editRest)

const mutedUntil = ({ until, until_resolved }: Detail): PhrasePart[] =>
  until_resolved === true ? [' until the incident is resolved'] : timed(' until ', until)

const SENTENCES = {
  'api_token.create': row('created', 'API token'),
  'api_token.revoke': row('revoked', 'API token'),
  'channel.ask': row('requested confirmation of the address of', 'channel'),
  'channel.confirm': row('confirmed the address of', 'channel'),
  'channel.create': row('created', 'channel', ({ kind }) => (typeof kind === 'string' ? [` (${kind})`] : [])),
  'channel.delete': row('deleted', 'channel'),
  'channel.disable': row('turned off', 'channel', ({ reason }) => given(': ', reason)),
  'channel.edit': edit('channel'),
  'channel.enable': row('turned on', 'channel'),
  'channel.test': row('sent a test message to', 'channel'),
  'check.acknowledge': row('acknowledged the incident of', 'check'),
  'check.assign': row('assigned', 'check', ({ monitors }) => monitorWords(' to ', monitors)),
  'check.create': row('created', 'check'),
  'check.delete': row('deleted', 'check'),
  'check.edit': edit('check'),
  'check.import': { ...row('imported'), subject: 'words' },
  'check.mute': row('muted alerts of', 'check', mutedUntil),
  'check.pause': row('paused', 'check'),
  'check.restore': row('restored', 'check'),
  'check.resume': row('resumed', 'check'),
  'check.run': row('ran', 'check'),
  'check.test': row('tested the definition of', 'check'),
  'check.unacknowledge': row('unacknowledged the incident of', 'check'),
  'check.unassign': row('removed', 'check', ({ monitors }) => monitorWords(' from ', monitors)),
  'check.unmute': row('unmuted alerts of', 'check'),
  'check.wipe': row('erased the definition of', 'check'),
  'configuration_token.create': row('created', 'configuration token', ({ scopes }) =>
    Array.isArray(scopes) ? [` with the scopes ${list(scopes.map(String))}`] : [],
  ),
  'configuration_token.revoke': row('revoked', 'configuration token'),
  'enrollment_token.create': {
    ...row('created an enrollment token', '', ({ expires_at }) => timed(' that expires ', expires_at)),
    subject: 'none',
  },
  'enrollment_token.revoke': { ...row('revoked an enrollment token'), subject: 'none' },
  'first_steps.hide': { ...row('hid the “Get started” list'), subject: 'none' },
  'heartbeat.acknowledge': row('acknowledged the incident of', 'heartbeat'),
  'heartbeat.create': row('created', 'heartbeat'),
  'heartbeat.delete': row('deleted', 'heartbeat'),
  'heartbeat.edit': edit('heartbeat'),
  'heartbeat.mute': row('muted alerts of', 'heartbeat', mutedUntil),
  'heartbeat.pause': row('paused', 'heartbeat'),
  'heartbeat.resume': row('resumed', 'heartbeat'),
  'heartbeat.rotate': row('replaced the ping URL of', 'heartbeat'),
  'heartbeat.unacknowledge': row('unacknowledged the incident of', 'heartbeat'),
  'heartbeat.unmute': row('unmuted alerts of', 'heartbeat'),
  'impersonation.start': row('logged in as'),
  'incident.delete_note': row('deleted a note on the incident of'),
  'incident.edit_note': row('edited a note on the incident of'),
  'incident.note': row('added a note to the incident of'),
  'incident.postmortem': row('edited the postmortem of the incident of'),
  'invitation.create': row('invited', '', ({ role }) => roleWords(' as ', role)),
  'invitation.withdraw': row('withdrew the invitation of'),
  'maintenance.create': row('created', 'maintenance window'),
  'maintenance.delete': row('deleted', 'maintenance window'),
  'maintenance.edit': edit('maintenance window'),
  'maintenance.end': row('ended', 'maintenance window'),
  'member.add': row('added', 'member', ({ role }) => roleWords(' as ', role)),
  'member.join': row('joined as', 'member', ({ role }) => roleWords(' with the role ', role)),
  'member.leave': row('left as', 'member'),
  'member.remove': row('removed', 'member'),
  'member.role': row('changed the role of', 'member', ({ before, role }) => [
    ...roleWords(' from ', before),
    ...roleWords(' to ', role),
  ]),
  'monitor.disable': row('disabled', 'monitor'),
  'monitor.enable': row('enabled', 'monitor'),
  'monitor.rename': row('renamed a monitor to'),
  'monitor.reset': row('reset', 'monitor'),
  'monitor.retire': row('retired', 'monitor'),
  'organisation.allow_password_alone': row('made two-step sign-in optional for', 'organisation'),
  'organisation.create': row('created', 'organisation', ({ plan }) =>
    typeof plan === 'string' ? [' on the ', { named: plan }, ' plan'] : [],
  ),
  'organisation.delete': row('requested the deletion of', 'organisation', ({ delete_at }) => timed(' on ', delete_at)),
  'organisation.hand_over': row('transferred ownership of the organisation to'),
  'organisation.limits': row('set custom limits for', 'organisation'),
  'organisation.max_monitors': row('changed the monitor limit of', 'organisation', ({ max_monitors }) =>
    max_monitors === null
      ? [' to the limit of the plan']
      : given(' to ', max_monitors === 0 ? 'no limit' : max_monitors),
  ),
  'organisation.plan': row('changed the plan of', 'organisation', ({ plan }) => given(' to ', plan)),
  'organisation.price': row('changed the custom price of', 'organisation'),
  'organisation.rename': row('renamed', 'organisation', ({ name }) => given(' to ', name, 'named')),
  'organisation.require_second_factor': row('made two-step sign-in mandatory for', 'organisation'),
  'organisation.resume': row('resumed', 'organisation'),
  'organisation.suspend': row('suspended', 'organisation'),
  'person.delete': row('deleted', 'user'),
  'person.disable': row('disabled', 'user'),
  'person.enable': row('enabled', 'user'),
  'person.remove_second_factor': row('turned off two-step sign-in of', 'user'),
  'person.set_password': row('set a new password for', 'user'),
  'route.create': row('created', 'alert route'),
  'route.delete': row('deleted', 'alert route'),
  'route.disable': row('turned off', 'alert route'),
  'route.edit': edit('alert route'),
  'route.enable': row('turned on', 'alert route'),
  'route.move': row('moved', 'alert route', ({ way, position }) =>
    position === undefined ? given(' ', way) : given(' to position ', position),
  ),
  'status_page.edit': edit('status page'),
  'status_page.hide': row('turned off the status page of', 'organisation'),
  'status_page.show': row('turned on the status page of', 'organisation'),
  'tag.delete': row('deleted', 'tag'),
  'tag.rename': row('renamed', 'tag', ({ to }) => given(' to ', to, 'named')),
} as const satisfies Record<string, SentenceWords>

/** Actions that the audit log can record. An action without a row does not compile. */
export type AuditAction = keyof typeof SENTENCES

const ROWS: ReadonlyMap<string, SentenceWords> = new Map(Object.entries(SENTENCES))

export interface AuditEntry {
  /** Action of the entry. Another version can have recorded actions that have no row here. */
  action: string
  subject: string
  detail?: Detail
}

/** Builds the predicate of the sentence about an entry: `paused the check “Shop”`. The page puts the user before it. */
export function auditSentence({ action, subject, detail = {} }: AuditEntry): readonly PhrasePart[] {
  const { verb, thing, rest, subject: as = 'named' } = ROWS.get(action) ?? unknown(action)
  const isMany = as === 'words' || Array.isArray(detail.guids)
  const said = typeof verb === 'string' ? verb : verb(detail)
  const before = thing === '' || isMany ? `${said} ` : `${said} the ${thing} `
  const parts = as === 'none' ? [said] : isMany ? [before, subject] : [before, { subject }]
  return [...parts, ...(rest?.(detail) ?? [])]
}

/** Words for the actors that have no address: an operator and the service itself. */
const SERVICES = new Map(Object.entries({ operator: 'A server admin', dogwatch: 'Dogwatch' }))

/** Returns the words for an actor at the beginning of a sentence. */
export function actorWords(actor: string): string {
  return SERVICES.get(actor) ?? actor
}

/** Lists the actions that have a sentence. */
export const AUDIT_ACTIONS = Object.keys(SENTENCES) as AuditAction[]

/** Describes an action of another version by its name: `recorded “check undelete” for “Shop”`. */
function unknown(action: string): SentenceWords {
  return row(`recorded “${action.replaceAll(/[._]/g, ' ')}” for`)
}

function editVerb({ changed }: Detail): string {
  const [only, ...more] = Array.isArray(changed) ? changed.map(String) : []
  return only === undefined || more.length > 0 ? 'edited' : `changed the ${fieldWords(only)} of`
}

function editRest({ changed, from, to }: Detail): PhrasePart[] {
  const fields = Array.isArray(changed) ? changed.map(String) : []
  const [only, ...more] = fields
  if (only === undefined) return []
  if (more.length === 0) return [valueWords(only, from, to)]
  return [`: ${list(fields.map((field) => fieldWords(field) + valueWords(field, from, to)))}`]
}

/** Returns ` from 60 s to 30 s`, or an empty text for a field whose values are not recorded. */
function valueWords(field: string, from: unknown, to: unknown): string {
  const [before, after] = [valueOf(field, from), valueOf(field, to)]
  return `${before === undefined ? '' : ` from ${before}`}${after === undefined ? '' : ` to ${after}`}`
}

function valueOf(field: string, values: unknown): string | undefined {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, field)) return undefined
  const value: unknown = (values as Detail)[field]
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'number') return undefined
  if (field.endsWith('_sec')) return duration(value)
  return field.endsWith('_ms') ? `${value} ms` : String(value)
}

/** Names of fields that no check has and whose column name is not plain enough. */
const FIELDS = new Map(
  Object.entries({
    interval_sec: 'interval',
    grace_sec: 'grace period',
    resend_interval_sec: 'reminder interval',
    cron: 'schedule',
    cron_zone: 'time zone',
    zone: 'time zone',
    starts_at: 'start',
    rrule: 'recurrence',
  }),
)

function fieldWords(field: string): string {
  const label = FIELDS.get(field) ?? (isCheckField(field) ? CHECK_FIELDS[field].label : undefined)
  if (label === undefined)
    return field.replaceAll('_', ' ').replaceAll(/\b(url|id|tls)\b/g, (name) => name.toUpperCase())
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}

function isCheckField(field: string): field is keyof typeof CHECK_FIELDS {
  return Object.hasOwn(CHECK_FIELDS, field)
}

function monitorWords(before: string, monitors: unknown): PhrasePart[] {
  if (monitors === 'all' || monitors === 'none') return [`${before}${monitors === 'all' ? 'all' : 'no'} monitors`]
  if (!Array.isArray(monitors)) return []
  return [before + (monitors.length === 0 ? 'no monitors' : count(monitors.length, 'monitor'))]
}

function roleWords(before: string, role: unknown): PhrasePart[] {
  return given(before, typeof role === 'string' ? role.replaceAll('_', '-') : role)
}

function given(before: string, value: unknown, as: 'text' | 'named' = 'text'): PhrasePart[] {
  if (typeof value !== 'string' && typeof value !== 'number') return []
  return as === 'named' ? [before, { named: String(value) }] : [`${before}${value}`]
}

function timed(before: string, value: unknown): PhrasePart[] {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [before, { at: value }] : []
}
