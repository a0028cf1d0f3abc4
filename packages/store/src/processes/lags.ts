// Measures how far the queues are behind. Counts up to a limit, because the exact number beyond it does not matter.
import type { SparePool } from '../postgres/spare-pool.ts'
import { counted, type DistributedLag, LAGS_OF_RESULTS, LAGS_ON_NODES } from '../results/lags.ts'

/** Lags of the queues. A value is null if nothing is queued, or the distributed tables could not be read. */
export interface Lags {
  deliveries_pending: number
  deliveries_oldest_due_seconds: number
  heartbeats_due: number
  heartbeats_oldest_due_seconds: number
  rejudge_due: number
  rejudge_oldest_due_seconds: number
  wipes_pending: number
  monitors_clock_off: number
  history_folded_until_timestamp_seconds: number | null
  history_orgs_behind: number
  history_marks: number | null
  sealed_until_timestamp_seconds: number | null
  sealing_behind_seconds: number | null
  presence_age_seconds: number | null
  results_outside_partitions: number | null
  partitions_until_timestamp_seconds: number | null
  retention_days_ahead: number | null
  retention_orgs_held: number
}

const secondsSince = (query: string) => `coalesce(extract(epoch from now() - (${query})), 0)::float8`

// A delivery that waits for an earlier one of its subject is not due, but the earlier one can be. A delivery that waits
// for the owner of an address is not due either.
const OLDEST_DUE_DELIVERY = `
  select d.next_attempt_at from deliveries d
  where d.state = 'pending' and d.next_attempt_at <= now() and (d.leased_until is null or d.leased_until <= now())
    and not exists (
      select from deliveries earlier
      where earlier.org_id = d.org_id and earlier.channel_id = d.channel_id and earlier.subject = d.subject
        and earlier.state = 'pending' and earlier.delivery_id < d.delivery_id)
    and not exists (
      select from notification_channels c
      where c.org_id = d.org_id and c.id = d.channel_id and c.kind = 'email' and c.confirmed_at is null
        and coalesce(c.confirm_by <= now(), true))
  order by d.next_attempt_at limit 1`
const COLUMNS: Readonly<Record<Exclude<keyof Lags, DistributedLag>, string>> = {
  ...LAGS_OF_RESULTS,
  deliveries_pending: counted("select from deliveries where state = 'pending'"),
  deliveries_oldest_due_seconds: secondsSince(OLDEST_DUE_DELIVERY),
  heartbeats_due: counted('select from heartbeats where due_at <= now()'),
  heartbeats_oldest_due_seconds: secondsSince('select min(due_at) from heartbeats where due_at <= now()'),
  rejudge_due: counted(
    'select from check_states where rejudge_at <= now() union all select from unjudged_batches where due_at <= now()',
  ),
  rejudge_oldest_due_seconds: secondsSince(
    'select min(rejudge_at) from check_states where rejudge_at <= now() and isfinite(rejudge_at)',
  ),
  monitors_clock_off: counted(
    "select from monitors where abs(clock_offset_ms) >= 5000 and last_seen_at > now() - interval '3 minutes'",
  ),
  wipes_pending: counted('select from check_states where wipe_until is not null'),
  presence_age_seconds: `extract(epoch from now() - (select alive_at from service_presence))::float8`,
  retention_days_ahead: "(select (database_time() at time zone 'UTC')::date - day from retention_calendar)",
  retention_orgs_held: counted('select from retention where held_since is not null'),
}

const selecting = (columns: Readonly<Record<string, string>>) =>
  `select ${Object.entries(columns)
    .map(([name, column]) => `${column} as ${name}`)
    .join(', ')}`
const OF_THE_COORDINATOR = selecting(COLUMNS)
const ON_EVERY_NODE = Object.entries(LAGS_ON_NODES).map(
  ([name, column]) => [name as DistributedLag, selecting({ [name]: column })] as const,
)

/**
 * Reads how far background work is behind. Each statement ends within `bound_ms`, on the server too. If a node is unreachable,
 * numbers that are counted on all nodes are null, and `tell` receives the error.
 */
export async function readLags(
  sparePool: SparePool,
  bound_ms: number,
  tell: (err: unknown) => void = () => {},
): Promise<Lags> {
  const lags = (await readNumbers(sparePool, bound_ms, OF_THE_COORDINATOR)) as Omit<Lags, DistributedLag>
  const distributed: Record<DistributedLag, number | null> = { history_marks: null, results_outside_partitions: null }
  for (const [name, statement] of ON_EVERY_NODE) {
    try {
      distributed[name] = (await readNumbers(sparePool, bound_ms, statement))[name] ?? null
    } catch (error) {
      tell(error)
    }
  }
  return { ...lags, ...distributed }
}

async function readNumbers(
  sparePool: SparePool,
  bound_ms: number,
  statement: string,
): Promise<Partial<Record<keyof Lags, number | null>>> {
  const client = await sparePool.connect()
  try {
    // Limits the timeout to this transaction, because another caller gets the connection next.
    await client.query(`begin read only; set local statement_timeout = ${Math.ceil(bound_ms)}`)
    const { rows } = await client.query<Partial<Lags>>({ text: statement })
    await client.query('commit')
    client.release()
    return Object.fromEntries(
      rows
        .flatMap(Object.entries<number | null | undefined>)
        .map(([name, value]) => [name, value === null ? null : Number(value)]),
    )
  } catch (error) {
    client.release(true)
    throw error
  }
}
