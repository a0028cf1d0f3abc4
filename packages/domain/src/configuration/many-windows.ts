// Stores or deletes many maintenance windows at once.
import { newGuid } from '@dogwatch/runtime/ids'
import { listWindows, lockWindows } from '@dogwatch/store/maintenance/windows'
import { changedFields } from '../audit/changed-fields.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { createWindows, editWindows, removeWindows } from '../maintenance/edit-many.ts'
import type { WindowSchedule } from '../maintenance/occurrences.ts'
import { type PlannedSpans, spansFrom } from '../maintenance/spread.ts'
import {
  type EditedWindow,
  isMoved,
  requireRest,
  requireRoomForWindow,
  requireToCome,
  requireWindow,
  windowOf,
} from '../maintenance/window.ts'
import type { Faults } from './faults.ts'
import { changedKey, type KeyOfMany, readKey, requireKeysFree, setKeys } from './keys.ts'
import type { Input, Inside, ManyOf, PutOfMany } from './kind.ts'
import { allNamed, lookUp, type ResolvedReferences } from './references.ts'
import { type ConfiguredWindow, inputOf, namedIn, restOf, WINDOW } from './windows.ts'

/**
 * Schedule of a window with its spans, or the refusal of the schedule. The refusal does not matter if the window keeps its
 * schedule.
 */
type ReadWindow = { schedule: WindowSchedule; planned: PlannedSpans } | { refusal: DomainError }

type WindowPut = KeyOfMany & {
  window: EditedWindow
  /** New spans of the window. Undefined if its schedule stays the same. */
  planned: PlannedSpans | undefined
  before: ConfiguredWindow | undefined
  after: ConfiguredWindow
}

/**
 * Reads the schedule of a window. `known`: earlier schedules of the same request, by text, so that equal ones are read only once.
 */
function read({ clock }: Pick<Deps, 'clock'>, input: Input, known: Map<string, unknown>): ReadWindow {
  const rest = restOf(input)
  const { starts_at, duration_sec, zone, rule } = rest
  const text = JSON.stringify([starts_at, duration_sec, zone, rule])
  const before = known.get(text)
  if (before) return before as ReadWindow
  const now = clock.now()
  try {
    const {
      name: _,
      scope: __,
      is_public: ___,
      ...schedule
    } = requireWindow({ ...rest, name: 'x', scope: { all: true } }, now)
    const made = { schedule, planned: spansFrom(schedule, now) }
    known.set(text, made)
    return made
  } catch (error) {
    if (error instanceof DomainError) return { refusal: error }
    throw error
  }
}

async function list({ trx, by: { org_id } }: Inside, guids: readonly string[]): Promise<ConfiguredWindow[]> {
  return WINDOW.withKeys(trx, org_id, (await lockWindows(trx, org_id, guids)).map(windowOf))
}

async function put(inside: Inside, puts: readonly PutOfMany<ConfiguredWindow>[], faults: Faults) {
  const { deps, trx, by } = inside
  const { org_id } = by
  const known = await lookUp(trx, org_id, await allNamed(puts.map(({ input }) => namedIn(input))))
  const placed: WindowPut[] = []
  for (const one of puts) {
    const made = await faults.during(one.index, () => place(deps, known, one))
    if (made) placed.push(made)
  }
  await requireKeysFree(trx, org_id, 'window', placed, faults)
  const created = placed.filter(({ before }) => !before)
  const there = created.length === 0 ? 0 : (await listWindows(trx, org_id)).length
  for (const [n, { index }] of created.entries()) await faults.during(index, () => requireRoomForWindow(there + n))
  if (!faults.isEmpty) return []
  const held = placed.filter(({ before }) => before)
  await setKeys(trx, org_id, 'window', held)
  await editWindows(trx, deps, by, held.flatMap(changeOf))
  const rows = created.flatMap(({ id: guid, key = null, window, planned }) =>
    planned ? [{ guid, key, window, planned }] : [],
  )
  await createWindows(trx, deps, by, rows)
  return placed.map(({ after }) => after)
}

function place(
  deps: Deps,
  known: ResolvedReferences,
  { index, before, input, read: made }: PutOfMany<ConfiguredWindow>,
): WindowPut {
  const key = readKey(input)
  const wanted = inputOf(known, input, before?.item)
  const hasMoved = !before || isMoved(wanted, before.item)
  const its = made as ReadWindow
  if (hasMoved && 'refusal' in its) throw its.refusal
  const schedule = hasMoved && 'schedule' in its ? its.schedule : {}
  const window = { ...wanted, ...requireRest(wanted), ...schedule }
  if (!before) requireToCome(window, deps.clock.now())
  const id = before?.item.guid ?? newGuid(deps.random)
  const held = before?.key ?? null
  const after = { item: { ...window, guid: id }, key: key === undefined ? held : key }
  const planned = hasMoved && 'planned' in its ? its.planned : undefined
  return { index, id, held, key, window, planned, before, after }
}

/** Returns the change of a window, or nothing if the window stays the same. */
function changeOf({ id: guid, key, window, planned, before, after }: WindowPut) {
  if (!before || WINDOW.versionOf(before) === WINDOW.versionOf(after)) return []
  const { state: _, span: __, guid: ___, ...held } = before.item
  return [{ guid, window, planned, changed: [...changedFields(window, held), ...changedKey(before.key, key)] }]
}

async function remove({ deps, trx, by }: Inside, things: readonly ConfiguredWindow[]): Promise<void> {
  await removeWindows(trx, deps, by, things.map(WINDOW.idOf))
}

export const MANY_WINDOWS = { read, list, put, remove } satisfies ManyOf<ConfiguredWindow>
