// Moves the monitors of UptimeRobot, from the JSON of its API: version 2 (getMonitors) or version 3.
import { basename } from 'node:path'
import {
  Audit,
  carried,
  type Fields,
  impossible,
  isBlank,
  isFields,
  listOf,
  readFields,
  textOf,
  UNKNOWN,
} from '../audit.ts'
import { type Moved, Moving } from '../moving.ts'
import { ImportError, readJson } from '../reading.ts'
import { MOST_HEARTBEAT_SEC, secondsWithin } from '../schedules.ts'
import { contactsOf, readContact } from './contacts.ts'
import { MONITOR, type RobotDraft, TYPES, word } from './monitors.ts'
import { type Made, readWindows } from './windows.ts'

export function importUptimeRobot(paths: readonly string[], now: Date): Moved {
  const audit = new Audit()
  const into = new Moving(audit)
  const files = paths.map((path) => filed(readJson(path), basename(path)))
  const all = (...fields: string[]) =>
    files.flatMap((file) => fields.flatMap((field) => listOf(file[field]).filter(isFields)))
  const monitors = all('monitors', 'data').filter((monitor) => !isContact(monitor) && !isWindow(monitor))
  if (monitors.length === 0) throw new ImportError('the file has no monitors: it is not an answer of UptimeRobot')
  const contacts = new Map<string, Fields>()
  for (const contact of [...all('alert_contacts'), ...all('data').filter(isContact)])
    contacts.set(textOf(contact.id), contact)
  for (const monitor of monitors)
    for (const contact of contactsOf(monitor)) if (!contacts.has(contact.id)) contacts.set(contact.id, contact.fields)
  const channels = new Map([...contacts].map(([id, contact]) => [id, readContact(contact, into)]))
  const windows = [...all('mwindows'), ...all('data').filter(isWindow)]
  const things: Made[] = []
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

/** What the answers hold: lists, and how many there are. */
const READ = [
  'stat',
  'pagination',
  'monitors',
  'data',
  'alert_contacts',
  'mwindows',
  'nextLink',
  'timezone',
  'offset',
  'limit',
  'total',
]

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

function readMonitor(source: Fields, into: Moving, channels: ReadonlyMap<string, readonly string[]>): Made | undefined {
  const { audit } = into
  const type = word(TYPES, source.type)
  const name = textOf(source.friendly_name ?? source.friendlyName) || `monitor ${textOf(source.id)}`
  const why = whyNot(type, source)
  if (why !== undefined) {
    audit.refuse('monitor', name, '', why)
    return undefined
  }
  const section = type === 'HEARTBEAT' ? 'heartbeats' : 'checks'
  const key = into.key(section, name)
  const draft: RobotDraft = { type, check: {}, heartbeat: { grace_sec: 0 }, asking: { into, key, thing: name } }
  const made = { audit, kind: 'monitor', thing: name }
  readFields({ ...made, source, draft }, source, MONITOR)
  for (const { id, threshold, recurrence } of contactsOf(source)) {
    const told = channels.get(id) ?? []
    audit.say(
      'monitor',
      name,
      `alert contact ${id}`,
      told.length > 0 ? carried : impossible('the contact is not carried over'),
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

function whyNot(type: string, { url }: Fields): string | undefined {
  if (['HTTP', 'KEYWORD', 'PORT', 'HEARTBEAT'].includes(type)) return undefined
  const host = textOf(url).slice(0, 200) || 'HOST'
  if (type === 'PING')
    return `Dogwatch does not ping; the nearest is a check of tcp://${host}:PORT for a port that is open`
  if (type === 'DNS') return 'Dogwatch does not ask name servers; the nearest is a check of tcp://HOST:53'
  if (type === 'API') return 'Dogwatch has no rules for JSON; the nearest is an https check with match_mode regex'
  if (type === 'UDP') return 'Dogwatch does not speak UDP; the nearest is a heartbeat from a script'
  return `Dogwatch does not know monitors of the type ${type.slice(0, 40) || 'none'}`
}
