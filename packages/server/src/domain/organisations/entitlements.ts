// What an org may use and what it uses.
import { findOrganisation } from '../../store/organisations.ts'
import { readUsage, type UsageRow } from '../../store/usage.ts'
import { DEFAULT_TIMEOUT_SEC } from '../checks/check.ts'
import type { Deps } from '../deps.ts'
import { PLANS, type Plan, type PlanName } from './plans.ts'

export interface Settings {
  org_name: string
  plan_name: PlanName
  plan: Plan
  usage: UsageRow
  status_page_enabled: boolean
}

/** An org's settings, its usage counted now. */
export async function readSettings({ database }: Pick<Deps, 'database'>, org_id: number): Promise<Settings> {
  const [organisation, usage] = await Promise.all([
    findOrganisation(database.db, org_id),
    readUsage(database.db, org_id, DEFAULT_TIMEOUT_SEC),
  ])
  if (!organisation) throw new Error(`organisation ${org_id} is gone`)
  const plan_name = organisation.plan as PlanName
  const { name: org_name, status_page_enabled } = organisation
  return { org_name, plan_name, plan: PLANS[plan_name], usage, status_page_enabled }
}
