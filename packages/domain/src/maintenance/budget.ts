// Bounds what the maintenance of one organisation stores. The caller must hold the lock of the organisation.
import type { Db } from '@dogwatch/store/database'
import { deleteUnusedScopes, type NewSpan, readMaintenanceUse } from '@dogwatch/store/maintenance/spans'
import { DomainError, FieldError } from '../errors.ts'
import type { Scope } from '../routing/route.ts'

/** Maximum number of spans that have not ended, as far ahead as they are stored. About 14 windows that are on every hour. */
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
    throw new FieldError(
      'invalid',
      'rule',
      `must repeat less often, because all maintenance windows together can occur at most ${MOST_AHEAD} times within 60 days, and this change would make ${ahead + added}`,
    )
  }
  if (spans + added > MOST_SPANS) {
    throw new DomainError(
      'conflict',
      `all maintenance windows together can occur at most ${MOST_SPANS} times within 400 days; make windows repeat less often, or change them less often`,
    )
  }
}

/** Refuses windows whose scopes would need too much space. Deletes unused scopes first if that helps. */
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
    `the scopes of all maintenance windows within 400 days can have at most ${MOST_SCOPE_BYTES / 1024 / 1024} MiB together; select checks by tag instead of one by one, or change windows less often`,
  )
}
