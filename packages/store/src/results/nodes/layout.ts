// Sends statements to where the large tables are: all on one node, or distributed over several nodes by organisation.

import { isCrossed, isOutOfReach, UnreachableDatabase } from '@dogwatch/runtime/database-faults'
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
import type { Tables } from '../../tables.ts'
import type { Sealing } from '../sealing/known.ts'
import type { NodeOf, Nodes } from './nodes.ts'

/** Location of results: the nodes that store them, and whether some are in sealed hours. */
export interface Layout {
  nodes: Pick<Nodes, keyof Nodes>
  sealing: Pick<Sealing, 'hasBegun' | 'sealedUntil'>
}

class NodesAdapter extends PostgresAdapter {
  readonly layout: Layout

  constructor(layout: Layout) {
    super()
    this.layout = layout
  }
}

/** Query builder that knows the layout of its database, also in its transactions. */
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

function layoutOf(db: Kysely<Tables>): Layout | undefined {
  const { adapter } = db.getExecutor()
  return adapter instanceof NodesAdapter ? adapter.layout : undefined
}

/** Returns the nodes that store results, or undefined if one Postgres stores all. */
async function nodesOf(db: Kysely<Tables>): Promise<Layout['nodes'] | undefined> {
  const nodes = layoutOf(db)?.nodes
  return (await nodes?.isDistributed()) === true ? nodes : undefined
}

export async function isDistributed(db: Kysely<Tables>): Promise<boolean> {
  return (await nodesOf(db)) !== undefined
}

/**
 * Whether results can be in sealed hours. If true, each statement itself looks up until when. Nodes cannot, so for them it is
 * that time as text, a few seconds old: sealing drops and merges nothing before all processes have looked again.
 */
export type SealedBoundary = boolean | string

export async function readSealedBoundary(db: Kysely<Tables>): Promise<SealedBoundary> {
  const layout = layoutOf(db)
  if (!layout) return true
  const { nodes, sealing } = layout
  if (!(await nodes.isDistributed())) return sealing.hasBegun()
  const sealed_until = await sealing.sealedUntil()
  if (sealed_until === undefined)
    throw new UnreachableDatabase(new Error('the coordinator does not answer whether the nodes have sealed results'))
  return sealed_until
}

/** Organisation of a row `k`. The law that reads all statements recognises it by the comment. */
const EACH = sql.raw('k.org_id /* one by one */')

/** Builds a statement from rows and their organisation, which is a constant or a column of the row `k`. */
type StatementOf<Key, Row> = (some: readonly Key[], org: RawBuilder<unknown>) => RawBuilder<Row>

/** Reads rows of several organisations: in one statement if one node stores all, otherwise organisation by organisation. */
export async function askByOrg<Key extends { org_id: number }, Row>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
): Promise<Row[]> {
  const orgs = new Set(keys.map(({ org_id }) => org_id))
  if (orgs.size > 1 && !(await isDistributed(db))) return (await askedAtOnce(keys, ask).execute(db)).rows
  return askOneByOne(keys, ask, (one) => one.execute(db))
}

/** Reads rows like {@link askByOrg}, over a connection to the node that stores all of them. `db` builds the statements. */
export function askEachOrg<Key extends { org_id: number }, Row>(
  db: Kysely<Tables>,
  client: Pick<pg.ClientBase, 'query'>,
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
): Promise<Row[]> {
  return askOneByOne(keys, ask, asking(db, client))
}

/** Sends a statement for each organisation, because a statement about distributed tables goes to one node. */
async function askOneByOne<Key extends { org_id: number }, Row>(
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
  send: (statement: RawBuilder<Row>) => Promise<{ rows: Row[] }>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const [org_id, its] of [...Map.groupBy(keys, (key) => key.org_id)].sort(([a], [b]) => a - b)) {
    for (const row of (await send(ask(its, sql`${org_id}::bigint`))).rows) found.push(row)
  }
  return found
}

/** Builds the statement of {@link askByOrg} for a caller that knows that one node stores all rows. */
export function askedAtOnce<Key extends { org_id: number }, Row>(
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
): RawBuilder<Row> {
  return ask(keys, EACH)
}

/**
 * Reads rows of several organisations outside of a transaction, for sweeps. Queries each node directly, which costs the
 * coordinator nothing. `away` has the organisations whose node does not respond: nothing is known of them.
 */
export async function askWhoAnswers<Key extends { org_id: number }, Row extends object>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
): Promise<{ rows: Row[]; away: Set<number> }> {
  if (keys.length === 0) return { rows: [], away: new Set() }
  const nodes = await nodesOf(db)
  if (!nodes) return { rows: await askByOrg(db, keys, ask), away: new Set() }
  const orgs = Map.groupBy(keys, ({ org_id }) => org_id)
  return askNodes(db, nodes, orgs.keys(), ({ org_ids }) =>
    [...org_ids].map((org_id) => ({ org_ids: [org_id], ask: ask(orgs.get(org_id) ?? [], sql`${org_id}::bigint`) })),
  )
}

/**
 * Reads rows like {@link askWhoAnswers}, but throws if a node does not respond, within the limits of nodes.ts. Through the
 * coordinator, a transaction would keep its locks while the node hangs, because even a cancelled statement waits.
 */
export async function askTheirNodes<Key extends { org_id: number }, Row extends object>(
  db: Kysely<Tables>,
  keys: readonly Key[],
  ask: StatementOf<Key, Row>,
): Promise<Row[]> {
  const { rows, away } = await askWhoAnswers(db, keys, ask)
  if (away.size > 0) throw new UnreachableDatabase(new Error('a database node does not respond'))
  return rows
}

