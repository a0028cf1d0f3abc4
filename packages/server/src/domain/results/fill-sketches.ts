// Fills in the sketches of hours that servers of an earlier build summed up, from the results that are still kept.
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import {
  answers,
  type Filling,
  findCheckFrom,
  findUnsketched,
  isAnyUnsketched,
  lockFilling,
  updateDaySketches,
  updateFilling,
  updateHourSketches,
} from '../../store/results/unsketched.ts'

/** In one transaction, for which others that fold wait: some tenths of a second. */
const AT_ONCE = { hours: 1000, results: 50_000 }
/** In one run of the chore. The rest waits for the next one, so that the database has time for others. */
const MOST_MS = 500

/** 0 while something is left to do. */
export async function untilUnsketched({ database }: Deps): Promise<number> {
  return (await isAnyUnsketched(database.machines)) ? 0 : Infinity
}

export async function fillSketches(deps: Deps): Promise<void> {
  const until = deps.clock.monotonicMs() + MOST_MS
  while ((await fillNext(deps)) && deps.clock.monotonicMs() < until);
}

/** False when nothing is left to do, or another process is at it. */
async function fillNext(deps: Deps): Promise<boolean> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const filling = await lockFilling(trx)
    if (!filling) return false
    const { left_out } = filling
    const check = await findCheckFrom(trx, filling)
    if (!check) return beginAgain(trx, filling)
    if (!(await answers(trx, check.org_id))) {
      const first = Math.min(left_out ?? check.org_id, check.org_id)
      await updateFilling(trx, { org_id: check.org_id + 1, check_id: 0, before: null, left_out: first })
      return true
    }
    const isSame = check.org_id === filling.org_id && check.check_id === filling.check_id
    const before = isSame ? filling.before : null
    const span = await findUnsketched(trx, { ...check, before }, AT_ONCE)
    if (span) {
      await updateHourSketches(trx, check, span)
      await updateFilling(trx, { ...check, before: span.from, left_out })
      return true
    }
    await updateDaySketches(trx, check)
    await updateFilling(trx, { org_id: check.org_id, check_id: check.check_id + 1, before: null, left_out })
    return true
  })
}

/** At the end: once more from the first organisation that was left out, as soon as its node answers. */
async function beginAgain(trx: Transaction<Tables>, { left_out }: Filling): Promise<boolean> {
  if (left_out === null) await updateFilling(trx, undefined)
  if (left_out === null || !(await answers(trx, left_out))) return false
  await updateFilling(trx, { org_id: left_out, check_id: 0, before: null, left_out: null })
  return true
}
