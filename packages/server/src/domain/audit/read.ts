// The audit log of an org, for its owner.
import { type AuditRow, listAuditEntries } from '../../store/accounts/audit.ts'
import type { Deps } from '../deps.ts'

export type { AuditRow }

const PAGE_ROWS = 50

export interface AuditPage {
  entries: AuditRow[]
  /** Where the next, older page begins; undefined on the last page. */
  before: number | undefined
}

export interface AuditAsked {
  /** The `before` of the page before. */
  before?: number | undefined
  /** Only entries that were made then or later. */
  since?: string | undefined
  /** Only entries that were made before. */
  until?: string | undefined
  limit?: number
}

/** Newest first. */
export async function readAudit(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  { limit = PAGE_ROWS, ...asked }: AuditAsked = {},
): Promise<AuditPage> {
  const rows = await listAuditEntries(deps.database.people, org_id, { ...asked, limit: limit + 1 })
  const entries = rows.slice(0, limit)
  return { entries, before: rows.length > limit ? entries.at(-1)?.entry_id : undefined }
}
