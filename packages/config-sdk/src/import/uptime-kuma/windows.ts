// Converts the maintenance of Uptime Kuma to maintenance windows.
import type { FileScope, FileWindow } from '../../file/format.ts'
import {
  type Audit,
  anyValue,
  carried,
  differently,
  type Fields,
  flag,
  flagOf,
  idle,
  impossible,
  internal,
  listOf,
  number,
  numberOf,
  onlyWhere,
  type Rule,
  type Rules,
  readFields,
  text,
  textOf,
  unread,
} from '../audit.ts'
import type { Moving } from '../moving.ts'
import { jsonIn } from '../reading.ts'
import { byDay, ruleOfCron, spanOfDay, timeOfDay } from '../schedules.ts'

export interface WindowContext {
  into: Moving
  audit: Audit
  now: Date
  /** Time zone of the server, for windows that use it. */
  zone: string
  scope: FileScope
  isPublic: boolean
}

const MOST_NAME = 100
const LONGEST_SEC = 2_592_000

const date: Rule<FileWindow> = text((value) =>
  localOf(value) === undefined ? impossible('must be a date and a time') : carried,
)

/** Rules by the name of the column. The columns that decide the times are read together elsewhere. */
const MAINTENANCE: Rules<FileWindow> = {
  id: internal,
  title: text((value, { draft }) => {
    draft.name = value.slice(0, MOST_NAME)
    return value.length > MOST_NAME ? differently(`cut to ${MOST_NAME} characters`) : carried
  }),
  description: unread(impossible('maintenance windows have no description; the status page shows the name')),
  user_id: internal,
  active: flag(carried),
  strategy: text(carried),
  start_date: date,
  end_date: date,
  start_time: onlyWhere(({ source }) => recurs(source), text(carried)),
  end_time: onlyWhere(({ source }) => recurs(source), text(carried)),
  weekdays: usedBy(
    'recurring-weekday',
    listed((day) => numberOf(day) !== undefined),
  ),
  days_of_month: anyValue((value, { source }) => {
    if (source.strategy !== 'recurring-day-of-month') return idle
    const days = jsonIn(value)
    if (!Array.isArray(days) || days.some((day) => dateOf(day) === undefined))
      return impossible('must be a list of days')
    const ignored = listOf(jsonIn(value)).filter((day) => textOf(day).startsWith('lastDay') && day !== 'lastDay1')
    return ignored.length > 0
      ? differently('also covers the days before the last one, which Uptime Kuma ignores')
      : carried
  }),
  interval_day: usedBy('recurring-interval', number(carried)),
  cron: usedBy('cron', text(carried)),
  timezone: text((value, { draft }) => {
    return value === 'SAME_AS_SERVER' ? differently(`zone ${draft.zone}, the zone of the Uptime Kuma server`) : carried
  }),
  duration: usedBy('cron', number(carried)),
  last_start_date: unread(impossible('history and current state are not imported')),
}

function usedBy(strategy: string, rule: Rule<FileWindow>): Rule<FileWindow> {
  return onlyWhere(({ source }) => source.strategy === strategy, rule)
}

/** Makes a rule for a column with a list as JSON. */
function listed(isDay: (day: unknown) => boolean): Rule<FileWindow> {
  return anyValue((value) => {
    const days = jsonIn(value)
    return Array.isArray(days) && days.every(isDay) ? carried : impossible('must be a list of days')
  })
}

const recurs = ({ strategy }: Fields) => textOf(strategy).startsWith('recurring-')

export function readMaintenance(row: Fields, context: WindowContext): void {
  const { into, audit } = context
  const thing = textOf(row.title) || `maintenance ${textOf(row.id)}`
  const times = timesOf(row, context)
  if (typeof times === 'string') return audit.refuse('maintenance', thing, '', times)
  const draft: FileWindow = { name: thing.slice(0, MOST_NAME), scope: context.scope, ...times }
  if (context.isPublic) draft.is_public = true
  readFields({ audit, kind: 'maintenance', thing, source: row, draft }, row, MAINTENANCE)
  into.window(into.key('maintenance', thing), draft)
}

