// Reads the audit log of an organisation, for its owner.
import { type AuditRow, listAuditEntries } from '@dogwatch/store/accounts/audit'
import type { Deps } from '../deps.ts'

export type { AuditRow }

const PAGE_ROWS = 50

export interface AuditPage {
  entries: AuditRow[]
  /** Position at which the next, older page begins. Absent on the last page. */
  before: number | undefined
}

export interface AuditAsked {
  /** Cursor from the previous page (its `before`). */
  before?: number | undefined
  /** Earliest time of an entry, inclusive. */
  since?: string | undefined
  /** Latest time of an entry, exclusive. */
  until?: string | undefined
  limit?: number
}

/** Returns one page of the audit log, newest entries first. */
export async function readAudit(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  { limit = PAGE_ROWS, ...asked }: AuditAsked = {},
): Promise<AuditPage> {
  const rows = await listAuditEntries(deps.database.people, org_id, { ...asked, limit: limit + 1 })
  const entries = rows.slice(0, limit)
  return { entries, before: rows.length > limit ? entries.at(-1)?.entry_id : undefined }
}
