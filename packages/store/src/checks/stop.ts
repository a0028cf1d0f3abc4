// Ends the incidents and degradations of checks that were paused or deleted.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type DegradationKind, subjectOfDegradation } from './degradations.ts'
import { giveUpOn } from './incidents.ts'
import { endJudgements } from './judgements.ts'

/**
 * Ends the open incidents, degradations and judgements of checks without an alert, and gives up pending alerts about them. The checks are no
 * longer unmonitored or flapping.
 */
export async function stopChecks(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  { ended_at, end_reason }: { ended_at: string; end_reason: 'disabled' | 'deleted' },
): Promise<void> {
  const its = sql`org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])`
  const ends = sql`ended_at = greatest(began_at, ${ended_at}::timestamptz), end_reason = ${end_reason}`
  await sql`
    update check_states set unmonitored_since = null, unmonitored_quietly = false, changes = '[]', flapping_since = null,
      change_count = 0
    where ${its} and (unmonitored_since is not null or changes <> '[]')`.execute(db)
  await endJudgements(db, org_id, check_ids, ended_at)
  const degradations = await sql<{ check_id: number; kind: DegradationKind }>`
    update degradations set ${ends} where ${its} and ended_at is null returning check_id, kind`.execute(db)
  const incidents = await sql<{ check_id: number }>`
    update incidents set ${ends} where ${its} and ended_at is null returning check_id`.execute(db)
  await giveUpOn(db, org_id, [
    ...degradations.rows.map((one) => subjectOfDegradation(one, one.kind)),
    ...incidents.rows.map(({ check_id }) => `check:${check_id}`),
  ])
}
