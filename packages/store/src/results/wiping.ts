// Blanks what stored results quote of a check's definition, wherever they are.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { holdResultsInPlace } from './hold.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import { HOUR_OF, splitAtPlaceholder } from './stored/sealed-form.ts'

/** Number of results that a sealed hour counts for: usually one a minute. */
const RUNS_OF_HOUR = 60

/**
 * Blanks errors, samples and certificate expiries of some results after an instant, because they quote the check's definition or
 * lead to it through public logs. Returns the instant to continue from, or undefined at the end.
 */
export async function updateResultsWiped(
  trx: Db,
  check: CheckKey,
  after: string,
  limit: number,
): Promise<string | undefined> {
  const statement = (await readSealedBoundary(trx)) ? wipeAll(check, after, limit) : wipeRows(check, after, limit)
  // Until the transaction ends, no result moves between the tables, so one that moved before or moves later is found where it is.
  if (statement.holds) await holdResultsInPlace(trx, check.org_id)
  const { rows } = await statement.query.execute(trx)
  return rows[0]?.ran_at
}

type WipeStatement = { holds: boolean; query: RawBuilder<{ ran_at: string }> }

function wipeRows(check: CheckKey, after: string, limit: number): WipeStatement {
  const query = sql<{ ran_at: string }>`
    with quoting as (${quotingRows('results', check, after, limit)}), wiped as (${wiping('results', check)})
    select wire_time(max(ran_at)) as ran_at from quoting having count(*) = ${limit}`
  return { holds: false, query }
}

/** Wipes all tables up to the same instant, so that every result is found in one of them. Wipes the last hour completely. */
function wipeAll(check: CheckKey, after: string, limit: number): WipeStatement {
  const { org_id, check_id } = check
  const hours = Math.max(1, Math.floor(limit / RUNS_OF_HOUR))
  const last = sql`where q.ran_at <= (select coalesce(ran_at, 'infinity') from looked_at)`
  const query = sql<{ ran_at: string }>`
    with open as materialized (${quotingRows('results', check, after, limit)}
    ), late as materialized (${quotingRows('reopened_results', check, after, limit)}
    ), sealed as materialized (
      select since from sealed_hours
      where org_id = ${org_id} and check_id = ${check_id} and since >= ${binned(after)}
        and (errors is not null or samples is not null or cert_expires_at is not null or certs is not null)
      order by since limit ${hours}
    ), looked_at as materialized (
      select least((select max(ran_at) from open having count(*) = ${limit}),
        (select max(ran_at) from late having count(*) = ${limit}),
        (select max(since) from sealed having count(*) = ${hours})) as ran_at
    ), wiped as (${wiping('results', check, sql`(select * from open q ${last})`)}
    ), wiped_late as (${wiping('reopened_results', check, sql`(select * from late q ${last})`)}
    ), wiped_hours as (
      update sealed_hours h set errors = null, samples = null, cert_expires_at = null, certs = null
      from (select since from sealed, looked_at where since <= coalesce(ran_at, 'infinity')) q
      where h.org_id = ${org_id} and h.check_id = ${check_id} and h.since = q.since
    )
    select wire_time(ran_at) as ran_at from looked_at where ran_at is not null`
  return { holds: true, query }
}

const binned = (at: string): RawBuilder<unknown> => {
  const [before, behind] = splitAtPlaceholder(HOUR_OF)
  return sql`${sql.raw(before)}${at}::timestamptz${sql.raw(behind)}`
}

type Rows = 'results' | 'reopened_results'

function quotingRows(table: Rows, { org_id, check_id }: CheckKey, after: string, limit: number): RawBuilder<unknown> {
  return sql`
      select ran_at, monitor_id from ${sql.table(table)}
      where org_id = ${org_id} and check_id = ${check_id} and ran_at >= ${after}::timestamptz
        and (error is not null or response_sample is not null or cert_expires_at is not null)
      order by ran_at, monitor_id limit ${limit}`
}

function wiping(table: Rows, { org_id, check_id }: CheckKey, quoting = sql`quoting`): RawBuilder<unknown> {
  return sql`
      update ${sql.table(table)} r set error = null, response_sample = null, cert_expires_at = null from ${quoting} q
      where r.org_id = ${org_id} and r.check_id = ${check_id} and r.ran_at = q.ran_at and r.monitor_id = q.monitor_id`
}
