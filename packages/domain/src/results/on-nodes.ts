// Writes a batch of results where they are distributed over nodes: the coordinator judges them, and the nodes store them.
//
// There is no transaction over all nodes, and none is needed. Rows are stored before their checks are judged, and everyone sees
// them from then on, so no process judges by half of a batch. The need to judge is recorded before: if this process ends in
// between, a chore judges the checks. Repeats change nothing, so if a part of a batch could not be stored, the agent sends that
// part again, or the whole batch if it cannot send parts.
import { isCrossed } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { leaveUnjudged } from '@dogwatch/store/checks/unjudged'
import { readAssigned } from '@dogwatch/store/results/assigned'
import type { StoredKey } from '@dogwatch/store/results/known-results'
import { writeAtNode } from '@dogwatch/store/results/nodes/at-node'
import { readSealedBoundary } from '@dogwatch/store/results/nodes/layout'
import {
  expectLate,
  listNotStored,
  lockMarked,
  markToJudge,
  takeExpected,
} from '@dogwatch/store/results/nodes/on-nodes'
import { type BatchPlan, type PlannedResult, touchedBy } from './plan.ts'
import type { Announcement, Batch, Target, WriteOutcome } from './target.ts'

/**
 * Time after which others judge marked checks, in milliseconds: longer than it takes to store a batch. This process removes the
 * mark when it judges, unless another one also planned or marked the check. Then it is judged twice.
 */
const STORED_BY_MS = 60_000

export function onNodes(batch: Batch): Target {
  return {
    read: (trx) => readAssigned(trx, batch.monitor, new Set(batch.columns.check_guid)),
    write: (_, plan) => writeOnNodes(batch, plan),
    announce: (plan) => announceOnNodes(batch, plan),
  }
}

/** Writes the rows of each node separately, so that an unavailable node affects only its organisations. */
async function writeOnNodes({ deps: { database }, monitor, columns }: Batch, plan: BatchPlan): Promise<WriteOutcome> {
  const { closing, closed } = plan.batch
  const isClosing = plan.rows.some(({ ran_at }) => ran_at < closing)
  const isSealed = isClosing && (await readSealedBoundary(database.machines))
  const writing = { monitor_id: monitor.id, columns, closing, closed, isSealed }
  const nodes = await database.nodes.listNodesOf(plan.rows.map(({ org_id }) => org_id))
  const kept: PlannedResult[] = []
  const fresh: StoredKey[] = []
  const missed: PlannedResult[] = []
  const failures: Error[] = []
  await Promise.all(
    nodes.map(async (node) => {
      const isAtNode = ({ org_id }: { org_id: number }): boolean => node.org_ids.has(org_id)
      const results = plan.results.filter(isAtNode)
      const part = { ...writing, rows: plan.rows.filter(isAtNode), marks: plan.marks.filter(isAtNode) }
      try {
        const written = await database.nodes.at(node, (pool, givenUp) =>
          writeAtNode(pool, database.machines, part, givenUp),
        )
        for (const row of written) fresh.push(row)
        for (const result of results) kept.push(result)
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)))
        for (const result of results) missed.push(result)
      }
    }),
  )
  return { kept, fresh, missed, failures }
}

async function announceOnNodes(
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
    // Locks all checks at once before they are judged, which plans them again. The marks of nodes that did not respond stay.
    lock: (trx, kept, all) => lockMarked(trx, keysOf(all ? kept : kept.filter(has)), marked_at),
    takeLate: (trx, rows) => takeExpected(trx, monitor.id, rows),
  }
}

/** Lists the checks of some results in their order, each once. */
function keysOf(results: readonly PlannedResult[]): { org_id: number; check_id: number }[] {
  return [...new Set(results.map(({ check }) => check))]
}
