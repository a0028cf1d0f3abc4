// Prepares a database in which servers have sealed hours for a while, so that results are in partitions of ten minutes. Uses the
// product's own functions, with a clock that is behind and then moves on.

import { foldHistory } from '../../../packages/domain/dist/results/history.js'
import { ensurePartitions } from '../../../packages/domain/dist/results/partitions.js'
import { sealHours } from '../../../packages/domain/dist/results/seal.js'
import { systemClock } from '../../../packages/runtime/dist/clock.js'
import type { Stage } from '../stage.ts'
import { HOUR } from '../traffic/units.ts'
import { numberOf, query } from '../world.ts'

const MINUTE_MS = 60_000

/** Prepares an empty database: all hours before the hour with results are sealed, and later results go to short partitions. */
export async function beginSealing(stage: Stage): Promise<void> {
  const hour = await numberOf(stage, `select extract(epoch from ${HOUR}) * 1000`)
  let at = hour + MINUTE_MS
  const clock = { ...systemClock, now: () => new Date(at), asTold: () => new Date(at) }
  const deps = { ...stage, clock }
  await ensurePartitions(deps)
  await foldHistory(deps)
  // Sealing begins with the first call. A minute later, all processes count as informed.
  await sealHours(deps)
  at += MINUTE_MS
  await sealHours(deps)
  const { open, sealed_until } = await readSealing(stage)
  if (open < 18 || Date.parse(sealed_until) > hour) throw new Error('there are no short partitions')
}

export interface SealingState {
  /** Number of partitions of ten minutes, including those created in advance. */
  open: number
  sealed_until: string
  sealed_rows: number
}

const STATE = `
  select (select count(*)::integer from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where inhparent = 'results'::regclass and c.relname ~ '_[0-9]{4}_*$' and c.relname ~ '_[0-9]{2}_[0-9]{2}_[0-9]{4}') as open,
    wire_time(sealed_until) as sealed_until,
    (select coalesce(sum(n_tup_ins), 0)::float8 from pg_stat_user_tables where relname ~ '^sealed_hours_') as sealed_rows
  from seal_progress`

export async function readSealing(stage: Stage): Promise<SealingState> {
  const [state] = await query<SealingState>(stage, STATE)
  return state as SealingState
}
