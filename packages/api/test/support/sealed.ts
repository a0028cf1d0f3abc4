// A world in which hours are sealed, as far as reading goes: its results are put where sealing puts them, without the chore.
import { SEALED_COLUMNS, sealing } from '../../../store/src/results/stored/sealed-form.ts'
import type { World } from './world.ts'

/**
 * Everything that ran before an instant, a full hour, is in sealed hours from now on, but for every seventh result, which waits beside
 * them as one that came late. What a reader must not take for results is there as well: rows of sealed hours that are not dropped
 * yet, and the next hour, which is sealed already and not passed by the watermark.
 */
export async function sealBefore(w: World, until: string): Promise<void> {
  const [{ sealed_until: from } = {}] = await w.rows('select sealed_until::text from seal_progress')
  const next = `'${until}'::timestamptz + interval '1 hour'`
  const open = `ran_at >= '${String(from)}'`
  // The next hour was sealed ahead of the watermark the last time.
  await w.rows(`delete from sealed_hours where since >= $1`, from)
  await w.rows(
    `insert into reopened_results select * from results where ${open} and ran_at < $1 and latency_ms % 7 = 3`,
    until,
  )
  const days = await w.rows(
    `select distinct to_char(ran_at at time zone 'UTC', 'YYYY-MM-DD') as day from results where ${open} and ran_at < ${next}`,
  )
  for (const day of days.map((row) => String(row.day))) {
    await w.rows(`create table if not exists sealed_hours_${day.replaceAll('-', '_')} partition of sealed_hours
      for values from ('${day} 00:00:00+00') to (timestamptz '${day} 00:00:00+00' + interval '24 hours')`)
  }
  const sealed = `select * from results where ${open} and ran_at < ${next} and (ran_at >= '${until}' or latency_ms % 7 <> 3)`
  await w.rows(`insert into sealed_hours (${SEALED_COLUMNS}) ${sealing(`(${sealed}) one`)}`)
  await w.rows(`delete from results where ${open} and ran_at < $1 and latency_ms % 2 = 0`, until)
  await w.rows(
    `update results set latency_ms = 1, success = not success, error = 'not read' where ${open} and ran_at < $1`,
    until,
  )
  await w.rows(
    'update seal_progress set is_on = true, announced = $1, closed = $1, settled = $1, sealed_until = $1, noticed_until = $1',
    until,
  )
  w.deps.database.sealing.forget()
}
