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
import type pg from 'pg'
import { isCrossed, isOutOfReach, Unreached } from '../runtime/database-faults.ts'
import type { NodeOf, Nodes } from './nodes.ts'
import type { Sealing } from './sealing.ts'
import type { Tables } from './tables.ts'

/**
 * The tables that are distributed by `org_id` over the nodes of a Citus cluster, and lie together there. All others are
 * plain tables of the coordinator. Statements about them keep to rules that test/laws/distributed.test.ts holds:
 * docs/reference/nodes.md.
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
  readonly sealing: Pick<Sealing, 'hasBegun' | 'sealedUntil'>

  constructor({ nodes, sealing }: Layout) {
    super()
    this.nodes = nodes
    this.sealing = sealing
  }
}

/** Where results are: on which nodes, and whether some are in sealed hours. */
export interface Layout {
  nodes: Pick<Nodes, keyof Nodes>
  sealing: Pick<Sealing, 'hasBegun' | 'sealedUntil'>
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

/**
 * Whether results may be in sealed hours. True: each statement looks by itself until when they are. Where tables are distributed,
 * nodes do not know that, so it is this text, as it was a few seconds ago: whoever seals drops and merges nothing before everybody
 * has looked again.
 */
export type Sealed = boolean | string

export async function mayBeSealed(db: Kysely<Tables>): Promise<Sealed> {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter)) return true
  const { nodes, sealing } = adapter
  if (!(await nodes.isDistributed())) return sealing.hasBegun()
  const sealed_until = await sealing.sealedUntil()
  if (sealed_until === undefined)
    throw new Unreached(new Error('the coordinator does not answer whether the nodes have sealed results'))
  return sealed_until
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

