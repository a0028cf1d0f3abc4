// Imports maintenance windows of Better Stack. Each monitor and heartbeat has its own.
import type { FileScope } from '../file/format.ts'
import { carried, differently, type Fields, idle, impossible, isBlank, listOf, textOf, textsOf } from './audit.ts'
import type { Moving } from './moving.ts'
import { zoneOf } from './rails-zones.ts'
import { dayNumber, spanOfDay, timeOfDay, weekly } from './schedules.ts'

const TIMES = ['maintenance_from', 'maintenance_to', 'maintenance_timezone', 'maintenance_days']

/** Makes the window of a monitor or heartbeat. */
export function readWindow(
  source: Fields,
  { into, now, name, scope }: { into: Moving; now: Date; name: string; scope: FileScope },
): void {
  const at = timeOfDay(textOf(source.maintenance_from))
  const duration_sec = spanOfDay(textOf(source.maintenance_from), textOf(source.maintenance_to))
  const given = TIMES.filter((field) => !isBlank(source[field]))
  const kind = scope.checks ? 'monitor' : 'heartbeat'
  if (at === undefined || duration_sec === undefined) {
    const isNone = isBlank(source.maintenance_from) && isBlank(source.maintenance_to)
    for (const field of given)
      into.audit.say(kind, name, field, isNone ? idle : impossible('start and end must be times of day'))
    return
  }
  const zone = zoneOf(textOf(source.maintenance_timezone))
  const names = textsOf({ audit: into.audit, kind, thing: name }, source.maintenance_days, 'maintenance_days')
  const days = names.flatMap((day) => dayNumber(day) ?? [])
  const isText = isBlank(source.maintenance_timezone) || textOf(source.maintenance_timezone) !== ''
  const ofZone = !isText
    ? impossible('must be text')
    : zone === undefined
      ? differently('zone UTC, because the original zone name is unknown')
      : carried
  const ofDays =
    days.length < listOf(source.maintenance_days).length ? impossible('lists values that are not days') : carried
  for (const field of given) {
    // An invalid list has already been reported.
    if (field === 'maintenance_days' && !Array.isArray(source.maintenance_days)) continue
    const said = field === 'maintenance_timezone' ? ofZone : field === 'maintenance_days' ? ofDays : carried
    into.audit.say(kind, name, field, said)
  }
  const title = `Maintenance of ${name}`.slice(0, 100)
  const today = now.toISOString().slice(0, 10)
  into.window(
    into.key('maintenance', title),
    weekly({ today, at, days }, { duration_sec, zone: zone ?? 'UTC', scope, name: title }),
  )
}
