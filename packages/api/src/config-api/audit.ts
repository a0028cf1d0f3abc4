// Handles the operations on the audit log.
import type { operations } from '@dogwatch/contract/config'
import { type AuditRow, readAudit } from '@dogwatch/domain/audit/read'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { ConfigAnswer, ConfigInput, Resource } from './contract.ts'

async function listAuditEntries(
  deps: Deps,
  { caller, query, reply }: ConfigInput<'listAuditEntries'>,
): ConfigAnswer<'listAuditEntries'> {
  const { limit = 100, after, since, until } = query
  const { entries, before } = await readAudit(deps, caller.org_id, {
    limit,
    before: entryOf(after),
    since: since === undefined ? undefined : toMicroseconds(since),
    until: until === undefined ? undefined : toMicroseconds(until),
  })
  return reply(200, { entries: entries.map(toEntry), ...(before !== undefined && { next: String(before) }) })
}

function entryOf(after: string | undefined): number | undefined {
  if (after === undefined) return undefined
  if (!/^\d{1,15}$/.test(after))
    throw new FieldError('invalid', 'after', 'must be the value of "next" from the previous page')
  return Number(after)
}

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

export const AUDIT = { listAuditEntries } satisfies Partial<Resource<keyof operations>>
