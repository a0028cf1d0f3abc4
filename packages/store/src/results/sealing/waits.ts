// Finds what sealing has to wait for: transactions that store results, and statements that were built some seconds ago.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../tables.ts'
import { listStoring, stillRunning } from '../arrivals.ts'
import { isDistributed } from '../nodes/layout.ts'
import { listStoringAtNodes } from '../nodes/sealing-on-nodes.ts'
import { lockSealProgress, NEVER, readSealProgress, type SealProgress, updateSealProgress } from './sealing.ts'

/** First entry of a list of transactions at nodes. */
const AT_NODES = 'at nodes'

/**
 * Whether a running transaction may not have seen the last change. Records which ones: first those of the coordinator, because
 * they outlast their work at nodes, then those that a killed process left at nodes.
 */
export async function isAnyStoring(trx: Transaction<Tables>, { waits_for }: SealProgress): Promise<boolean> {
  const hasNodes = await isDistributed(trx)
  const isAtNodes = hasNodes && waits_for?.[0] === AT_NODES
  if (!isAtNodes) {
    const last = stillRunning(waits_for, await listStoring(trx))
    if (last.length > 0 && waits_for === null) await updateSealProgress(trx, { waits_for: last })
    if (last.length > 0 || !hasNodes) return last.length > 0
  }
  const storing = await listStoringAtNodes(trx)
  // A node that does not respond may have running transactions.
  if (storing === undefined) return true
  const last = stillRunning(isAtNodes ? waits_for : null, storing)
  if (last.length > 0) await updateSealProgress(trx, { waits_for: [AT_NODES, ...last] })
  return last.length > 0
}

/**
 * Returns the end of the hours that may be dropped: those in `known`. Statements on nodes contain an earlier watermark, so there
 * it is the end of the hours that were sealed `noticed_ms` ago, which the function moves.
 */
export async function advancePassed(
  db: Kysely<Tables>,
  known: SealProgress,
  now: Date,
  noticed_ms: number,
): Promise<string> {
  if (!(await isDistributed(db))) return known.sealed_until
  await db.transaction().execute(async (trx) => {
    const progress = await lockSealProgress(trx)
    if (!progress || progress.is_held_up) return
    const { sealed_until, noticing_until, noticing_since } = progress
    if (noticing_since !== null && Math.abs(now.getTime() - Date.parse(noticing_since)) < noticed_ms) return
    const noticed_until = noticing_since === null || noticing_until > sealed_until ? NEVER : noticing_until
    await updateSealProgress(trx, { noticed_until, noticing_until: sealed_until, noticing_since: fromDate(now) })
  })
  return (await readSealProgress(db)).noticed_until
}
