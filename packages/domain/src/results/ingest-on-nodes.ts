// Stores a batch of results that are distributed over nodes: the coordinator judges them, and the nodes store them.
//
// There is no transaction over all nodes, and none is needed. Rows are stored before their checks are judged, and everyone sees
// them from then on, so no process judges by half of a batch. The need to judge is recorded before: if this process ends in
// between, a chore judges the checks. Repeats change nothing, so if a part of a batch could not be stored, the agent sends that
// part again, or the whole batch if it cannot send parts.
import { isBroken, isCrossed, isUndone } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { leaveUnjudged } from '@dogwatch/store/checks/unjudged'
import { type AssignedBatch, readAssigned } from '@dogwatch/store/results/assigned'
import type { StoredKey } from '@dogwatch/store/results/copied-results'
import { insertAtNode } from '@dogwatch/store/results/nodes/at-node'
import { readSealedBoundary } from '@dogwatch/store/results/nodes/layout'
import {
  expectLate,
  listNotStored,
  lockMarked,
  markToJudge,
  takeExpected,
} from '@dogwatch/store/results/nodes/on-nodes'
import type { TimedColumns } from '@dogwatch/store/results/results'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { hourOf, lateHours } from './history.ts'
import { type Arrival, judgeTouched } from './judge-touched.ts'
import { decidedBy, type PlannedResult, planOf, touchedBy, withoutRepeats } from './plan.ts'

/**
 * Time after which others judge marked checks, in milliseconds: longer than it takes to store a batch. This process removes the
 * mark when it judges, unless another one also planned or marked the check. Then it is judged twice.
 */
const STORED_BY_MS = 60_000

interface NodeOutcome {
  accepted: number
  fresh: number
  /** Guids of the checks whose results could not be stored for now. */
  missed: ReadonlySet<string>
}

/** Stores a batch on the nodes. Throws if a node failed, unless `isPartial` accepts that only some nodes stored their part. */
export async function storeOnNodes(
  deps: Deps,
  monitor: Caller,
  columns: TimedColumns,
  { isPartial, ...arrival }: Arrival & { isPartial: boolean },
): Promise<NodeOutcome> {
  const { machines } = deps.database
  const guids = [...new Set(columns.check_guid)]
  const late_hours = lateHoursOf(deps, columns)
  const isInOrder = columns.effective_at.every((at) => at === null)
  const first = await machines.transaction().execute(async (trx) => {
    const batch = await readAssigned(trx, monitor, guids)
    if (!batch) return undefined
    const planned = planOf(columns, batch)
    const decided = decidedBy(columns, planned, batch, arrival.wasDelayed)
    const isOpen = planned.every(({ ran_at }) => ran_at >= batch.closing)
    const isQuiet = decided.size === 0 && isInOrder && !late_hours && isOpen
    const written = isQuiet ? await write(deps, monitor, columns, batch, planned) : undefined
    return { decided, planned, late: planned.filter(isLate(batch)), written }
  })
  if (!first) {
    await requireCaller(machines, monitor)
    throw new Error('the upload was refused, but the monitor is allowed to upload')
  }
  if (first.written) return answer(first.written, isPartial)
  const marked_at = fromDate(new Date(deps.clock.now().getTime() + STORED_BY_MS))
  const to_judge = [...first.decided].sort((a, b) => a.org_id - b.org_id || a.check_id - b.check_id)
  if (to_judge.length > 0) {
    await markToJudge(machines, to_judge, marked_at).catch(async (error: unknown) => {
      if (!isCrossed(error)) throw error
      // Another process holds one of their locks, which is no reason to refuse results.
      const deciding = first.planned.filter(({ check }) => first.decided.has(check))
      const left = touchedBy(columns, deciding, [])
      await leaveUnjudged(machines, monitor.id, left, { due_at: marked_at, is_catching_up: arrival.catchingUp })
    })
  }
  await expectLate(machines, monitor.id, await listNotStored(machines, monitor.id, first.late))
  const written = await machines.transaction().execute(async (trx) => {
    const batch = await readAssigned(trx, monitor, guids)
    if (!batch) return undefined
    const found = await write(deps, monitor, columns, batch, planOf(columns, batch), late_hours)
    const late = found.kept.filter(isLate(batch))
    // Locks all checks at once before they are judged, which plans them again. The marks of nodes that did not respond stay.
    const marked = new Set(to_judge.map(({ check_id }) => check_id))
    const held = touchedBy(columns, found.kept, []).filter(({ check_id }) => late.length > 0 || marked.has(check_id))
    for (const { check_id } of decidedBy(columns, found.kept, batch, arrival.wasDelayed)) marked.add(check_id)
    const deciding = found.kept.filter(({ check_id }) => marked.has(check_id))
    const touched = async () => {
      // Another attempt to store these results may have left their notes to this one.
      const expected = await takeExpected(trx, monitor.id, late)
      return touchedBy(columns, deciding, [...found.fresh.filter(isLate(batch)), ...expected])
    }
    await judgeTouched(trx, deps, monitor, { lock: () => lockMarked(trx, held, marked_at), touched }, arrival)
    return found
  })
  if (written) return answer(written, isPartial)
  await requireCaller(machines, monitor)
  throw new Error('the upload was refused, but the monitor is allowed to upload')
}

