// Changes of plan, as an admin makes them.
import type { Org, World } from '../support/world.ts'

export async function setPlan(w: World, { org_id }: Org, plan: string): Promise<void> {
  await w.rows('update organisations set plan = $2, custom_limits = null where org_id = $1', org_id, plan)
}

export async function setLimits(w: World, { org_id }: Org, limits: object): Promise<void> {
  await w.rows("update organisations set plan = 'custom', custom_limits = $2 where org_id = $1", org_id, limits)
}
