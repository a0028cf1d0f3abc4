// Results as they are inserted, minute after minute, into tables that are cut in different ways: what each result takes of the
// disk and of the log.
import { asRecorded, isWellAlone, RUN_COLUMNS } from '../../lab/recorded-rows.ts'
import { ONE_FAILS_OF } from '../../lab/recording.ts'
import type { Ground } from './ground.ts'

export interface Layout {
  name: string
  /** How long a partition is, in minutes; undefined: a month, in which each check has a history. */
  minutes: number | undefined
  /** More of `create table ... (like results including all)`, such as how texts are compressed. */
  more?: string
}

export interface Taken {
  name: string
  results: number
  disk: number
  log: number
  /** Seconds of Postgres' CPU. */
  cpu: number
}

/** A checkpoint comes as often as in production: of each page, the first change after it is written whole to the log. */
const CHECKPOINT_MINUTES = 15
/** So that each check has a leaf page of its own in the index of a month, as after some hours of a month. */
const HISTORY_HOURS = 4
const WARM_UP_MINUTES = 60
const BATCH = 500
const MONITORS = 3
export const ORGS = 50
/** Of the measured hour. */
export const MINUTES = 60

/** Inserts an hour of results as monitors send them, in batches of checks that lie far apart. */
export async function insertHour(ground: Ground, { name, minutes, more = '' }: Layout): Promise<Taken> {
  const { database, meter, checks } = ground
  const query = (text: string, values: readonly unknown[] = []) => database.pools.machines.query(text, [...values])
  const table = `disk_${name.replaceAll(/\W+/g, '_')}`
  const parts = minutes === undefined ? 1 : MINUTES / minutes
  for (let part = 0; part < parts; part++) {
    await query(`create table ${table}_${part} (like results including all)`)
    if (more !== '') await query(`alter table ${table}_${part} ${more}`)
  }
  if (minutes === undefined) {
    await query(
      `insert into ${table}_0 (${RUN_COLUMNS}) ${runs(`generate_series(${-HISTORY_HOURS * 60 - WARM_UP_MINUTES}, ${-WARM_UP_MINUTES - 1}) t(m)`)}
      order by 1, 2, 3`,
      [0, 1, checks],
    )
  }
  await query('vacuum (analyze)')
  const batches = Math.ceil(checks / BATCH)
  const insert = async (minute: number): Promise<void> => {
    const part = minutes === undefined ? 0 : Math.floor(minute / minutes)
    for (let batch = 0; batch < batches; batch++) {
      await database.pools.machines.query({
        name: `disk ${table} ${part}`,
        text: `insert into ${table}_${part} (${RUN_COLUMNS}) ${runs('(select $4::integer) t(m)')}
          order by 1, 2, 3 on conflict do nothing`,
        values: [batch, batches, checks, minute],
      })
    }
  }
  // Pages are as full as inserting leaves them, and not as a load does.
  if (minutes === undefined) for (let minute = -WARM_UP_MINUTES; minute < 0; minute++) await insert(minute)
  const before = await sizeOf(ground, table, parts)
  const [log, cpu] = [await ground.log(), meter.seconds()]
  for (let minute = 0; minute < MINUTES; minute++) {
    if (minute % CHECKPOINT_MINUTES === 0) await query('checkpoint')
    await insert(minute)
  }
  const taken = { log: (await ground.log()) - log, cpu: meter.seconds() - cpu }
  const disk = (await sizeOf(ground, table, parts)) - before
  return { name, results: checks * MINUTES, disk, ...taken }
}

/** The runs of a batch's checks: $1 of $2 batches, of $3 checks in all. Monitors take turns. `minutes`: a relation with `m`. */
export function runs(minutes: string): string {
  return asRecorded(`
    select 1 + c % ${ORGS}::bigint as org_id, c::bigint as check_id,
      timestamptz '2026-01-15 10:00:00Z' + (m + c * 7919 % 60000 / 60000.0) * interval '1 minute' as ran_at,
      'monitor' || lpad((m + 6000) % ${MONITORS} || '', 5, '0') as monitor_id,
      ${isWellAlone('c', 'm + 6000', ONE_FAILS_OF)} as success, m + 6000 as run
    from generate_series($1::bigint, $3::bigint - 1, $2::bigint) c cross join ${minutes}`)
}

async function sizeOf({ database }: Ground, table: string, parts: number): Promise<number> {
  const { rows } = await database.pools.machines.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(($1 || '_' || n)::regclass))::float8 as bytes from generate_series(0, $2::integer - 1) n`,
    [table, parts],
  )
  return rows[0]?.bytes ?? 0
}
