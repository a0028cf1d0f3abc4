// Which checks and heartbeats are under maintenance at an instant.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Db } from '../../store/database.ts'
import { listSpans } from '../../store/maintenance/spans.ts'
import { covers, type Scope, type Subject } from '../routing/route.ts'

/** Returns whether a check or heartbeat of the org is under maintenance. */
export async function readUnderMaintenance(db: Db, org_id: number, now: Date): Promise<(subject: Subject) => boolean> {
  const spans = await listSpans(db, org_id, fromDate(now))
  const scopes = spans.map(({ scope }) => scope as Scope)
  return (subject) => scopes.some((scope) => covers(scope, subject))
}
