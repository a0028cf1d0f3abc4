// The nodes of a sharded database, for health checks and metrics. A node that is away takes down only its organisations,
// so the process stays ready.
import { fresh } from '../runtime/fresh.ts'
import type { Log } from '../runtime/log.ts'
import type { SparePool } from '../store/postgres/spare-pool.ts'
import { type ClusterNode, ClusterWatch } from '../store/sharding/cluster.ts'
import type { Deps } from './deps.ts'

/** However many ask, the nodes are asked no more often than this. */
const FRESH_MS = 5_000

export interface NodesReport {
  /** Absent where the database is not sharded. */
  layout?: string
  /** How many nodes do not answer, and what that means. Anybody may ask for it, so it names none. */
  away?: string
}

export class Nodes {
  readonly #log: Log
  readonly #watch: ClusterWatch
  readonly #list: () => Promise<ClusterNode[] | undefined>
  #wasSharded: boolean | undefined
  #wereAway = ''

  /** `url`: of the database; its nodes are reached with the same user. */
  constructor({ clock, log }: Pick<Deps, 'clock' | 'log'>, coordinator: SparePool, url: string) {
    this.#log = log
    this.#watch = new ClusterWatch(coordinator, url)
    this.#list = fresh(clock, FRESH_MS, () => this.#watch.look())
  }

  /** Never rejects: that the coordinator cannot be asked is reported elsewhere. */
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

  /** Undefined where the database is not sharded, or cannot be asked. */
  async list(): Promise<ClusterNode[] | undefined> {
    const nodes = await this.#list().catch(() => undefined)
    if (nodes) this.#tell(nodes)
    else if (this.#wasSharded) this.#wasSharded = undefined
    return nodes
  }

  close(): Promise<void> {
    return this.#watch.close()
  }

  /** Logs when something begins and when it ends, and nothing in between. */
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
