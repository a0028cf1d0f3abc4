// Decides which checks and heartbeats are under maintenance at an instant.
import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Db } from '@dogwatch/store/database'
import { listSpans } from '@dogwatch/store/maintenance/spans'
import { readScope, type Subject } from '../routing/route.ts'
import { ScopeIndex } from './scopes.ts'

/** Returns a function that says whether a check or heartbeat of an organisation is under maintenance. Needs one statement. */
export async function readUnderMaintenance(db: Db, org_id: number, now: Date): Promise<(subject: Subject) => boolean> {
  const spans = await listSpans(db, org_id, fromDate(now))
  const scopes = spans.map(({ scope }) => readScope(scope))
  const index = await ScopeIndex.of(scopes, new Pace())
  return (subject) => index.covers(subject)
}
