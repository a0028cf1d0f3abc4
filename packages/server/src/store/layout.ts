// Where the large tables are: all on one node, or distributed over several nodes by organisation.
import {
  type CompiledQuery,
  type Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  type RawBuilder,
  sql,
} from 'kysely'
import { isOutOfReach, Unreached } from '../runtime/database-faults.ts'
import type { NodeOf, Nodes } from './nodes.ts'
import type { Sealing } from './sealing.ts'
import type { Tables } from './tables.ts'

/**
 * The tables that are distributed by `org_id` over the nodes of a Citus cluster, and lie together there. All others are
 * plain tables of the coordinator. Statements about them keep to rules that test/laws/distributed.test.ts holds:
 * docs/scaling.md.
 */
export const DISTRIBUTED = [
  'results',
  'sealed_hours',
  'reopened_results',
  'rollups',
  'rollups_daily',
  'rollup_marks',
  'shifted_results',
] as const

class NodesAdapter extends PostgresAdapter {
  readonly nodes: Pick<Nodes, keyof Nodes>
  readonly sealing: Pick<Sealing, 'hasBegun'>

  constructor({ nodes, sealing }: Layout) {
    super()
    this.nodes = nodes
    this.sealing = sealing
  }
}

/** Where results are: on which nodes, and whether some are in sealed hours. */
export interface Layout {
  nodes: Pick<Nodes, keyof Nodes>
  sealing: Pick<Sealing, 'hasBegun'>
}

/** A query builder that knows the layout of its database. Its transactions know it, too. */
export class NodesDialect extends PostgresDialect {
  readonly #layout: Layout

  constructor(config: PostgresDialectConfig, layout: Layout) {
    super(config)
    this.#layout = layout
  }

  override createAdapter(): NodesAdapter {
    return new NodesAdapter(this.#layout)
  }
}

export async function isDistributed(db: Kysely<Tables>): Promise<boolean> {
  const { adapter } = db.getExecutor()
  return adapter instanceof NodesAdapter && (await adapter.nodes.isDistributed())
}

/** Whether results may be in sealed hours. None are where tables are distributed: sealing is not built for that yet. */
export async function mayBeSealed(db: Kysely<Tables>): Promise<boolean> {
  const { adapter } = db.getExecutor()
  return !(adapter instanceof NodesAdapter) || (!(await adapter.nodes.isDistributed()) && adapter.sealing.hasBegun())
}

/** The organisation of a row `k`. The law that reads all statements knows it by the comment. */
const EACH = sql.raw('k.org_id /* one by one */')

/**
 * Asks about rows of several organisations: in one statement where one node holds all of them, and org by org where they
 * are distributed, because a statement about distributed tables goes to one node and names its organisation. `ask` makes
 * the statement from rows and from their organisation, which is a constant or a column of the row `k`.
 */
export async function askByOrg<Key extends { org_id: number }, Row>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>,
): Promise<Row[]> {
  const orgs = Map.groupBy(keys, ({ org_id }) => org_id)
  if (orgs.size > 1 && !(await isDistributed(db))) return (await ask(keys, EACH).execute(db)).rows
  const found: Row[] = []
  for (const [org_id, its] of [...orgs].sort(([a], [b]) => a - b)) {
    for (const row of (await ask(its, sql`${org_id}::bigint`).execute(db)).rows) found.push(row)
  }
  return found
}

/**
 * The same outside of a transaction, for sweeps over all organisations: each node is asked by itself about those that it
 * holds, so that sweeps cost the coordinator nothing. Organisations on a node that does not answer are left out, and
 * told: nothing may be concluded about them.
 */
export async function askWhoAnswers<Key extends { org_id: number }, Row extends object>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>,
): Promise<{ rows: Row[]; away: Set<number> }> {
  if (keys.length === 0) return { rows: [], away: new Set() }
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter) || !(await adapter.nodes.isDistributed())) {
    return { rows: await askByOrg(db, keys, ask), away: new Set() }
  }
  const orgs = Map.groupBy(keys, ({ org_id }) => org_id)
  return askNodes(db, adapter.nodes, orgs.keys(), ({ org_ids }) =>
    [...org_ids].map((org_id) => ({ org_ids: [org_id], ask: ask(orgs.get(org_id) ?? [], sql`${org_id}::bigint`) })),
  )
}

