// Finds out from the coordinator whether the large tables are distributed over the nodes of a Citus cluster, and which node
// stores the rows of an organisation. Both change: while `dogwatch shard` runs, and when shards move.

import { isBroken, isOutOfReach, UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import type pg from 'pg'
import type { Connections } from '../../postgres/connections.ts'

/** Maximum age of our knowledge of the layout, in milliseconds. */
const FRESH_MS = 5_000
/**
 * Maximum age of the locations of organisations, in milliseconds. It can be longer, because every node forwards rows that another
 * one stores.
 */
const PLACES_MS = 60_000
/**
 * Pause before a node that did not respond is queried again, in milliseconds. Callers do not wait for it, because each would hold
 * a connection.
 */
const AWAY_MS = 2_000
/** Wait after which a node is probed on a connection that nothing else uses, in milliseconds. */
const SLOW_MS = 3_000
const PROBE_MS = 2_000

const NO_SUCH_TABLE = '42P01'

const HAS_CITUS = "select to_regclass('pg_catalog.pg_dist_partition') is not null as is_so"
const IS_DISTRIBUTED = `
  select exists (select 1 from pg_dist_partition where logicalrelid = to_regclass('results') and partmethod = 'h') as is_so`

/** Whether the large tables of a database are distributed over nodes. */
export async function areTablesDistributed(client: Pick<pg.Pool, 'query'>): Promise<boolean> {
  const isSo = async (text: string) => (await client.query<{ is_so: boolean }>(text)).rows[0]?.is_so === true
  return (await isSo(HAS_CITUS)) && isSo(IS_DISTRIBUTED)
}

/**
 * Query for the node of each organisation. The coordinator is also a node if it stores shards. Its name here can be one that only
 * it can resolve.
 */
const PLACES = `
  select o.org_id, n.groupid = 0 as is_coordinator, n.nodename as host, n.nodeport as port
  from unnest($1::bigint[]) as o(org_id)
  join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('results', o.org_id)
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`

interface Place {
  org_id: number
  is_coordinator: boolean
  host: string
  port: number
}

function isNoSuchTable(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE
}

/** Node that stores some organisations of a batch. */
export interface NodeOf {
  /** `host:port`. Empty for the coordinator. */
  name: string
  pool: pg.Pool
  org_ids: Set<number>
}

export interface NodesOptions {
  /** Connections to the coordinator that no caller holds while waiting for something else. */
  coordinator: Pick<pg.Pool, 'query'>
  /**
   * Opens connections for storing on a node, or on the coordinator if there is no address. A caller that stores already holds
   * another connection to the coordinator, and must not wait for a second one of the same pool.
   */
  open: (address?: { host: string; port: number }) => Connections
  /** Override of {@link SLOW_MS}. `away_ms` overrides {@link AWAY_MS}. */
  slow_ms?: number
  away_ms?: number
}

export class Nodes {
  readonly #options: NodesOptions
  readonly #pools = new Map<string, Connections>()
  readonly #away = new Set<string>()
  readonly #probes = new Map<string, { connections: Connections; asking?: Promise<boolean> | undefined }>()
  #places = new Map<number, Place>()
  #isDistributed: boolean | undefined
  #isFresh = false
  #asking: Promise<boolean> | undefined

  constructor(options: NodesOptions) {
    this.#options = options
  }

  /**
   * Whether the large tables are distributed. Waits only for the first answer. Later calls return the last known answer, and
   * refresh it after a few seconds.
   */
  async isDistributed(): Promise<boolean> {
    if (this.#isDistributed === undefined) return this.#ask()
    if (!this.#isFresh) void this.#ask().catch(() => {})
    return this.#isDistributed
  }

  /** Lists the nodes that store some organisations. */
  async listNodesOf(org_ids: Iterable<number>): Promise<NodeOf[]> {
    const wanted = new Set(org_ids)
    // Locations that are forgotten in the meantime remain valid for this call.
    const places = this.#places
    const unknown = [...wanted].filter((org_id) => !places.has(org_id))
    if (unknown.length > 0) {
      const { rows } = await this.#options.coordinator.query<Place>(PLACES, [unknown])
      if (places.size === 0) setTimeout(() => this.forgetPlaces(), PLACES_MS).unref()
      for (const row of rows) places.set(row.org_id, row)
    }
    const nodes = new Map<string, NodeOf>()
    for (const org_id of wanted) {
      const place = places.get(org_id)
      if (!place)
        throw new UnreachableDatabase(new Error('the coordinator does not report which node holds an organisation'))
      const name = place.is_coordinator ? '' : `${place.host}:${place.port}`
      let node = nodes.get(name)
      if (!node) nodes.set(name, (node = { name, pool: this.#poolOf(name, place), org_ids: new Set() }))
      node.org_ids.add(org_id)
    }
    return [...nodes.values()]
  }

  /**
   * Runs work on a node. Fails at once while the node is known to be unreachable. `givenUp` fires when the caller no longer
   * waits: work that is not done by then must not be done later.
   */
  async at<Result>(
    { name, pool }: NodeOf,
    work: (pool: pg.Pool, givenUp: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (this.#away.has(name)) throw new UnreachableDatabase(new Error(`database node ${name} does not respond`))
    const giving = new AbortController()
    try {
      return await this.#whileItAnswers(name, work(pool, giving.signal))
    } catch (error) {
      giving.abort()
      this.forgetPlaces()
      this.#isFresh = false
      if (isOutOfReach(error) || isBroken(error)) {
        this.#leave(name)
      }
      // A node has no such table before it is distributed, and after it was brought back.
      if (isNoSuchTable(error)) throw new UnreachableDatabase(error)
      throw error
    }
  }

  /** Whether a node failed to respond, and has not responded since. */
  isAway(name: string): boolean {
    return this.#away.has(name)
  }

  /** Fails as soon as a node turns out to hang, because its machine can disappear without closing connections. */
  async #whileItAnswers<Result>(name: string, working: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const hanging = new Promise<never>((_, reject) => {
      const look = async (): Promise<void> => {
        const isThere = await this.#answers(name)
        if (isOver) return
        if (isThere) watch()
        else reject(new UnreachableDatabase(new Error(`database node ${name} stopped responding`)))
      }
      const watch = (): void => void (timer = setTimeout(() => void look(), this.#options.slow_ms ?? SLOW_MS).unref())
      watch()
    })
    try {
      return await Promise.race([working, hanging])
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Marks a node as unreachable, so that no caller waits for it until it responds again. */
  #leave(name: string): void {
    if (this.#away.has(name)) return
    this.#away.add(name)
    const lookAgain = (): void =>
      void setTimeout(() => {
        void this.#answers(name).then((isThere) => (isThere ? this.#away.delete(name) : lookAgain()))
      }, this.#options.away_ms ?? AWAY_MS).unref()
    lookAgain()
  }

  /** Tests whether a node responds. Concurrent callers share one probe. */
  #answers(name: string): Promise<boolean> {
    const probe = this.#probes.get(name)
    if (!probe) return Promise.resolve(true)
    const asked: pg.QueryConfig & { query_timeout: number } = { text: 'select 1', query_timeout: PROBE_MS }
    probe.asking ??= probe.connections.pool
      .query(asked)
      .then(
        () => true,
        (error: unknown) => !isOutOfReach(error),
      )
      .finally(() => (probe.asking = undefined))
    return probe.asking
  }

  /** Forgets which node stores which organisation, so that the next call asks the coordinator. */
  forgetPlaces(): void {
    this.#places = new Map()
  }

  async close(): Promise<void> {
    const all = [...this.#pools.values(), ...[...this.#probes.values()].map(({ connections }) => connections)]
    await Promise.all(all.map((one) => one.close()))
  }

  #poolOf(name: string, { is_coordinator, host, port }: Place): pg.Pool {
    let connections = this.#pools.get(name)
    if (!connections) {
      const open = () => this.#options.open(is_coordinator ? undefined : { host, port })
      connections = open()
      this.#pools.set(name, connections)
      this.#probes.set(name, { connections: open() })
    }
    return connections.pool
  }

  #ask(): Promise<boolean> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #look(): Promise<boolean> {
    this.#isDistributed = await areTablesDistributed(this.#options.coordinator)
    this.#isFresh = true
    setTimeout(() => (this.#isFresh = false), FRESH_MS).unref()
    return this.#isDistributed
  }
}
