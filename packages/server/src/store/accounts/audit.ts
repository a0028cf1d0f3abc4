// Who changed what in an org.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface NewAuditEntry {
  org_id: number
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  subject: string
  check_id?: number
  detail: Record<string, unknown>
}

export interface AuditRow {
  entry_id: number
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  subject: string
  detail: Record<string, unknown>
}

export interface WhichEntries {
  before?: number | undefined
  since?: string | undefined
  until?: string | undefined
  limit: number
}

export async function insertAuditEntry(db: Db, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto('audit_entries')
    .values({ ...entry, detail: JSON.stringify(entry.detail) })
    .execute()
}

/** Many entries of what somebody did at once in one org, by one statement. */
export async function insertAuditEntries(db: Db, entries: readonly NewAuditEntry[]): Promise<void> {
  const [first] = entries
  if (!first) return
  const { org_id, created_at, actor, impersonator } = first
  const rows = entries.map(({ action, subject, check_id, detail }) => ({ action, subject, check_id, detail }))
  await sql`
    insert into audit_entries (org_id, created_at, actor, impersonator, action, subject, check_id, detail)
    select ${org_id}::bigint, ${created_at}::timestamptz, ${actor}::text, ${impersonator}::text, action, subject, check_id, detail
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
      action text, subject text, check_id bigint, detail jsonb
    )) with ordinality order by ordinality`.execute(db)
}

/** The newest entries of an org; those before an entry, and of a span of time, when these are given. */
export async function listAuditEntries(
  db: Db,
  org_id: number,
  { before, since, until, limit }: WhichEntries,
): Promise<AuditRow[]> {
  return db
    .selectFrom('audit_entries')
    .select((eb) => [
      'entry_id',
      wireTime(eb.ref('created_at')).as('created_at'),
      'actor',
      'impersonator',
      'action',
      'subject',
      'detail',
    ])
    .where('org_id', '=', org_id)
    .$if(before !== undefined, (query) => query.where('entry_id', '<', before as number))
    .$if(since !== undefined, (query) => query.where('created_at', '>=', sql<string>`${since}::timestamptz`))
    .$if(until !== undefined, (query) => query.where('created_at', '<', sql<string>`${until}::timestamptz`))
    .orderBy('entry_id', 'desc')
    .limit(limit)
    .execute()
}

/** Blanks what entries about a check say beyond that they were. */
export async function updateAuditWiped(
  db: Db,
  { org_id, check_id }: { org_id: number; check_id: number },
): Promise<void> {
  await db
    .updateTable('audit_entries')
    .set({ detail: '{}' })
    .where('org_id', '=', org_id)
    .where('check_id', '=', check_id)
    .execute()
}
