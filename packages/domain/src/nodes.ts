// Watches the nodes of a sharded database, for health checks and metrics. An unreachable node takes down only its organisations,
// so the process stays ready.
import { fresh } from '@dogwatch/runtime/fresh'
import type { Log } from '@dogwatch/runtime/log'
import type { SparePool } from '@dogwatch/store/postgres/spare-pool'
import { type ClusterNode, ClusterWatch } from '@dogwatch/store/results/sharding/cluster'
import type { Deps } from './deps.ts'

/** Minimum time between requests to the nodes, whatever the number of callers. */
const FRESH_MS = 5_000

export interface NodesReport {
  /** Numbers of nodes and shards in words. Absent if the database is not sharded. */
  layout?: string
  /** Number of nodes that do not respond, and the consequence, in words. Names no node, because anyone may request this text. */
  away?: string
}

export class Nodes {
  readonly #log: Log
  readonly #watch: ClusterWatch
  readonly #list: () => Promise<ClusterNode[] | undefined>
  #wasSharded: boolean | undefined
  #wereAway = ''

  /** Watches the nodes of the database at `url`, with the same user. */
  constructor({ clock, log }: Pick<Deps, 'clock' | 'log'>, coordinator: SparePool, url: string) {
    this.#log = log
    this.#watch = new ClusterWatch(coordinator, url)
    this.#list = fresh(clock, FRESH_MS, () => this.#watch.look())
  }

  /**
   * Returns the layout and the number of unreachable nodes. Never rejects, because other code reports an unreachable coordinator.
   */
  async look(): Promise<NodesReport> {
    const nodes = await this.list()
    if (!nodes) return {}
    const shards = nodes.reduce((total, node) => total + node.shards, 0)
    const layout = `results on ${counted(nodes.length, 'node')}, ${counted(shards, 'shard')}`
    const away = nodes.filter(({ isReachable }) => !isReachable).length
    if (away === 0) return { layout }
    const which = `${away} of ${counted(nodes.length, 'node')} ${away === 1 ? 'does' : 'do'}`
    return {
      layout,
      away: `${which} not answer; results of the organisations stored there are refused and sent again later`,
    }
  }

  /** Returns the nodes, or undefined if the database is not sharded or does not respond. */
  async list(): Promise<ClusterNode[] | undefined> {
    const nodes = await this.#list().catch(() => undefined)
    if (nodes) this.#tell(nodes)
    else if (this.#wasSharded) this.#wasSharded = undefined
    return nodes
  }

  close(): Promise<void> {
    return this.#watch.close()
  }

  /** Logs when a fault begins and when it ends, and nothing in between. */
  #tell(nodes: readonly ClusterNode[]): void {
    if (!this.#wasSharded) this.#log.info({ nodes: nodes.map(({ name }) => name) }, 'results are sharded')
    this.#wasSharded = true
    const away = nodes.filter(({ isReachable }) => !isReachable).map(({ name }) => name)
    const names = away.join(', ')
    if (names !== '' && names !== this.#wereAway) this.#log.warn({ nodes: away }, 'nodes of the database do not answer')
    if (names === '' && this.#wereAway !== '') this.#log.info('all nodes of the database answer again')
    this.#wereAway = names
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
