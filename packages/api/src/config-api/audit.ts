// Handles the operations on the audit log.
import { type AuditRow, readAudit } from '@dogwatch/domain/audit/read'
import { unknownCursor } from '@dogwatch/domain/configuration/kind'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { SomeHandlers } from './contract.ts'

function toEntry({ entry_id, created_at, actor, impersonator, action, subject, detail, times, last_at }: AuditRow) {
  return {
    id: entry_id,
    created_at,
    actor,
    ...(impersonator !== null && { impersonator }),
    action,
    subject,
    ...(Object.keys(detail).length > 0 && { detail }),
    ...(times !== null && last_at !== null && { times, last_at }),
  }
}

export const AUDIT = {
  async listAuditEntries(deps, { caller, query, reply }) {
    const { limit = 100, after, since, until } = query
    if (after !== undefined && !/^\d{1,15}$/.test(after)) throw unknownCursor()
    const { entries, before } = await readAudit(deps, caller.org_id, {
      limit,
      before: after === undefined ? undefined : Number(after),
      since: since && toMicroseconds(since),
      until: until && toMicroseconds(until),
    })
    return reply(200, { entries: entries.map(toEntry), ...(before !== undefined && { next: String(before) }) })
  },
} satisfies SomeHandlers
