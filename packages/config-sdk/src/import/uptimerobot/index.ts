// Imports the monitors of UptimeRobot from the JSON of its API: version 2 (getMonitors) or version 3.
import { basename } from 'node:path'
import { DEFAULT_RETRY_DELAY_SEC } from '@dogwatch/check-rules/retries'
import {
  Audit,
  carried,
  type Fields,
  idle,
  impossible,
  internal,
  isBlank,
  isFields,
  number,
  numberOf,
  objectsOf,
  type Rules,
  readFields,
  text,
  textOf,
  UNKNOWN,
  type Whole,
} from '../audit.ts'
import { type ImportResult, Moving } from '../moving.ts'
import { type ListPage, reportMissingPages } from '../paging.ts'
import { ImportError, readJson } from '../reading.ts'
import { setRetries } from '../retries.ts'
import { MOST_HEARTBEAT_SEC, secondsWithin } from '../schedules.ts'
import { requireResponse } from '../targets.ts'
import { contactsOf, readContact } from './contacts.ts'
import { MONITOR, type RobotDraft, TYPES, word } from './monitors.ts'
import { type ImportedMonitor, readWindows } from './windows.ts'

export function importUptimeRobot(paths: readonly string[], now: Date): ImportResult {
  const audit = new Audit()
  const into = new Moving(audit)
  const whole: Whole = { audit, kind: 'file', thing: 'UptimeRobot' }
  const files = paths.map((path) => filed(readJson(path), basename(path)))
  const lists = files.map((file) =>
    Object.fromEntries(LISTS.map((field) => [field, objectsOf(whole, file[field], field)])),
  )
  const all = (...fields: string[]) => lists.flatMap((list) => fields.flatMap((field) => list[field] ?? []))
  const monitors = all('monitors', 'data').filter((monitor) => !isContact(monitor) && !isWindow(monitor))
  if (monitors.length === 0) throw new ImportError('the file has no monitors, so it is not an UptimeRobot API response')
  reportMissingPages(
    audit,
    'UptimeRobot',
    files.flatMap((file, index) => pagesOf(file, lists[index] ?? {}, index)),
  )
  const contacts = new Map<string, Fields>()
  for (const contact of [...all('alert_contacts'), ...all('data').filter(isContact)])
    contacts.set(textOf(contact.id), contact)
  for (const monitor of monitors)
    for (const contact of contactsOf(monitor)) if (!contacts.has(contact.id)) contacts.set(contact.id, contact.fields)
  const channels = new Map([...contacts].map(([id, contact]) => [id, readContact(contact, into)]))
  const windows = [...all('mwindows'), ...all('data').filter(isWindow)]
  const things: ImportedMonitor[] = []
  for (const monitor of monitors) {
    const made = readMonitor(monitor, into, channels)
    if (made) things.push(made)
  }
  readWindows(windows, things, { into, now })
  for (const file of files) {
    for (const [field, value] of Object.entries(file)) {
      if (!READ.includes(field) && !isBlank(value)) audit.say('file', 'UptimeRobot', field, impossible(UNKNOWN))
    }
  }
  return into.finish()
}

/** Rules for the fields of a contact in a monitor. */
const LINK: Rules<unknown> = {
  id: text(idle),
  alertContactId: text(idle),
  threshold: number((minutes) => (minutes === 0 ? idle : carried)),
  recurrence: number((minutes) => (minutes === 0 ? idle : carried)),
  ...Object.fromEntries(['type', 'value', 'friendly_name', 'friendlyName', 'status'].map((field) => [field, internal])),
}

const LISTS = ['monitors', 'data', 'alert_contacts', 'mwindows'] as const
type Lists = Readonly<Record<string, readonly Fields[]>>