/** The statement of that where one node holds all of them, for whoever knows that. */
export function askedAtOnce<Key extends { org_id: number }, Row>(
  keys: readonly Key[],
  ask: (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>,
): RawBuilder<Row> {
  return ask(keys, EACH)
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
  if (away.size > 0) throw new Unreached(new Error('a database node does not respond'))
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
  if (!(adapter instanceof NodesAdapter))
    throw new Error('this query needs connections to the database nodes, and its query builder has none')
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

/**
 * What a transaction at a node holds that belongs to one of the coordinator. A node may end what was given up long after the coordinator did,
 * if it was told to commit before it hung: whoever is next waits for that here.
 */
const STEP = '4403168290107734151'

class NotEnded extends Error {
  override readonly name = 'NotEnded'
}

/** The transaction of the coordinator is over, which is no fault of a node. */
class Lost extends Error {
  override readonly name = 'Lost'
}

async function requireOwn(db: Kysely<Tables>): Promise<void> {
  await sql`select`.execute(db).catch((cause: unknown) => {
    throw new Lost('the transaction on the coordinator has already ended', { cause })
  })
}

/** Takes that lock. The lock timeout of the session bounds how long that takes. */
async function beginStep(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<void> {
  try {
    await client.query(`select pg_advisory_xact_lock(${STEP})`)
  } catch (error) {
    if (!isCrossed(error)) throw error
    throw new NotEnded(`database node ${name} still has an open transaction that the server has abandoned`, {
      cause: error,
    })
  }
}

/**
 * Waits until the nodes of some organisations have ended what others began there in transactions of the coordinator that are over. The caller
 * keeps more of them from beginning.
 */
export async function awaitSteps(trx: Kysely<Tables>, org_ids: Iterable<number>): Promise<void> {
  const { adapter } = trx.getExecutor()
  if (!(adapter instanceof NodesAdapter) || !(await adapter.nodes.isDistributed())) return
  const { nodes } = adapter
  const its = await nodes.listNodesOf(org_ids)
  const text = `select pg_advisory_xact_lock_shared(${STEP})`
  await keepingAwake(trx, () => Promise.all(its.map((node) => nodes.at(node, (pool) => pool.query(text)))))
}

/** Sends a statement, in a transaction of a node. */
export type AskNode = <Row>(ask: RawBuilder<Row>) => Promise<{ rows: Row[]; changed: number }>

/**
 * Does something at each node of some organisations, in a transaction of that node, which is committed when this returns. Returns the
 * organisations of nodes that do not answer: whether theirs was committed is not known. In a transaction of the coordinator, nothing is
 * committed once that is lost: what it holds to keep others away is not held any more.
 */
export async function atEachNode(
  db: Kysely<Tables>,
  org_ids: Iterable<number>,
  work: (ask: AskNode, org_ids: readonly number[]) => Promise<void>,
): Promise<Set<number>> {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter))
    throw new Error('this query needs connections to the database nodes, and its query builder has none')
  const { nodes } = adapter
  const away = new Set<number>()
  const atNode = async (node: NodeOf): Promise<void> => {
    const its = [...node.org_ids].sort((a, b) => a - b)
    try {
      await nodes.at(node, (pool, givenUp) => {
        const step = async (client: pg.PoolClient): Promise<void> => {
          if (db.isTransaction) await beginStep(client, node.name)
          await work(asking(db, client), its)
          // Nobody can have taken its place since: they wait for this node.
          if (db.isTransaction && !givenUp.aborted) await requireOwn(db)
        }
        return inTransaction(pool, step, givenUp)
      })
    } catch (error) {
      if (error instanceof Lost) throw error.cause
      if (!isOutOfReach(error) && !(error instanceof NotEnded)) throw error
      for (const org_id of its) away.add(org_id)
    }
  }
  const its = await nodes.listNodesOf(org_ids)
  await keepingAwake(db, async () => {
    // All of them come to their end before anything fails.
    const ended = await Promise.allSettled(its.map(atNode))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  })
  return away
}

/**
 * Does something for each organisation of some rows: at its node, as `atEachNode` does, or in the transaction where all are on one node.
 */
export async function forEachOrg<Key extends { org_id: number }>(
  trx: Kysely<Tables>,
  keys: readonly Key[],
  work: (ask: AskNode, some: readonly Key[], org_id: number) => Promise<void>,
): Promise<Set<number>> {
  const orgs = Map.groupBy(keys, ({ org_id }) => org_id)
  const all = async (ask: AskNode, org_ids: Iterable<number>): Promise<void> => {
    for (const org_id of org_ids) await work(ask, orgs.get(org_id) ?? [], org_id)
  }
  if (await isDistributed(trx)) return atEachNode(trx, orgs.keys(), all)
  const ask: AskNode = async (statement) => {
    const { rows, numAffectedRows } = await statement.execute(trx)
    return { rows, changed: Number(numAffectedRows ?? 0) }
  }
  await all(
    ask,
    [...orgs.keys()].sort((a, b) => a - b),
  )
  return new Set()
}

const asking =
  (db: Kysely<Tables>, client: Pick<pg.ClientBase, 'query'>): AskNode =>
  async <Row>(ask: RawBuilder<Row>) => {
    const { sql: text, parameters } = ask.compile(db)
    const { rows, rowCount } = await client.query({ text, values: [...parameters] })
    return { rows: rows as Row[], changed: rowCount ?? 0 }
  }

/** What each node says to a question about itself; undefined: some node does not answer. */
export async function askAllNodes<Row extends object>(
  db: Kysely<Tables>,
  org_ids: readonly number[],
  ask: RawBuilder<Row>,
): Promise<(Row & { node: string })[] | undefined> {
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof NodesAdapter))
    throw new Error('this query needs connections to the database nodes, and its query builder has none')
  const { nodes } = adapter
  const found = await Promise.all(
    (await nodes.listNodesOf(org_ids)).map(async (node) => {
      const rows = await askNodeOf(nodes, node, ask.compile(db))
      return rows?.map((row) => ({ ...row, node: node.name }))
    }),
  )
  return found.includes(undefined) ? undefined : found.flatMap((rows) => rows ?? [])
}

/** Runs a transaction on a connection of a pool, which is cut off when it is given up. */
export async function inTransaction<Result>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (client: pg.PoolClient) => Promise<Result>,
  givenUp?: AbortSignal,
): Promise<Result> {
  const client = (await pool.connect()) as pg.PoolClient & Pick<pg.Client, 'end'>
  const cut = (): void => void client.end().catch(() => {})
  givenUp?.addEventListener('abort', cut)
  try {
    givenUp?.throwIfAborted()
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    givenUp?.removeEventListener('abort', cut)
    client.release()
    return result
  } catch (error) {
    givenUp?.removeEventListener('abort', cut)
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
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
