// Reads the sync delta of one monitor: its rows and the sync clock.
import { setTimeout as pause } from 'node:timers/promises'
import { type CheckFields, type FieldsWith, fieldsWith } from '@dogwatch/check-rules/fields'
import type { Database } from '../database.ts'

/** One check as a monitor must see it now. If `active` is false, the row is a tombstone. */
export interface SyncRow extends Pick<CheckFields, FieldsWith<{ isSynced: true }>> {
  guid: string
  updated_at: string
  active: boolean
  monitor_count: number
  /** Position of the monitor, from 0, among the enabled monitors that run the check. Null if the monitor is not one of them. */
  monitor_rank: number | null
}

export interface Delta {
  /** Time of the sync clock, which the agent sends with its next sync. It can differ from the current time. */
  server_time: string
  /** Database time at which the delta was read. */
  now: string
  /** Whether the sync clock is more than a second behind the current time, because nothing has changed lately. */
  is_late: boolean
  /** Whether a person might have requested a run that the monitor has not received yet. */
  is_asked: boolean
  rows: SyncRow[]
}

// Most syncs find nothing new, which this row alone shows. Planning the delta would cost more than everything else in
// such a sync.
const CLOCK = {
  name: 'sync-clock',
  text: `
    select wire_time(t) as server_time, wire_time(clock_timestamp()) as now,
      clock_timestamp() - t > interval '1 second' as is_late, changed_at > $1::timestamptz as has_changed,
      exists (select from asked_runs where monitor_id = $2 and handed_at is null) as is_asked
    from sync_clock`,
}

/** Returns the columns of a check's definition that monitors receive, as SQL. `table` is a table or a query. */
function contentOf(table: string): string {
  return fieldsWith({ isSynced: true })
    .map((field) => `${table}.${field}`)
    .join(', ')
}

// One statement reads rows and clock, so both are from the same moment, and no change up to `server_time` is missing.
// In a suspended org, all rows are tombstones. Counts positions for all changed checks at once; `order by` compares
// bytes.
const DELTA = {
  name: 'sync-delta',
  text: `
    select wire_time(clock.t) as server_time, wire_time(clock_timestamp()) as now,
      clock_timestamp() - clock.t > interval '1 second' as is_late, delta.*
    from sync_clock clock left join (
      with mine as materialized (
        select a.org_id, a.check_id, a.guid, a.active and o.suspended_at is null as active,
          case when a.active then greatest(a.updated_at, c.updated_at) else a.updated_at end as changed_at,
          ${contentOf('c')}
        from assignments a join checks c on c.org_id = a.org_id and c.check_id = a.check_id
        join organisations o on o.org_id = a.org_id
        where a.monitor_id = $1
          and (a.updated_at > $2::timestamptz or (a.active and c.updated_at > $2::timestamptz))
      ), turns as (
        select a.org_id, a.check_id, count(*)::integer as monitor_count,
          (count(*) filter (where a.monitor_id < $1))::integer as before,
          bool_or(a.monitor_id = $1) as is_active
        from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
        where a.active and (a.org_id, a.check_id) in (select org_id, check_id from mine where active)
        group by a.org_id, a.check_id
      )
      select mine.guid, wire_time(mine.changed_at) as updated_at, mine.active, ${contentOf('mine')},
        coalesce(turns.monitor_count, 0) as monitor_count,
        case when turns.is_active then turns.before end as monitor_rank, mine.changed_at
      from mine left join turns using (org_id, check_id)
    ) delta on true
    order by delta.changed_at, delta.guid`,
}

/** Reads what changed for a monitor after `since` (RFC 3339), oldest change first, and the clock as of that moment. */
export async function readDelta(database: Database, monitor_id: string, since: string): Promise<Delta> {
  const { has_changed, ...clock } = await readClock(database, monitor_id, since)
  if (!has_changed) return { ...clock, rows: [] }
  return { ...(await readChanges(database, monitor_id, since)), is_asked: clock.is_asked }
}

interface Clock extends Omit<Delta, 'rows'> {
  /** Whether anything changed for any monitor. */
  has_changed: boolean
}

async function readClock(database: Database, monitor_id: string, since: string): Promise<Clock> {
  const { rows } = await database.pools.machines.query<Clock>({ ...CLOCK, values: [since, monitor_id] })
  const [clock] = rows
  if (!clock) throw new Error('the table sync_clock has no row')
  return clock
}

async function readChanges(database: Database, monitor_id: string, since: string): Promise<Omit<Delta, 'is_asked'>> {
  type Row = Omit<SyncRow, 'guid'> & Omit<Delta, 'rows' | 'is_asked'> & { guid: string | null }
  const { rows } = await database.pools.machines.query<Row>({ ...DELTA, values: [monitor_id, since] })
  const [first] = rows
  if (!first) throw new Error('the table sync_clock has no row')
  return {
    server_time: first.server_time,
    now: first.now,
    is_late: first.is_late,
    rows: first.guid === null ? [] : (rows as SyncRow[]),
  }
}

const TICK = {
  name: 'sync-clock-tick',
  text: `
    with late as (
      select is_the_one from sync_clock where clock_timestamp() - t > interval '1 second' for update skip locked
    ), ticked as (
      update sync_clock set t = greatest(clock_timestamp(), t + interval '1 microsecond')
      where is_the_one in (select is_the_one from late)
    )
    select clock_timestamp() - t > interval '1 second' and not exists (select from late) as is_held from sync_clock`,
}
// Number of attempts to lock the clock. Another process that advances it holds the lock only briefly. A transaction
// with changes can hold it for long, and no sync should wait for that.
const TRIES = 3
const PAUSE_MS = 5
const underWay = new WeakMap<Database, Promise<void>>()

/** Advances the sync clock although nothing changed. Does nothing while a transaction with changes has locked the clock. */
export function tickIdleClock(database: Database): Promise<void> {
  const running = underWay.get(database)
  if (running) return running
  const tick = tickUnlessHeld(database).finally(() => underWay.delete(database))
  underWay.set(database, tick)
  return tick
}

async function tickUnlessHeld(database: Database): Promise<void> {
  for (let tries = 1; ; tries++) {
    // This commit waits for the disk, because once agents know a time, neither this database nor one that replaces it
    // may be behind that time.
    const { rows } = await database.pools.machines.query<{ is_held: boolean }>(TICK)
    if (!rows[0]?.is_held || tries === TRIES) return
    await pause(PAUSE_MS)
  }
}