/** Returns the pages in a file. Version 2 contains the number of items, and version 3 whether another page follows. */
function pagesOf(file: Fields, lists: Lists, index: number): ListPage[] {
  const { total, offset } = isFields(file.pagination) ? file.pagination : file
  const page = numberOf(offset) ?? `file ${index}`
  const counted = LISTS.filter((list) => list !== 'data').flatMap((list) => {
    const all = numberOf(total)
    return all === undefined || file[list] === undefined ? [] : [{ list, page, held: lists[list]?.length ?? 0, all }]
  })
  if (file.nextLink === undefined) return counted
  const [first = {}]: readonly Fields[] = lists.data ?? []
  const list = isContact(first) ? 'contacts' : isWindow(first) ? 'windows' : 'monitors'
  return [...counted, { list, page: index, held: 1, all: isBlank(file.nextLink) ? 1 : Infinity }]
}

/** Fields of the responses that are read: lists, and their sizes. */
const READ: readonly string[] = [...LISTS, 'stat', 'pagination', 'nextLink', 'timezone', 'offset', 'limit', 'total']

function filed(value: unknown, name: string): Fields {
  if (Array.isArray(value)) return { data: value }
  if (!isFields(value)) throw new ImportError(`${name} must be an object or a list`)
  return value
}

const isContact = (one: Fields) =>
  one.friendlyName === undefined &&
  one.interval === undefined &&
  typeof one.value === 'string' &&
  one.duration === undefined
const isWindow = (one: Fields) => one.duration !== undefined && one.url === undefined

function readMonitor(
  source: Fields,
  into: Moving,
  channels: ReadonlyMap<string, readonly string[]>,
): ImportedMonitor | undefined {
  const { audit } = into
  const type = word(TYPES, source.type)
  const name = textOf(source.friendly_name ?? source.friendlyName) || `monitor ${textOf(source.id)}`
  const why = whyNot(type)
  if (why !== undefined) {
    audit.refuse('monitor', name, '', why)
    return undefined
  }
  const section = type === 'HEARTBEAT' ? 'heartbeats' : 'checks'
  const key = into.key(section, name)
  const draft: RobotDraft = { type, check: {}, heartbeat: { grace_sec: 0 }, asking: { into, key, thing: name } }
  const made = { audit, kind: 'monitor', thing: name }
  readFields({ ...made, source, draft }, source, MONITOR)
  if (draft.retries !== undefined) {
    const { interval_sec: interval = 300, timeout_sec: timeout = 30 } = draft.check
    const said = setRetries(draft.check, { count: draft.retries, pause: DEFAULT_RETRY_DELAY_SEC, interval, timeout })
    audit.say('monitor', name, 'config.applicationErrorRetries', said)
  }
  if (type === 'UDP') requireResponse(draft.check)
  for (const { id, threshold, recurrence, fields } of contactsOf(source)) {
    const link = { audit, kind: 'monitor', thing: name, source: fields, draft: {} }
    readFields(link, fields, LINK, `alert contact ${id}.`)
    const told = channels.get(id) ?? []
    audit.say(
      'monitor',
      name,
      `alert contact ${id}`,
      told.length > 0 ? carried : impossible('the contact was not imported'),
    )
    into.tells({ section, key, channels: told, delay_sec: threshold * 60 })
    if (recurrence > 0)
      draft.check.resend_interval_sec = draft.heartbeat.resend_interval_sec = secondsWithin(
        recurrence * 60,
        MOST_HEARTBEAT_SEC,
      )
  }
  if (section === 'checks') into.check(key, draft.check, made)
  else into.heartbeat(key, draft.heartbeat, made)
  return { source, section, key, name }
}

function whyNot(type: string): string | undefined {
  if (['HTTP', 'KEYWORD', 'PING', 'PORT', 'HEARTBEAT', 'DNS', 'UDP'].includes(type)) return undefined
  if (type === 'API')
    return 'JSON rules are not supported; the closest alternative is an https check with match_mode regex'
  return `monitors of type ${type.slice(0, 40) || 'none'} are not supported`
}
