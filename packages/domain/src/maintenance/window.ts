// Defines maintenance windows as people edit them, and refuses invalid ones.
import type { WindowRow } from '@dogwatch/store/maintenance/windows'
import { DomainError, FieldError } from '../errors.ts'
import { isZone } from '../routing/hours.ts'
import { readScope, type Scope } from '../routing/route.ts'
import { distinctScope, requireScope } from '../routing/validate.ts'
import { requireName } from '../text.ts'
import { occurrences, requireRule, type WindowSchedule } from './occurrences.ts'

/** Fields of a window that people can edit. */
export interface EditedWindow extends WindowSchedule {
  name: string
  scope: Scope
  is_public: boolean
}

export type MaintenanceWindow = EditedWindow & { guid: string }

const MAX_NAME = 100
const MOST_WINDOWS = 100
const MINUTE = 60
/** Maximum duration of a window: 30 days. */
const LONGEST_SEC = 2_592_000
const FAR_MS = 5 * 366 * 86_400_000
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** Refuses a window that would end before it is created. */
export function requireToCome(window: EditedWindow, now: Date): void {
  if (window.rule !== null || occurrences(window, now.getTime(), Infinity).length > 0) return
  throw invalid('duration_sec', 'must be long enough for the window to end in the future')
}

/** Refuses one more window if an organisation has as many as it can. */
export function requireRoomForWindow(there: number): void {
  if (there < MOST_WINDOWS) return
  throw new DomainError(
    'invalid',
    `an organisation can have at most ${MOST_WINDOWS} maintenance windows; delete a completed window first`,
  )
}

/** Whether an edit changes when a window is on. */
export function isMoved(wanted: WindowSchedule, held: WindowSchedule): boolean {
  return (
    wanted.starts_at !== held.starts_at ||
    wanted.duration_sec !== held.duration_sec ||
    wanted.zone !== held.zone ||
    wanted.rule !== held.rule
  )
}

/** Returns the window as it is stored. Throws FieldError if fields are invalid or do not fit together. */
export function requireWindow(wanted: EditedWindow, now: Date): EditedWindow {
  const { starts_at, duration_sec, zone } = wanted
  const rest = requireRest(wanted)
  if (!isZone(zone)) throw invalid('zone', 'must be a time zone, such as Europe/Paris')
  if (!isLocal(starts_at)) throw invalid('starts_at', 'must be a date and time, such as 2026-11-23 02:00')
  if (!Number.isInteger(duration_sec) || duration_sec < MINUTE || duration_sec > LONGEST_SEC) {
    throw invalid('duration_sec', 'must be from 60 (1 min) to 2592000 (30 d)')
  }
  if (Math.abs(Date.parse(`${starts_at}Z`) - now.getTime()) > FAR_MS) {
    throw invalid('starts_at', 'must be at most 5 years in the past or the future')
  }
  const rule = wanted.rule === null ? null : requireRule({ ...wanted, rule: wanted.rule })
  return { ...rest, starts_at, duration_sec, zone, rule }
}

export function requireRest({
  name,
  scope,
  is_public,
}: EditedWindow): Pick<EditedWindow, 'name' | 'scope' | 'is_public'> {
  requireScope(scope)
  return { name: requireName('name', name.trim(), { max: MAX_NAME }), scope: distinctScope(scope), is_public }
}

function isLocal(text: string): boolean {
  const at = new Date(`${text}:00Z`)
  return LOCAL.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export function windowOf({
  guid,
  name,
  scope,
  starts_at,
  duration_sec,
  zone,
  rule,
  is_public,
}: WindowRow): MaintenanceWindow {
  return { guid, name, scope: readScope(scope), starts_at, duration_sec, zone, rule, is_public }
}

function invalid(field: string, must: string): FieldError {
  return new FieldError('invalid', field, must)
}
