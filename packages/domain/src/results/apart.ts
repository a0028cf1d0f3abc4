// Defines the target of batches whose results nodes store in transactions of their own. Before they do, commits which checks must
// be judged, so that a chore judges these checks if this process ends before it has judged them.
import { isCrossed } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { leaveUnjudged } from '@dogwatch/store/checks/unjudged'
import { readAssigned } from '@dogwatch/store/results/assigned'
import {
  expectLate,
  listNotStored,
  lockMarked,
  markToJudge,
  takeExpected,
  writeApart,
} from '@dogwatch/store/results/nodes/direct-writes'
import { type BatchPlan, type PlannedResult, touchedBy } from './plan.ts'
import type { Announcement, Batch, Target, WriteOutcome } from './target.ts'

/**
 * Time after which others judge marked checks, in milliseconds: longer than it takes to store a batch. This process removes the
 * mark when it judges, unless another one also planned or marked the check. Then it is judged twice.
 */
const STORED_BY_MS = 60_000

export function apart(batch: Batch): Target {
  return {
    read: (trx) => readAssigned(trx, batch.monitor, new Set(batch.columns.check_guid)),
    write: (_, plan) => write(batch, plan),
    announce: (plan) => announce(batch, plan),
  }
}

async function write({ deps: { database }, monitor, columns }: Batch, plan: BatchPlan): Promise<WriteOutcome> {
  const { rows, marks, results, batch } = plan
  const { closing, closed } = batch
  const writing = { monitor_id: monitor.id, columns, rows, marks, closing, closed }
  const { missed, ...written } = await writeApart(database, writing)
  return {
    ...written,
    kept: results.filter(({ org_id }) => !missed.has(org_id)),
    missed: results.filter(({ org_id }) => missed.has(org_id)),
  }
}

async function announce(
  { deps, monitor, columns, arrival }: Batch,
  { batch, results, decided }: BatchPlan,
): Promise<Announcement> {
  const { machines } = deps.database
  const marked_at = fromDate(new Date(deps.clock.now().getTime() + STORED_BY_MS))
  const to_judge = [...decided].sort((a, b) => a.org_id - b.org_id || a.check_id - b.check_id)
  await markToJudge(machines, to_judge, marked_at).catch(async (error: unknown) => {
    if (!isCrossed(error)) throw error
    // Another process holds one of their locks, which is no reason to refuse results.
    const deciding = results.filter(({ check }) => decided.has(check))
    const left = touchedBy(columns, deciding, [])
    await leaveUnjudged(machines, monitor.id, left, { due_at: marked_at, is_catching_up: arrival.catchingUp })
  })
  const late = results.filter(({ ran_at }) => ran_at < batch.announced)
  await expectLate(machines, monitor.id, await listNotStored(machines, monitor.id, late))
  const marked = new Set(to_judge.map(({ check_id }) => check_id))
  const has = ({ check_id }: PlannedResult): boolean => marked.has(check_id)
  return {
    has,
    // Locks all checks at once before they are judged, which plans them again. The marks of results that were not written stay.
    lock: (trx, kept, all) => lockMarked(trx, keysOf(all ? kept : kept.filter(has)), marked_at),
    takeLate: (trx, rows) => takeExpected(trx, monitor.id, rows),
  }
}

/** Lists the checks of some results in their order, each once. */
function keysOf(results: readonly PlannedResult[]): { org_id: number; check_id: number }[] {
  return [...new Set(results.map(({ check }) => check))]
}