type Times = Pick<FileWindow, 'starts_at' | 'duration_sec' | 'zone' | 'rule'>

/** Returns the times of a window, or the reason why there is none. */
function timesOf(row: Fields, { now, zone: ofServer, scope }: WindowContext): Times | string {
  if (flagOf(row.active) !== true) return 'turned off'
  if (!scope.checks?.length && !scope.heartbeats?.length) return 'covers nothing that was imported'
  const zone = zoneOf(textOf(row.timezone), ofServer)
  const today = now.toISOString().slice(0, 10)
  const strategy = textOf(row.strategy)
  const end = localOf(row.end_date)
  if (end !== undefined && end < `${today}T00:00`) return 'already over'
  if (strategy === 'manual') return 'has no planned end; maintenance windows in Dogwatch need an end time'
  const start = localOf(row.start_date)
  if (strategy === 'single') return once(start, end, zone)
  const rule = ruleOf(row)
  if (rule === undefined) return 'its times cannot be expressed as a supported recurrence rule'
  const duration_sec = numberOf(row.duration) ?? spanOfDay(textOf(row.start_time), textOf(row.end_time)) ?? 0
  if (duration_sec < 60 || duration_sec > LONGEST_SEC) return 'shorter than a minute or longer than 30 days'
  const first = start?.slice(0, 10) ?? today
  const day = first < today && !rule.rule.includes('INTERVAL') ? today : first
  const until = end === undefined ? '' : `;UNTIL=${end.replaceAll(/[-:]/g, '')}00`
  return { starts_at: `${day}T${rule.at}`, duration_sec, zone, rule: rule.rule + until }
}

function once(start: string | undefined, end: string | undefined, zone: string): Times | string {
  if (start === undefined || end === undefined) return 'has no start or no end'
  const duration_sec = (Date.parse(`${end}:00Z`) - Date.parse(`${start}:00Z`)) / 1000
  if (duration_sec < 60 || duration_sec > LONGEST_SEC) return 'shorter than a minute or longer than 30 days'
  return { starts_at: start, duration_sec, zone }
}

function ruleOf(row: Fields): { rule: string; at: string } | undefined {
  const at = timeOfDay(textOf(row.start_time))
  const days = listOf(jsonIn(row.weekdays)).flatMap((day) => numberOf(day) ?? [])
  switch (row.strategy) {
    case 'cron':
      return ruleOfCron(textOf(row.cron))
    case 'recurring-interval':
      return at === undefined ? undefined : { at, rule: `FREQ=DAILY${intervalOf(row.interval_day)}` }
    case 'recurring-weekday':
      return at === undefined || days.length === 0
        ? undefined
        : { at, rule: ['FREQ=WEEKLY', byDay(days)].filter(Boolean).join(';') }
    case 'recurring-day-of-month': {
      const dates = listOf(jsonIn(row.days_of_month)).flatMap((day) => dateOf(day) ?? [])
      return at === undefined || dates.length === 0
        ? undefined
        : { at, rule: `FREQ=MONTHLY;BYMONTHDAY=${dates.join(',')}` }
    }
    default:
      return undefined
  }
}

function intervalOf(days: unknown): string {
  const number = numberOf(days) ?? 1
  return number > 1 ? `;INTERVAL=${Math.round(number)}` : ''
}

/** Converts a day of the month. `lastDay1` is the last day, `lastDay2` the one before it. */
function dateOf(day: unknown): number | undefined {
  const text = textOf(day)
  const last = /^lastDay([1-4])$/.exec(text)
  const number = last ? -Number(last[1]) : Number(text)
  return Number.isInteger(number) && number >= -4 && number <= 31 && number !== 0 ? number : undefined
}

/** Converts `2026-11-23 02:00:00` to `2026-11-23T02:00`. */
function localOf(value: unknown): string | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/.exec(textOf(value)) ?? []
  return day === undefined || time === undefined ? undefined : `${day}T${time}`
}

function zoneOf(given: string, ofServer: string): string {
  return given === '' || given === 'SAME_AS_SERVER' ? ofServer : given
}
