// Finds out which of the first steps a new organisation has done, by what it has stored.
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'

export interface FirstStepsRow {
  plan: string
  custom_limits: object | null
  has_channel: boolean
  /**
   * Whether a delivery succeeded, such as a test alert. Also true if a channel is so old that its deliveries might have been
   * deleted.
   */
  is_channel_tried: boolean
  has_heartbeat: boolean
  /** Number of monitors that can run checks of the organisation, counted up to two. */
  monitors: number
  has_status_page: boolean
}

export async function findFirstSteps(db: Db, org_id: number, old_before: string): Promise<FirstStepsRow | undefined> {
  const { rows } = await prepared<FirstStepsRow>`
    select o.plan, o.custom_limits,
      exists (select from notification_channels c where c.org_id = o.org_id) as has_channel,
      exists (select from deliveries d where d.org_id = o.org_id and d.state = 'delivered')
        or exists (
          select from notification_channels c where c.org_id = o.org_id and c.created_at < ${old_before}::timestamptz
        ) as is_channel_tried,
      exists (select from heartbeats h where h.org_id = o.org_id) as has_heartbeat,
      (select count(*)::integer from (
        select from monitors m where m.org_id = o.org_id and m.retired_at is null
        union all
        select from monitors m where m.org_id is null and m.enabled and m.platform_enabled and m.retired_at is null
        limit 2
      ) few) as monitors,
      o.status_page_enabled and exists (select from status_pages p where p.org_id = o.org_id) as has_status_page
    from organisations o where o.org_id = ${org_id}`.execute(db)
  return rows[0]
}

export async function updateFirstStepsHidden(db: Db, org_id: number, first_steps_hidden_at: string): Promise<void> {
  await db.updateTable('organisations').set({ first_steps_hidden_at }).where('org_id', '=', org_id).execute()
}
