// Timelines of a composite of two checks: the results of its members, and its alerts.
import type { Editor } from '@dogwatch/domain/checks/pause-delete-wipe'
import { readCheckWithState } from '@dogwatch/domain/checks/read'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

export const editorOf = ({ org_id, owner_id }: Org): Editor => ({
  org_id,
  actor: { person_id: owner_id, email: 'owner@example.com', impersonator_email: null },
})

export interface Group {
  org: Org
  monitor: Monitor
  members: string[]
  composite: string
  /** Lets a minute pass, in which these members pass or fail, and then judges. */
  run(...outcomes: boolean[]): Promise<void>
  state(guid?: string): Promise<string | undefined>
  events(): Promise<{ type: string; data: Record<string, unknown> }[]>
}

export async function group(w: World, query = '', given: Record<string, unknown> = {}): Promise<Group> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const members = await w.checks(
    org,
    [
      { name: 'db-1', tags: ['db'] },
      { name: 'db-2', tags: ['db'] },
    ],
    'all',
  )
  const [composite = ''] = await w.checks(
    org,
    [{ name: 'databases', url: `composite:tag:db${query}`, ...given }],
    'all',
  )
  // The database has a clock of its own.
  await w.rows('update checks set created_at = $2 where org_id = $1', org.org_id, w.clock.now().toISOString())
  return {
    ...{ org, monitor, members, composite },
    run: async (...outcomes) => {
      w.clock.forward(60)
      const ran_at = w.clock.now().toISOString()
      const results = outcomes.map((success, n) =>
        result(members[n] ?? '', { ran_at, success, error: success ? undefined : 'refused: no' }),
      )
      await monitor.client.upload(results as Parameters<typeof monitor.client.upload>[0])
      await judgeByServer(w.deps)
    },
    state: async (guid = composite) => (await readCheckWithState(w.deps, org.org_id, guid)).state?.state,
    events: async () => {
      const rows = await w.rows(
        `select type, data from events where org_id = $1 and data -> 'check' ->> 'guid' = $2 order by created_at, type`,
        org.org_id,
        composite,
      )
      return rows as { type: string; data: Record<string, unknown> }[]
    },
  }
}
