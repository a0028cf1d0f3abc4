// Where the large tables are: all on one node, or distributed over several nodes by organisation.

/**
 * The tables that are distributed by `org_id` over the nodes of a Citus cluster, and lie together there. All others are
 * plain tables of the coordinator.
 */
export const DISTRIBUTED = ['results', 'rollups', 'rollups_daily', 'rollup_marks', 'shifted_results'] as const
