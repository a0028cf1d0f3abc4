// Reads the nodes of a sharded database for people who watch the server: how many shards each has, and whether it responds.
import type pg from 'pg'
import { openSparePool, type SparePool } from '../../postgres/spare-pool.ts'
import { areTablesDistributed } from '../nodes/nodes.ts'

export interface ClusterNode {
  /** `host:port` */
  name: string
  shards: number
  isReachable: boolean
}

/** Maximum time for a node to respond, in milliseconds. */
const ANSWER_MS = 1_000

const NODES = `
  select n.nodename as host, n.nodeport as port, count(s.shardid)::integer as shards
  from pg_dist_node n
  left join pg_dist_placement p on p.groupid = n.groupid
  left join pg_dist_shard s on s.shardid = p.shardid and s.logicalrelid = to_regclass('results')
  where n.noderole = 'primary' and n.isactive
  group by n.nodename, n.nodeport, n.groupid
  having n.groupid > 0 or count(s.shardid) > 0
  order by 1, 2`

/** Reads the nodes that contain results, or can. Returns undefined if all results are in one database. */
export async function readNodes(
  client: Pick<pg.Pool, 'query'>,
): Promise<{ host: string; port: number; shards: number }[] | undefined> {
  if (!(await areTablesDistributed(client))) return undefined
  return (await client.query<{ host: string; port: number; shards: number }>(NODES)).rows
}

/** Watcher that asks the coordinator for the nodes, and each node whether it responds. */
export class ClusterWatch {
  readonly #coordinator: SparePool
  readonly #url: string
  readonly #pools = new Map<string, SparePool>()

  /** `url` is that of the database. The nodes are reached with the same user and password. */
  constructor(coordinator: SparePool, url: string) {
    this.#coordinator = coordinator
    this.#url = url
  }

  /** Returns the nodes, or undefined if the database is not sharded. */
  async look(): Promise<ClusterNode[] | undefined> {
    const nodes = await readNodes(this.#coordinator)
    if (!nodes) return undefined
    return Promise.all(
      nodes.map(async ({ host, port, shards }) => {
        const name = `${host}:${port}`
        return { name, shards, isReachable: await this.#answers(name, host, port) }
      }),
    )
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()))
  }

  async #answers(name: string, host: string, port: number): Promise<boolean> {
    const url = new URL(this.#url)
    url.host = host.includes(':') ? `[${host}]:${port}` : name
    let pool = this.#pools.get(name)
    if (!pool) this.#pools.set(name, (pool = openSparePool(url.href, ANSWER_MS, { connections: 1 })))
    return pool.query('select 1').then(
      () => true,
      () => false,
    )
  }
}
