// When checks and heartbeats were under maintenance.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Db } from '../../store/database.ts'
import { listSpansBetween, type Span } from '../../store/maintenance/spans.ts'
import { merged } from '../results/division.ts'
import type { Interval } from '../results/watched.ts'
import { covers, type Scope, type Subject } from '../routing/route.ts'

/** An org's maintenance between two instants; what was not announced to the public is left out when asked. */
export async function readMaintenance(
  db: Db,
  org_id: number,
  { from, until }: { from: Date; until: Date },
  only?: 'public',
): Promise<Span[]> {
  const spans = await listSpansBetween(db, org_id, fromDate(from), fromDate(until))
  return only === 'public' ? spans.filter(({ is_public }) => is_public) : spans
}

/**
 * When one of them was under maintenance: sorted and disjoint. Windows that name tags cover what has them now, because
 * earlier tags are not stored.
 */
export function maintenanceOf(spans: readonly Span[], subject: Subject): Interval[] {
  return merged(
    spans
      .filter(({ scope }) => covers(scope as Scope, subject))
      .map(({ begins_at, ends_at }) => ({ from: Date.parse(begins_at), until: Date.parse(ends_at) })),
  )
}