interface NodeWrites {
  /** Rows of nodes that responded, including rows that were already known. */
  kept: PlannedResult[]
  fresh: StoredKey[]
  /** Rows of nodes that did not respond. */
  missed: PlannedResult[]
  /** Errors of these nodes. */
  failures: Error[]
}

/** Stores the rows of each node separately, so that an unavailable node affects only its organisations. */
async function write(
  { database }: Deps,
  monitor: Caller,
  columns: TimedColumns,
  { closing, closed }: AssignedBatch,
  planned: readonly PlannedResult[],
  late_hours?: ReadonlySet<string>,
): Promise<NodeWrites> {
  const isClosing = planned.some(({ ran_at }) => ran_at < closing)
  const isSealed = isClosing && (await readSealedBoundary(database.machines))
  const nodes = await database.nodes.listNodesOf(planned.map(({ org_id }) => org_id))
  const written: NodeWrites = { kept: [], fresh: [], missed: [], failures: [] }
  await Promise.all(
    nodes.map(async (node) => {
      const its = planned.filter(({ org_id }) => node.org_ids.has(org_id))
      const rows = withoutRepeats(its)
      const marks = late_hours || isClosing ? marksOf(rows, closing, late_hours) : []
      const storing = { rows, marks, closing, closed, isSealed }
      try {
        const fresh = await database.nodes.at(node, (pool, givenUp) =>
          insertAtNode(pool, monitor.id, columns, { ...storing, givenUp }),
        )
        for (const row of fresh) written.fresh.push(row)
        for (const row of its) written.kept.push(row)
      } catch (error) {
        written.failures.push(error instanceof Error ? error : new Error(String(error)))
        for (const row of its) written.missed.push(row)
      }
    }),
  )
  return written
}

/** Returns the hours of each check that the batch changes after they ended, or undefined if there are none. */
function lateHoursOf(deps: Deps, columns: TimedColumns): ReadonlySet<string> | undefined {
  const late = lateHours(columns, deps.clock.now(), !deps.clock.isTrusted())
  return late && new Set(late.check_guid.map((guid, index) => `${late.hour[index] ?? ''} ${guid}`))
}

/**
 * Returns the hours to fold again: the late ones, and those that are being closed, because a clock that is behind may not see
 * them as late.
 */
function marksOf(rows: readonly PlannedResult[], closing: string, late_hours?: ReadonlySet<string>) {
  return rows.flatMap(({ org_id, check_id, ran_at, check }) => {
    const hour = hourOf(ran_at)
    const isMarked = ran_at < closing || late_hours?.has(`${hour} ${check.guid}`)
    return isMarked ? [{ org_id, check_id, hour }] : []
  })
}

/**
 * Returns the outcome of a batch, with the checks to send again. Throws the error of a node instead if the caller cannot send a
 * part again, or if a repeat would not help.
 */
function answer({ kept, fresh, missed, failures }: NodeWrites, isPartial: boolean): NodeOutcome {
  const isForNow = (error: Error) => isUndone(error) || isBroken(error)
  const failure = failures.find((error) => !isPartial || !isForNow(error))
  if (failure) throw failure
  return { accepted: kept.length, fresh: fresh.length, missed: new Set(missed.map(({ check }) => check.guid)) }
}

/** Whether a result is late when it is stored now. */
const isLate =
  ({ announced }: AssignedBatch) =>
  ({ ran_at }: StoredKey): boolean =>
    ran_at < announced
