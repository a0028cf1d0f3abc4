// Plans, edits, ends and deletes maintenance windows. What waits because of them is decided again at once.
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import {
  cutSpans,
  deleteWindow,
  endSpans,
  findWindow,
  insertWindow,
  listNextSpans,
  listWindows,
  lockWindow,
  updateSpans,
  updateWindow,
  type WindowRow,
} from '../../store/maintenance/windows.ts'
import type { Tables } from '../../store/tables.ts'
import { changedFields } from '../audit/changed-fields.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isZone } from '../routing/hours.ts'
import { decideAgain } from '../routing/release.ts'
import type { Scope } from '../routing/route.ts'
import { requireScope } from '../routing/validate.ts'
import { isStorable, requireName } from '../text.ts'
import { occurrences, requireRule, type Schedule } from './occurrences.ts'
import { spreadFrom } from './spread.ts'

/** What people decide of a window. */
export interface EditedWindow extends Schedule {
  name: string
  scope: Scope
  is_public: boolean
}

export type MaintenanceWindow = EditedWindow & { guid: string }

export type WindowState = 'running' | 'announced' | 'over'

export interface ShownWindow extends MaintenanceWindow {
  state: WindowState
  /** When it is on or will be next, or was last. Undefined: it never was, and never will be. */
  span: { begins_at: string; ends_at: string } | undefined
}

const MAX_NAME = 100
const MOST_WINDOWS = 100
const MINUTE = 60
/** 30 days. */
const LONGEST_SEC = 2_592_000
const FAR_MS = 5 * 366 * 86_400_000
const YEAR_MS = 366 * 86_400_000
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** An org's windows: what is on, then what is to come, then what is over. */
export async function readWindows({ database, clock }: Deps, org_id: number): Promise<ShownWindow[]> {
  const now = clock.now()
  const windows = await listWindows(database.people, org_id)
  const spans = await listNextSpans(database.people, org_id, fromDate(now))
  const shown = windows.map((row) => {
    const own = spans.filter(({ window_id }) => window_id === row.window_id)
    const next = own.find(({ is_over }) => !is_over) ?? upcoming(row, now)
    const span = next ?? own.find(({ is_over }) => is_over)
    const state: WindowState = !next ? 'over' : next.begins_at > fromDate(now) ? 'announced' : 'running'
    return { ...windowOf(row), state, span }
  })
  const order: readonly WindowState[] = ['running', 'announced', 'over']
  return shown.toSorted((one, other) => {
    const by = order.indexOf(one.state) - order.indexOf(other.state)
    const [a = '', b = ''] = [one.span?.begins_at, other.span?.begins_at]
    return by === 0 ? (one.state === 'over' ? b.localeCompare(a) : a.localeCompare(b)) : by
  })
}

/** Of windows that begin later than what is stored: when. A rule is looked at for a year ahead. */
function upcoming(row: WindowRow, now: Date): { begins_at: string; ends_at: string } | undefined {
  const from = Date.parse(row.spread_until)
  const until = now.getTime() + (row.rule === null ? FAR_MS : YEAR_MS)
  const [first] = occurrences(row, Math.max(from, now.getTime()), until)
  return first && { begins_at: fromDate(new Date(first.begins)), ends_at: fromDate(new Date(first.ends)) }
}

/** One of an org's windows; refuses a guid that the org does not have. */
export async function readWindow(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
): Promise<MaintenanceWindow> {
  const row = isStorable(guid) ? await findWindow(database.people, org_id, guid) : undefined
  if (!row) throw noSuchWindow()
  return windowOf(row)
}

export async function createWindow(
  deps: Deps,
  org_id: number,
  wanted: EditedWindow,
  by?: Actor,
): Promise<{ guid: string }> {
  const now = deps.clock.now()
  const window = requireWindow(wanted, now)
  requireToCome(window, now)
  const guid = newGuid(deps.random)
  await change(deps, org_id, async (trx) => {
    requireRoomForWindow((await listWindows(trx, org_id)).length)
    const window_id = await insertWindow(trx, { ...window, org_id, guid, at: fromDate(now) })
    await spreadFrom(trx, { ...window, org_id, window_id, guid, spread_until: fromDate(now) }, now)
    await recordDeed(trx, deps, by, { org_id, action: 'maintenance.create', subject: window.name })
  })
  return { guid }
}

/** Refuses a window that is over before it is created. */
export function requireToCome(window: EditedWindow, now: Date): void {
  if (window.rule !== null || occurrences(window, now.getTime(), Infinity).length > 0) return
  throw invalid('starts_at and duration_sec must end in the future')
}

