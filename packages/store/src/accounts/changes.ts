// Reads from the table `changes` which organisations changed recently, so that open pages update themselves.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'

/**
 * NOTIFY channel that wakes web processes, which then read the table `changes`. The payload `7 4711` means change 4711 of
 * organisation 7.
 */
export const CHANGES_CHANNEL = 'dogwatch_changes'

export interface Change {
  org_id: number
  change_id: number
}

const LIST = {
  name: 'changes-list',
  text: `select org_id, change_id from changes where changed_at > database_time() - $1::integer * interval '1 second'`,
}

/**
 * Returns SQL for a value that differs after each change that an organisation's pages show. It sums the newest changes instead of
 * taking the maximum, because transactions can end in any order.
 */
export const newestChange = (org_id: string) => `
  (select coalesce(sum(newest.change_id), 0)::text from (
    select c.change_id from changes c where c.org_id = ${org_id} order by c.change_id desc limit 20
  ) newest)`

const NEWEST = { name: 'changes-newest', text: `select ${newestChange('$1::bigint')} as newest_change` }

/** Reads a value that differs after each change that the org's pages show. */
export async function readNewestChange({ pools }: Database, org_id: number): Promise<string> {
  const { rows } = await pools.machines.query<{ newest_change: string }>({ ...NEWEST, values: [org_id] })
  return rows[0]?.newest_change ?? ''
}

/** Lists the changes of the last seconds in all organisations. A change appears when its transaction has ended. */
export async function listChanges({ pools }: Database, within_sec: number): Promise<Change[]> {
  const { rows } = await pools.machines.query<Change>({ ...LIST, values: [within_sec] })
  return rows
}

/**
 * Lists which of the given sessions are valid, each with its selected organisation. Omits sessions whose organisation is
 * suspended.
 */
export async function listOpenSessions(
  { pools }: Database,
  hashes: readonly Buffer[],
  now: string,
): Promise<{ session_hash: Buffer; org_id: number }[]> {
  const { rows } = await pools.machines.query<{ session_hash: Buffer; org_id: number }>({
    ...OPEN,
    values: [hashes, now],
  })
  return rows
}

const OPEN = {
  name: 'sessions-open',
  text: `
    select s.session_hash, s.org_id
    from sessions s
    join people p on p.person_id = s.person_id and p.disabled_at is null
    join memberships m on m.org_id = s.org_id and m.person_id = s.person_id
    join organisations o on o.org_id = m.org_id and o.suspended_at is null
    left join people i on i.person_id = s.impersonator_id
    where s.session_hash = any($1::bytea[]) and s.expires_at > $2::timestamptz
      and (s.impersonator_id is null or i.is_admin and i.disabled_at is null)`,
}

/** Deletes changes that no open page can have missed. */
export async function deleteOldChanges(db: Db, before: GatedTime): Promise<void> {
  await sql`delete from changes where changed_at < ${before}::timestamptz`.execute(db)
}
