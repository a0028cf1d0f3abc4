// Defines what each plan allows. This is the only such table, and the only function from an organisation to its limits.
import { channelKinds } from '@dogwatch/channels/registry'

export type PlanName = 'free' | 'solo' | 'double' | 'team'
/** `custom`: limits that an operator sets by hand. */
export type OrgPlanName = PlanName | 'custom'

export interface Plan {
  /** Maximum number of checks. 0 means unlimited. */
  max_checks: number
  /** Maximum number of heartbeats. 0 means none. */
  max_heartbeats: number
  min_interval_sec: number
  max_timeout_sec: number
  /** Maximum number of channels. 0 means unlimited. */
  max_channels: number
  channel_kinds: readonly string[]
  /** Maximum number of members. 0 means unlimited. */
  max_members: number
  allows_cert_expiry: boolean
  allows_status_page: boolean
  retention_days: number
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    max_checks: 10,
    max_heartbeats: 1,
    min_interval_sec: 120,
    max_timeout_sec: 10,
    max_channels: 2,
    get channel_kinds() {
      return kindsOn('free')
    },
    max_members: 1,
    allows_cert_expiry: false,
    allows_status_page: false,
    retention_days: 30,
  },
  solo: {
    max_checks: 20,
    max_heartbeats: 5,
    min_interval_sec: 60,
    max_timeout_sec: 30,
    max_channels: 5,
    get channel_kinds() {
      return kindsOn('solo')
    },
    max_members: 1,
    allows_cert_expiry: true,
    allows_status_page: true,
    retention_days: 183,
  },
  double: {
    max_checks: 40,
    max_heartbeats: 10,
    min_interval_sec: 45,
    max_timeout_sec: 45,
    max_channels: 10,
    get channel_kinds() {
      return kindsOn('double')
    },
    max_members: 2,
    allows_cert_expiry: true,
    allows_status_page: true,
    retention_days: 274,
  },
  team: {
    max_checks: 100,
    max_heartbeats: 25,
    min_interval_sec: 30,
    max_timeout_sec: 60,
    max_channels: 0,
    get channel_kinds() {
      return kindsOn('team')
    },
    max_members: 0,
    allows_cert_expiry: true,
    allows_status_page: true,
    retention_days: 365,
  },
}

/** Plans for new organisations: one of the table, or limits that a self-hosted server never reaches. */
export const DEFAULT_PLANS = ['free', 'solo', 'double', 'team', 'unlimited'] as const satisfies readonly (
  | PlanName
  | 'unlimited'
)[]
export type DefaultPlan = (typeof DEFAULT_PLANS)[number]

/** Smallest number that counts as no limit. For heartbeats, 0 means none. */
export const NO_LIMIT = 1_000_000

/** Limits of `unlimited`. Absent limits are those of the largest plan. */
const UNLIMITED = {
  max_checks: 0,
  max_heartbeats: NO_LIMIT,
  max_channels: 0,
  max_members: 0,
  min_interval_sec: 10,
} satisfies Partial<Plan>

/** Returns the columns of a new organisation that contain its plan. */
export function startOn(plan: DefaultPlan): { plan: OrgPlanName; custom_limits?: object } {
  return plan === 'unlimited' ? { plan: 'custom', custom_limits: UNLIMITED } : { plan }
}

/** Returns the kinds of channels that a plan allows. Each kind declares the smallest plan that allows it. */
function kindsOn(plan: PlanName): string[] {
  const smaller = (Object.keys(PLANS) as PlanName[]).slice(0, Object.keys(PLANS).indexOf(plan) + 1)
  return channelKinds()
    .filter((kind) => smaller.includes(kind.plan))
    .map(({ name }) => name)
}

/** Columns of an organisation that contain its plan. */
export interface PlanColumns {
  plan: string
  custom_limits: object | null
}

/** Returns the limits of an organisation: its plan's, or those set by hand. */
export function planOf({ plan, custom_limits }: PlanColumns): Plan {
  if (isPlanName(plan)) return PLANS[plan]
  // A limit that was introduced after the custom limits were set has the value of the largest plan.
  return { ...PLANS.team, ...custom_limits }
}

export function isPlanName(text: string): text is PlanName {
  return Object.hasOwn(PLANS, text)
}
