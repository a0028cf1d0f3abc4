// Imports maintenance windows of UptimeRobot.
import type { FileScope, FileWindow } from '../../file/format.ts'
import {
  carried,
  differently,
  type Fields,
  idle,
  internal,
  isFields,
  listOf,
  number,
  numberOf,
  type Rules,
  readFields,
  text,
  textOf,
  texts,
} from '../audit.ts'
import type { Moving } from '../moving.ts'
import { timeOfDay, weekly } from '../schedules.ts'

export interface ImportedMonitor {
  source: Fields
  section: 'checks' | 'heartbeats'
  key: string
  name: string
}

const ZONE = "zone UTC, because the API response does not include the account's zone"
const TYPES = ['', 'once', 'daily', 'weekly', 'monthly']

const WINDOW: Rules<unknown> = {
  id: text(idle),
  user: internal,
  userId: internal,
  friendly_name: text(carried),
  name: text(carried),
  type: text(carried),
  interval: text(carried),
  value: text(carried),
  days: texts(carried),
  date: text(carried),
  start_time: text(differently(ZONE)),
  time: text(differently(ZONE)),
  duration: number(carried),
  status: text(carried),
  autoAddMonitors: internal,
}

export function readWindows(
  windows: readonly Fields[],
  things: readonly ImportedMonitor[],
  { into, now }: { into: Moving; now: Date },
): void {
  const seen = new Map<string, Fields>()
  const inMonitors = things.flatMap(({ source }) => linksOf(source).filter(isFields))
  for (const window of [...windows, ...inMonitors])
    if (!seen.has(textOf(window.id)) && window.duration !== undefined) seen.set(textOf(window.id), window)
  for (const [id, window] of seen) readWindow(window, scopeOf(id, things), { into, now })
  const unknown = new Set(things.flatMap(({ source }) => linksOf(source).map(idOf)).filter((id) => !seen.has(id)))
  for (const id of unknown)
    into.audit.refuse(
      'maintenance window',
      id,
      '',
      'the files do not include its times; add the response that lists the maintenance windows',
    )
}

/** Returns the windows of a monitor: complete, or only their ids. */
function linksOf({ mwindows, maintenanceWindows, maintenanceWindowsIds }: Fields): readonly unknown[] {
  return [...listOf(mwindows), ...listOf(maintenanceWindows), ...listOf(maintenanceWindowsIds)]
}

function idOf(link: unknown): string {
  return textOf(isFields(link) ? link.id : link)
}

function scopeOf(id: string, things: readonly ImportedMonitor[]): FileScope {
  const own = things.filter(({ source }) => linksOf(source).some((link) => idOf(link) === id))
  const keys = (section: ImportedMonitor['section']) =>
    own.filter((thing) => thing.section === section).map(({ key }) => key)
  const [checks, heartbeats] = [keys('checks'), keys('heartbeats')]
  return { ...(checks.length > 0 && { checks }), ...(heartbeats.length > 0 && { heartbeats }) }
}

function readWindow(source: Fields, scope: FileScope, { into, now }: { into: Moving; now: Date }): void {
  const thing = textOf(source.friendly_name ?? source.name) || `window ${textOf(source.id)}`
  const times = timesOf(source, scope, thing, now)
  if (typeof times === 'string') return into.audit.refuse('maintenance window', thing, '', times)
  readFields({ audit: into.audit, kind: 'maintenance window', thing, source, draft: {} }, source, WINDOW)
  into.window(into.key('maintenance', thing), times)
}

function timesOf(source: Fields, scope: FileScope, thing: string, now: Date): FileWindow | string {
  if (source.status === 0 || source.status === 'paused') return 'turned off'
  if (!scope.checks && !scope.heartbeats) return 'covers nothing that was imported'
  const type =
    typeof source.type === 'number' ? TYPES[source.type] : textOf(source.interval ?? source.type).toLowerCase()
  const duration_sec = (numberOf(source.duration) ?? 0) * 60
  const name = thing.slice(0, 100)
  const rest = { duration_sec, zone: 'UTC', scope, name }
  if (type === 'once') {
    const start = numberOf(source.start_time)
    const starts_at =
      start === undefined
        ? `${textOf(source.date).slice(0, 10)}T${timeOfDay(textOf(source.time)) ?? ''}`
        : new Date(start * 1000).toISOString().slice(0, 16)
    if (starts_at < now.toISOString().slice(0, 16)) return 'already over'
    return { ...rest, starts_at }
  }
  const at = timeOfDay(textOf(source.start_time ?? source.time))
  if (at === undefined || duration_sec === 0) return 'has no time of day or no duration'
  const today = now.toISOString().slice(0, 10)
  const days = (Array.isArray(source.days) ? source.days : textOf(source.value).split('-')).flatMap(
    (day) => numberOf(day) ?? [],
  )
  if (type === 'daily') return weekly({ today, at, days: [] }, rest)
  if (type === 'weekly') return weekly({ today, at, days }, rest)
  if (type === 'monthly' && days.length > 0)
    return { ...rest, starts_at: `${today}T${at}`, rule: `FREQ=MONTHLY;BYMONTHDAY=${days.join(',')}` }
  return 'repeats in a way that Dogwatch does not support'
}
