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

/** Newest first; `before` comes from the page before. */
export async function readAudit(deps: Pick<Deps, 'database'>, org_id: number, before?: number): Promise<AuditPage> {
  const rows = await listAuditEntries(deps.database.people, org_id, { before, limit: PAGE_ROWS + 1 })
  const entries = rows.slice(0, PAGE_ROWS)
  return { entries, before: rows.length > PAGE_ROWS ? entries.at(-1)?.entry_id : undefined }
}
