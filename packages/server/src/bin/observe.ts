// Adds metrics that are read at each scrape: the pools of this process, and how far the queues are behind.

import type { Deps } from '@dogwatch/domain/deps'
import type { Nodes } from '@dogwatch/domain/nodes'
import { fresh } from '@dogwatch/runtime/fresh'
import type { Help, Metrics } from '@dogwatch/runtime/metrics'
import type { SparePool } from '@dogwatch/store/postgres/spare-pool'
import { type Lags, readLags } from '@dogwatch/store/processes/lags'

/** Minimum interval in milliseconds between two queries for metrics, regardless of how often metrics are scraped. */
const FRESH_MS = 5_000
const BOUND_MS = 1_500

const HELP: Help<keyof Lags> = {
  deliveries_pending: 'Pending deliveries, up to 10000',
  deliveries_oldest_due_seconds: 'Seconds that the oldest unclaimed delivery has been due',
  heartbeats_due: 'Overdue heartbeats not yet marked down, up to 10000',
  heartbeats_oldest_due_seconds: 'Seconds that the oldest of these heartbeats has been overdue',
  rejudge_due: 'Checks due to be judged again, up to 10000',
  rejudge_oldest_due_seconds: 'Seconds that the oldest of these checks has been due',
  monitors_clock_off: 'Monitors seen in the last three minutes whose clock is off by 5 s or more, up to 10000',
  wipes_pending: 'Checks whose results are waiting to be wiped, up to 10000',
  history_folded_until_timestamp_seconds: 'Unix time up to which results are folded into hours',
  history_orgs_behind: 'Organisations whose history is behind because their database node did not answer',
  history_marks: 'Check hours waiting to be folded again, up to 10000',
  sealed_until_timestamp_seconds: 'Unix time up to which hours are sealed; absent until the first is sealed',
  sealing_behind_seconds: 'Seconds of folded history that are not sealed yet',
  presence_age_seconds: 'Seconds since any web process last reported its presence',
  results_outside_partitions: 'Results stored outside any monthly partition, up to 10000',
  partitions_until_timestamp_seconds: 'Unix time at which the last partition for results ends',
  retention_days_ahead: 'Days between the last day that retention processed and today; above 1, nothing is deleted',
  retention_orgs_held: 'Organisations whose deletions wait for an operator to confirm them, up to 10000',
}

export function observe(metrics: Metrics, { database, clock, log }: Deps, sparePool: SparePool): void {
  metrics.observeProcess()
  const { standby, pools: own } = database
  // Do not rename, because dashboards use these names of metrics.
  const pools = {
    durable: own.machines,
    editing: own.people,
    relaxed: own.asyncCommit,
    watch: sparePool,
    ...(standby && { standby: standby.database.pools.machines }),
  }
  if (standby) metrics.observeOne('standby_read', '1 while reads go to the standby', () => Number(standby.isClose()))
  const STATES = {
    total: ({ totalCount }: SparePool) => totalCount,
    idle: ({ idleCount }: SparePool) => idleCount,
    waiting: ({ waitingCount }: SparePool) => waitingCount,
  }
  for (const [state, count] of Object.entries(STATES)) {
    metrics.observe(`pool_${state}`, HELP_OF_POOL[state as keyof typeof STATES], 'pool', () =>
      Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, count(pool)])),
    )
  }
  metrics.observeAll(
    HELP,
    fresh(clock, FRESH_MS, async () => {
      try {
        return await readLags(sparePool, BOUND_MS, (err) =>
          log.debug({ err }, 'could not read the metrics that are counted on every database node'),
        )
      } catch (err) {
        log.debug({ err }, 'could not read the queue metrics')
        throw err
      }
    }),
  )
}

/** Adds metrics of the database nodes. Adds none if the results are not distributed over nodes. */
export function observeNodes(metrics: Metrics, nodes: Nodes): void {
  const of = (value: 'shards' | 'isReachable') => async () =>
    Object.fromEntries(((await nodes.list()) ?? []).map((node) => [node.name, Number(node[value])]))
  metrics.observe('node_shards', 'Shards of results on each node of a sharded database', 'node', of('shards'))
  metrics.observe('node_up', '1 while the database node answers', 'node', of('isReachable'))
}

const HELP_OF_POOL = {
  total: 'Connections to the database',
  idle: 'Idle connections to the database',
  waiting: 'Requests waiting for a database connection',
}
