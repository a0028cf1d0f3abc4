// Bounds on what one organisation or person may have, for safety: far above honest use, and set by whoever runs the server.
import type { OrgPlanName } from '../organisations/plans.ts'

export interface Bounds {
  /** Personal access tokens that work, of one organisation. */
  tokens_per_org: number
  /** The same of one person, in all organisations together. */
  tokens_per_person: number
  /** Monitors that are not retired, of one organisation. Infinity: no bound. */
  monitors_per_plan: Readonly<Record<OrgPlanName, number>>
  /** Results that an organisation may store beyond what its checks can produce. Infinity: no bound. */
  results_beyond: number
}

export const DEFAULT_BOUNDS: Bounds = {
  tokens_per_org: 50,
  tokens_per_person: 100,
  monitors_per_plan: { free: 50, solo: 100, double: 250, team: 1000, custom: 5000 },
  results_beyond: 20_000,
}