/** Lists those of some organisations whose node is known not to respond. */
export async function listAway(db: Kysely<Tables>, org_ids: Iterable<number>): Promise<Set<number>> {
  const nodes = await nodesOf(db)
  const its = (await nodes?.listNodesOf(org_ids)) ?? []
  return new Set(its.filter(({ name }) => nodes?.isAway(name)).flatMap((node) => [...node.org_ids]))
}

/**
 * Queries each node in one statement about all its organisations, if tables are distributed. `ask` builds the statement from their
 * ids and the name of the node. `away` has the organisations of nodes that do not respond.
 */
export async function askEachNode<Row extends object>(
  db: Kysely<Tables>,
  org_ids: readonly number[],
  ask: (org_ids: readonly number[], node: string) => RawBuilder<Row>,
): Promise<{ rows: Row[]; away: Set<number> }> {
  const nodes = await nodesOf(db)
  if (!nodes) throw new Error('results are no longer distributed over nodes')
  return askNodes(db, nodes, org_ids, (node) => {
    const its = [...node.org_ids]
    return [{ org_ids: its, ask: ask(its, node.name) }]
  })
}

interface NodeStatement<Row> {
  org_ids: readonly number[]
  ask: RawBuilder<Row>
}

/** Queries the nodes of some organisations at the same time, each with one statement after the other. */
async function askNodes<Row extends object>(
  db: Kysely<Tables>,
  nodes: Pick<Nodes, 'at' | 'listNodesOf'>,
  org_ids: Iterable<number>,
  statementsOf: (node: NodeOf) => readonly NodeStatement<Row>[],
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

/**
 * Interval between statements that keep a transaction awake, in milliseconds. It is far below the database's limit for idle
 * transactions.
 */
const AWAKE_MS = 1_000

/**
 * Runs work on nodes, and keeps the transaction on the coordinator awake with empty statements, because the coordinator would end
 * an idle one as forgotten. Each statement to a node has its own limit.
 */
async function keepingAwake(db: Kysely<Tables>, work: () => Promise<unknown>): Promise<void> {
  if (!db.isTransaction) return void (await work())
  let said: Promise<unknown> = Promise.resolve()
  // Sends one after the other. The next statement of the caller learns that the transaction has failed.
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
 * Advisory lock of a transaction on a node that belongs to one of the coordinator. A node that hung during a commit can finish it
 * long after the coordinator gave up, and the next transaction waits for that with this lock.
 */
const STEP = '4403168290107734151'

class NotEnded extends Error {
  override readonly name = 'NotEnded'
}

/** Error that the coordinator's transaction has ended, which is no fault of a node. */
class TransactionLost extends Error {
  override readonly name = 'Lost'
}

async function requireOwn(db: Kysely<Tables>): Promise<void> {
  await sql`select`.execute(db).catch((cause: unknown) => {
    throw new TransactionLost('the transaction on the coordinator has already ended', { cause })
  })
}

/**
 * Acquires the lock {@link STEP}. The lock timeout of the session limits the wait. Throws NotEnded if another transaction still
 * holds it.
 */
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
 * Waits until the nodes of some organisations have ended the transactions that belong to earlier ones of the coordinator. The
 * caller must keep new ones from beginning.
 */
export async function awaitSteps(trx: Kysely<Tables>, org_ids: Iterable<number>): Promise<void> {
  const nodes = await nodesOf(trx)
  if (!nodes) return
  const its = await nodes.listNodesOf(org_ids)
  const text = `select pg_advisory_xact_lock_shared(${STEP})`
  await keepingAwake(trx, () => Promise.all(its.map((node) => nodes.at(node, (pool) => pool.query(text)))))
}

/** Function that sends a statement in a transaction of a node. */
export type AskNode = <Row>(ask: RawBuilder<Row>) => Promise<{ rows: Row[]; changed: number }>

/**
 * Runs work in a transaction on each node of some organisations, and commits it. Returns the organisations of nodes that do not
 * respond: their commit is uncertain. If the coordinator's transaction is lost, with its locks, commits nothing.
 */
async function atEachNode(
  db: Kysely<Tables>,
  nodes: Layout['nodes'],
  org_ids: Iterable<number>,
  work: (ask: AskNode, org_ids: readonly number[]) => Promise<void>,
): Promise<Set<number>> {
  const away = new Set<number>()
  const atNode = async (node: NodeOf): Promise<void> => {
    const its = [...node.org_ids].sort((a, b) => a - b)
    try {
      await nodes.at(node, (pool, givenUp) => {
        const step = async (client: pg.PoolClient): Promise<void> => {
          if (db.isTransaction) await beginStep(client, node.name)
          await work(asking(db, client), its)
          // No other transaction can have come in between, because it would wait for this node.
          if (db.isTransaction && !givenUp.aborted) await requireOwn(db)
        }
        return inTransaction(pool, step, givenUp)
      })
    } catch (error) {
      if (error instanceof TransactionLost) throw error.cause
      if (!isOutOfReach(error) && !(error instanceof NotEnded)) throw error
      for (const org_id of its) away.add(org_id)
    }
  }
  const its = await nodes.listNodesOf(org_ids)
  await keepingAwake(db, async () => {
    // Waits for all nodes before it fails.
    const ended = await Promise.allSettled(its.map(atNode))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  })
  return away
}

/**
 * Runs work for each organisation of some rows: on its node, like {@link atEachNode}, or in the transaction if all are on one
 * node.
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
  const nodes = await nodesOf(trx)
  if (nodes) return atEachNode(trx, nodes, orgs.keys(), all)
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

/** Runs a transaction on a connection of a pool. Cuts the connection off when `givenUp` fires. */
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

/** Queries one node. Returns undefined if it does not respond. */
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
