// Writes sealed hours back as rows, for servers of versions that do not read them.

import { UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import { sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows } from '../../check-keys.ts'
import type { Tables } from '../../tables.ts'
import { isDistributed } from '../nodes/layout.ts'
import { insertUnsealedOnNodes, moveReopenedOnNodes } from '../nodes/sealing-on-nodes.ts'
import { RUN_COLUMNS, splitAtPlaceholder, unsealed } from '../stored/sealed-form.ts'

const COLUMNS = sql.raw(RUN_COLUMNS.join(', '))

/**
 * Writes the results of some checks in the sealed hours of a span into `results`, where some might still be. Returns how many
 * were missing there.
 */
export async function insertUnsealed(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  from: string,
  until: string,
): Promise<number> {
  if (keys.length === 0) return 0
  if (await isDistributed(trx)) {
    const { written, away } = await insertUnsealedOnNodes(trx, keys, from, until)
    requireAll(away)
    return written
  }
  const [before, after] = splitAtPlaceholder(unsealed)
  const { numAffectedRows = 0n } = await sql`
    insert /* one node */ into results (${COLUMNS})
    select ${COLUMNS} from (${sql.raw(before)}(
      select s.* from ${keyRows(keys)} join sealed_hours s on s.org_id = k.org_id and s.check_id = k.check_id
      where s.since >= ${from}::timestamptz and s.since < ${until}::timestamptz)${sql.raw(after)}) u
    order by org_id, check_id, ran_at, monitor_id
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

function requireAll(away: ReadonlySet<number>): void {
  if (away.size > 0)
    throw new UnreachableDatabase(
      new Error('a database node does not respond; run dogwatch results unseal again when all nodes respond'),
    )
}

/** Moves the late results of some checks into `results`, where those are distributed. */
export async function moveReopenedOf(trx: Transaction<Tables>, keys: readonly CheckKey[]): Promise<number> {
  const { moved, away } = await moveReopenedOnNodes(trx, keys)
  requireAll(away)
  return moved
}

/**
 * Moves some late results into `results`, and returns how many. No process adds further ones at this point. The caller must hold
 * the lock of the progress.
 */
export async function moveReopened(trx: Transaction<Tables>, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with /* one node */ moved as (
      delete from reopened_results where ctid = any(array(select ctid from reopened_results limit ${limit})) returning ${COLUMNS}
    ), stored as (
      insert into results (${COLUMNS}) select ${COLUMNS} from moved order by org_id, check_id, ran_at, monitor_id
      on conflict do nothing
    )
    select count(*)::integer as count from moved`.execute(trx)
  return rows[0]?.count ?? 0
}
