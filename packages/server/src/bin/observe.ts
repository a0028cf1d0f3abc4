// Metrics that are read when they are scraped: the pools of this process, and how far behind the queues are.
import type { Deps } from '../domain/deps.ts'
import type { Nodes } from '../domain/nodes.ts'
import { fresh } from '../runtime/fresh.ts'
import type { Help, Metrics } from '../runtime/metrics.ts'
import { type Lags, readLags } from '../store/processes/lags.ts'
import type { SparePool } from '../store/postgres/spare-pool.ts'

/** However often metrics are scraped, the database is asked no more often than this. */
const FRESH_MS = 5_000
const BOUND_MS = 1_500

const HELP: Help<Exclude<keyof Lags, 'seals_by_default'>> = {
  deliveries_pending: 'Deliveries that are not over, up to 10000',
  deliveries_oldest_due_seconds: 'How long the oldest delivery has been due that nobody has taken',
  heartbeats_due: 'Heartbeats that are overdue and not yet taken down, up to 10000',
  heartbeats_oldest_due_seconds: 'How long the first of them has been overdue',
  rejudge_due: 'Checks that are due to be judged again, up to 10000',
  rejudge_oldest_due_seconds: 'How long the first of them has been due',
  monitors_clock_off: 'Monitors seen within three minutes whose clock is off by 5 s or more, up to 10000',
  wipes_pending: 'Checks of which results are to be wiped, up to 10000',
  history_folded_until_timestamp_seconds: 'Until when the results are folded into hours',
  history_orgs_behind: 'Organisations of which less is folded, because their node of a cluster did not answer',
  history_marks: 'Hours of checks to be folded again, up to 10000',
  sealed_until_timestamp_seconds: 'Until when hours of results are sealed; missing before any is',
  sealing_behind_seconds: 'How much of the folded history is not sealed yet; missing in processes that do not seal',
  presence_age_seconds: 'When any process that takes requests last said that it is there',
  results_outside_partitions: 'Results of months that have no partition, up to 10000',
  partitions_until_timestamp_seconds: 'Until when there are partitions for results',
  retention_days_ahead:
    'How many days today is ahead of the last day that deletions went by; above 1, nothing is deleted',
  retention_orgs_held:
    'Organisations of which more is to be deleted than was expected: it waits for an operator, up to 10000',
}

export function observe(metrics: Metrics, { database, clock, log, seals_hours }: Deps, sparePool: SparePool): void {
  metrics.observeProcess()
  const { standby, pools: own } = database
  // The names are those of the metrics, which dashboards know.
  const pools = {
    durable: own.machines,
    editing: own.people,
    relaxed: own.asyncCommit,
    watch: sparePool,
    ...(standby && { standby: standby.database.pools.machines }),
  }
  if (standby) metrics.observeOne('standby_read', '1 while the standby is read from', () => Number(standby.isClose()))
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
        const lags = await readLags(sparePool, BOUND_MS, (err) =>
          log.debug({ err }, 'what is counted on every node of the database cannot be read'),
        )
        // Where it was turned off, nobody is behind. The database does not say so.
        const seals = seals_hours === 'by default' ? lags.seals_by_default === 1 : seals_hours === true
        return seals ? lags : { ...lags, sealing_behind_seconds: null }
      } catch (err) {
        log.debug({ err }, 'the queue lags cannot be read')
        throw err
      }
    }),
  )
}

/** Nothing is shown where the database is not sharded. */
export function observeNodes(metrics: Metrics, nodes: Nodes): void {
  const of = (value: 'shards' | 'isReachable') => async () =>
    Object.fromEntries(((await nodes.list()) ?? []).map((node) => [node.name, Number(node[value])]))
  metrics.observeLater('node_shards', 'Shards of results on each node of a sharded database', 'node', of('shards'))
  metrics.observeLater('node_up', '1 while the node of a sharded database answers', 'node', of('isReachable'))
}

const HELP_OF_POOL = {
  total: 'Connections to the database',
  idle: 'Connections to the database that nobody uses',
  waiting: 'Who waits for a connection to the database',
}
