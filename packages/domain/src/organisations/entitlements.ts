// Reads what an organisation may use, and what it uses.
import { DEFAULT_TIMEOUT_SEC } from '@dogwatch/check-rules/contradictions'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { readUsage, type UsageRow } from '@dogwatch/store/accounts/usage'
import type { Deps } from '../deps.ts'
import { type OrgPlanName, type Plan, planOf } from './plans.ts'

export interface OrgSettings {
  org_name: string
  plan_name: OrgPlanName
  plan: Plan
  /** Price that was agreed by hand. Absent if there is none. */
  custom_price: { cents: number; period: string } | undefined
  usage: UsageRow
  status_page_enabled: boolean
}

/** Returns the settings of an organisation, and counts its usage now. */
export async function readSettings({ database }: Pick<Deps, 'database'>, org_id: number): Promise<OrgSettings> {
  const [organisation, usage] = await Promise.all([
    findOrganisation(database.people, org_id),
    readUsage(database.people, org_id, DEFAULT_TIMEOUT_SEC),
  ])
  if (!organisation) throw new Error(`organisation ${org_id} does not exist`)
  const plan_name = organisation.plan as OrgPlanName
  const { name: org_name, status_page_enabled, custom_price_cents: cents, custom_price_period: period } = organisation
  const custom_price = cents === null || period === null ? undefined : { cents, period }
  return { org_name, plan_name, plan: planOf(organisation), custom_price, usage, status_page_enabled }
}