/** Refuses one more when there are as many as an organisation can have. */
export function requireRoomForWindow(there: number): void {
  if (there < MOST_WINDOWS) return
  throw invalid(`an organisation can have ${MOST_WINDOWS} maintenance windows: delete one that is over`)
}

/** Whether an edit changes when a window is on. */
export function isMoved(wanted: Schedule, held: Schedule): boolean {
  return (
    wanted.starts_at !== held.starts_at ||
    wanted.duration_sec !== held.duration_sec ||
    wanted.zone !== held.zone ||
    wanted.rule !== held.rule
  )
}

/** Replaces what was decided of a window. What is over stays as it was. `also`: what else of it was changed, for the audit log. */
export async function editWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  wanted: EditedWindow,
  by?: Actor,
  also: readonly string[] = [],
): Promise<void> {
  const now = deps.clock.now()
  await change(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    const hasMoved = isMoved(wanted, held)
    const window = hasMoved ? requireWindow(wanted, now) : { ...wanted, ...requireRest(wanted) }
    await updateWindow(trx, held, window)
    const at = fromDate(now)
    if (hasMoved) {
      await cutSpans(trx, org_id, held.window_id, at)
      await spreadFrom(trx, { ...held, ...window }, now)
    } else {
      await updateSpans(trx, org_id, held.window_id, { ...window, at })
    }
    const detail = { changed: [...changedFields(window, windowOf(held)), ...also] }
    await recordDeed(trx, deps, by, { org_id, action: 'maintenance.edit', subject: window.name, detail })
  })
}

/** Ends a window that is on. When it repeats, it will be on again. */
export async function endWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  by?: Actor,
): Promise<void> {
  await change(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    const ended = await endSpans(trx, org_id, held.window_id, fromDate(deps.clock.now()))
    if (ended > 0) await recordDeed(trx, deps, by, { org_id, action: 'maintenance.end', subject: held.name })
  })
}

export async function removeWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  by?: Actor,
): Promise<void> {
  await change(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    await cutSpans(trx, org_id, held.window_id, fromDate(deps.clock.now()))
    await deleteWindow(trx, org_id, held.window_id)
    await recordDeed(trx, deps, by, { org_id, action: 'maintenance.delete', subject: held.name })
  })
}

/** The window as it is stored; refuses what does not hold together. */
export function requireWindow(wanted: EditedWindow, now: Date): EditedWindow {
  const { starts_at, duration_sec, zone } = wanted
  const rest = requireRest(wanted)
  if (!isZone(zone)) throw invalid('zone must be the name of a time zone such as Europe/Paris')
  if (!isLocal(starts_at)) throw invalid('starts_at must look like 2026-11-23 02:00')
  if (!Number.isInteger(duration_sec) || duration_sec < MINUTE || duration_sec > LONGEST_SEC) {
    throw invalid('duration_sec must be between 1 min and 30 d')
  }
  if (Math.abs(Date.parse(`${starts_at}Z`) - now.getTime()) > FAR_MS) {
    throw invalid('starts_at must be within 5 years from now')
  }
  const rule = wanted.rule === null ? null : requireRule({ ...wanted, rule: wanted.rule })
  const window = { ...rest, starts_at, duration_sec, zone, rule }
  return window
}

export function requireRest({
  name,
  scope,
  is_public,
}: EditedWindow): Pick<EditedWindow, 'name' | 'scope' | 'is_public'> {
  requireScope(scope)
  return { name: requireName('name', name.trim(), { max: MAX_NAME }), scope, is_public }
}

function isLocal(text: string): boolean {
  const at = new Date(`${text}:00Z`)
  return LOCAL.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

async function change(deps: Deps, org_id: number, apply: (trx: Transaction<Tables>) => Promise<void>): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    // Two people who edit at once take turns.
    if (!(await lockOrganisation(trx, org_id))) throw new DomainError('missing', 'no organisation with that id')
    await apply(trx)
    await decideAgain(trx, deps, org_id)
  })
}

async function requireHeld(trx: Transaction<Tables>, org_id: number, guid: string): Promise<WindowRow> {
  const row = isStorable(guid) ? await lockWindow(trx, org_id, guid) : undefined
  if (!row) throw noSuchWindow()
  return row
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
  return { guid, name, scope: scope as Scope, starts_at, duration_sec, zone, rule, is_public }
}

function noSuchWindow(): DomainError {
  return new DomainError('missing', 'no maintenance window with that guid')
}

function invalid(message: string): DomainError {
  return new DomainError('invalid', message)
}
