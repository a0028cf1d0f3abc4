// Safety limits for one organisation or person: far above honest use, and set by the operator.
import type { OrgPlanName } from '../organisations/plans.ts'

export interface Bounds {
  /** Valid personal access tokens of one organisation. */
  tokens_per_org: number
  /** Valid personal access tokens of one person, in all organisations together. */
  tokens_per_person: number
  /** Monitors of one organisation, without retired ones. Infinity unless the operator sets a limit. */
  monitors_per_plan: Readonly<Record<OrgPlanName, number>>
  /** Results that an organisation may store beyond what its checks can produce. Infinity: no limit. */
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