/**
 * The same for whoever decides by all of the rows: throws when a node does not answer, within the bounds of nodes.ts. Through the coordinator
 * a transaction would wait with its locks for as long as the node hangs, because a cancelled statement waits for it, too.
 */
export async function askTheirNodes<Key extends { org_id: number }, Row extends object>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>,
): Promise<Row[]> {
  const { rows, away } = await askWhoAnswers(db, keys, ask)
  if (away.size > 0) throw new Unreached(new Error('a node of the database does not answer'))
  return rows
}

/** Those of some organisations whose node is known not to answer. */
export async function listAway(db: Kysely<Tables>, org_ids: Iterable<number>): Promise<Set<number>> {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter) || !(await adapter.nodes.isDistributed())) return new Set()
  const nodes = await adapter.nodes.listNodesOf(org_ids)
  return new Set(nodes.filter(({ name }) => adapter.nodes.isAway(name)).flatMap((node) => [...node.org_ids]))
}

/**
 * Asks each node in one statement about all organisations that it holds, where tables are distributed. Those of a node
 * that does not answer are told.
 */
export async function askEachNode<Row extends object>(
  db: Kysely<Tables>,
  org_ids: readonly number[],
  ask: (org_ids: readonly number[]) => RawBuilder<Row>,
): Promise<{ rows: Row[]; away: Set<number> }> {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter)) throw new Error('this query builder knows no nodes')
  return askNodes(db, adapter.nodes, org_ids, (node) => [{ org_ids: [...node.org_ids], ask: ask([...node.org_ids]) }])
}

interface Asked<Row> {
  org_ids: readonly number[]
  ask: RawBuilder<Row>
}

/** Asks the nodes of some organisations at the same time, each by one statement after the other. */
async function askNodes<Row extends object>(
  db: Kysely<Tables>,
  nodes: Pick<Nodes, 'at' | 'listNodesOf'>,
  org_ids: Iterable<number>,
  statementsOf: (node: NodeOf) => readonly Asked<Row>[],
): Promise<{ rows: Row[]; away: Set<number> }> {
  const rows: Row[] = []
  const away = new Set<number>()
  const askNode = async (node: NodeOf): Promise<void> => {
    for (const one of statementsOf(node)) {
      const found = await askNodeOf(nodes, node, one.ask.compile(db))
      if (!found) for (const org_id of one.org_ids) away.add(org_id)
      for (const row of found ?? []) rows.push(row)
    }
  }
  const its = await nodes.listNodesOf(org_ids)
  await keepingAwake(db, () => Promise.all(its.map(askNode)))
  return { rows, away }
}

/** Far less than the database lets a transaction be idle. */
const AWAKE_MS = 1_000

/**
 * While nodes work, the transaction that asks them is idle at the coordinator, which would end it as one that was forgotten. So it
 * says something now and then. Each statement to a node is bounded by itself.
 */
async function keepingAwake(db: Kysely<Tables>, work: () => Promise<unknown>): Promise<void> {
  if (!db.isTransaction) return void (await work())
  let said: Promise<unknown> = Promise.resolve()
  // One after the other. Whoever asks next learns that the transaction has failed.
  const say = (): void => void (said = said.then(() => sql`select`.execute(db)).catch(() => {}))
  const timer = setInterval(say, AWAKE_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
    await said
  }
}

/** Undefined when the node does not answer. */
async function askNodeOf<Row extends object>(
  nodes: Pick<Nodes, 'at'>,
  node: NodeOf,
  { sql: text, parameters }: CompiledQuery<Row>,
): Promise<Row[] | undefined> {
  try {
    return (await nodes.at(node, (pool) => pool.query<Row>(text, [...parameters]))).rows
  } catch (error) {
    if (!isOutOfReach(error)) throw error
    return undefined
  }
}
