// Reads the past states of a check that the server judges in the form of results, so that a replay can judge them.

import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { listPastJudgements } from '@dogwatch/store/checks/judgements'
import type { Db } from '@dogwatch/store/database'
import type { ResultToJudge } from '@dogwatch/store/results/to-judge'

/** Time between two results of a state that lasts, in milliseconds. */
export const STATE_MS = 60_000

/** Yields a result at the beginning of each known state, and one each minute while it lasts, oldest first. */
export async function* replayedStates(
  db: Db,
  { org_id, check_id }: CheckKey,
  from: string,
  until: string,
): AsyncGenerator<ResultToJudge> {
  const pace = new Pace()
  const end_ms = Date.parse(until)
  for (const { state, began_at, ended_at } of await listPastJudgements(db, org_id, [check_id], from)) {
    if (state === 'unmonitored') continue
    const [begin, end] = [began_at < from ? from : began_at, ended_at === null ? Infinity : Date.parse(ended_at)]
    for (let ms = Date.parse(begin); ms < end && ms <= end_ms; ms += STATE_MS) {
      yield { org_id, check_id, at: fromDate(new Date(ms)), monitor_id: '', success: state !== 'down' }
      await pace.spend(1)
    }
  }
}
