// Defines the safety limits for one organisation or person. They are far above honest use. The operator can change them.
import type { OrgPlanName } from '../organisations/plans.ts'

export interface Bounds {
  /** Maximum number of valid personal access tokens of one organisation. */
  tokens_per_org: number
  /** Maximum number of valid personal access tokens of one person, in all organisations together. */
  tokens_per_person: number
  /** Maximum number of monitors of one organisation, without retired ones. Infinity unless the operator sets a limit. */
  monitors_per_plan: Readonly<Record<OrgPlanName, number>>
  /** Number of results that an organisation may store beyond the number that its checks can produce. Infinity means no limit. */
  results_beyond: number
}

/** No limit on monitors, whatever the plan. */
export const ANY_NUMBER: Bounds['monitors_per_plan'] = {
  free: Infinity,
  solo: Infinity,
  double: Infinity,
  team: Infinity,
  custom: Infinity,
}

export const DEFAULT_BOUNDS: Bounds = {
  tokens_per_org: 50,
  tokens_per_person: 100,
  monitors_per_plan: ANY_NUMBER,
  results_beyond: 20_000,
}
