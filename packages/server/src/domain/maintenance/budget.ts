// Bounds what the maintenance of one organisation stores. The callers hold the organisation's lock.
import type { Db } from '../../store/database.ts'
import { deleteUnusedScopes, type NewSpan, readMaintenanceUse } from '../../store/maintenance/spans.ts'
import { DomainError } from '../errors.ts'
import type { Scope } from '../routing/route.ts'

/** Maximum number of spans that are not over, as far ahead as they are stored. About 14 windows that are on every hour. */
const MOST_AHEAD = 20_000
/** Maximum number of all spans. They are deleted 400 days after they end. */
const MOST_SPANS = 200_000
/** Maximum length of the scopes that spans have or had, each counted once. About 400 scopes of 2,000 names. */
const MOST_SCOPE_BYTES = 32 * 1024 * 1024

/** Refuses windows that would be on too often. They replace the coming spans of windows with the same guids. */
export async function requireRoomForSpans(
  db: Db,
  org_id: number,
  planned: readonly { guid: string; planned: { spans: readonly Omit<NewSpan, 'guid'>[] } }[],
  at: string,
): Promise<void> {
  const added = planned.reduce((sum, one) => sum + one.planned.spans.length, 0)
  if (added === 0) return
  const { ahead, spans } = await readMaintenanceUse(db, org_id, { at, guids: planned.map(({ guid }) => guid) })
  if (ahead + added > MOST_AHEAD) {
    throw new DomainError(
      'invalid',
      `rule must occur less often: within 60 days the maintenance windows of an organisation can occur ${MOST_AHEAD} times together, and would ${ahead + added} times`,
    )
  }
  if (spans + added > MOST_SPANS) {
    throw new DomainError(
      'conflict',
      `an organisation can have ${MOST_SPANS} occurrences of maintenance in its history of 400 days: let windows occur less often, or change them less often`,
    )
  }
}

/** Refuses windows whose scopes would take too much room. Scopes that nothing has any longer are deleted before. */
export async function requireRoomForScopes(
  db: Db,
  org_id: number,
  windows: readonly { window: { scope: Scope } }[],
): Promise<void> {
  const texts = new Set(windows.map(({ window }) => JSON.stringify(window.scope)))
  const added = [...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (added === 0) return
  const { scope_bytes } = await readMaintenanceUse(db, org_id, { at: '-infinity', guids: [] })
  if (scope_bytes + added <= MOST_SCOPE_BYTES) return
  if (scope_bytes - (await deleteUnusedScopes(db, org_id)) + added <= MOST_SCOPE_BYTES) return
  throw new DomainError(
    'conflict',
    `scope takes too much room: the maintenance of an organisation in 400 days can have scopes of ${MOST_SCOPE_BYTES / 1024 / 1024} MiB together. Use tags instead of names, or change windows less often`,
  )
}
