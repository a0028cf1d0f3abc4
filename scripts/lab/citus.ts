// A given Citus cluster: databases of our own on all of its servers, and its nodes as processes of this machine. Nothing here
// installs Citus: an operator names the coordinator of a cluster that runs.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import pg from 'pg'
import { hasEnded } from '../../packages/server/dist/embedded-postgres/process.js'
import { childrenOf, parentOf } from './cpu.ts'
import { until } from './world.ts'

export interface ClusterNode {
  host: string
  port: number
}

export interface Cluster {
  /** `Citus 13.2 on Postgres 15.18` */
  readonly version: string
  readonly coordinator: URL
  /** As the nodes know the coordinator. */
  readonly known_as: ClusterNode
  readonly nodes: readonly ClusterNode[]
}

/** Why there is no cluster to work on. */
export class NoCluster extends Error {}

const GONE_MS = 20_000
const BACK_MS = 60_000

/** `url`: of a database with Citus that knows its nodes. Nothing in it is touched. */
export async function findCluster(url: string | undefined): Promise<Cluster> {
  if (url === undefined) {
    throw new NoCluster(
      'no cluster was given: --coordinator postgres://... (a database with Citus that knows its nodes)',
    )
  }
  return withClient(url, async (client) => {
    const { rows: found } = await client.query<{ citus: string; postgres: string }>(
      "select extversion as citus, current_setting('server_version') as postgres from pg_extension where extname = 'citus'",
    )
    if (!found[0]) throw new NoCluster(`${withoutSecrets(url)} has no Citus`)
    const { rows } = await client.query<ClusterNode & { groupid: number }>(
      "select nodename as host, nodeport as port, groupid from pg_dist_node where noderole = 'primary' and isactive order by nodeid",
    )
    const nodes = rows.filter(({ groupid }) => groupid > 0)
    if (nodes.length < 2) throw new NoCluster(`${withoutSecrets(url)} knows ${nodes.length} nodes: two are needed`)
    const coordinator = new URL(url)
    const own = { host: coordinator.hostname, port: Number(coordinator.port || 5432) }
    const known_as = rows.find(({ groupid }) => groupid === 0) ?? own
    return { version: `Citus ${found[0].citus} on Postgres ${found[0].postgres}`, coordinator, known_as, nodes }
  })
}

export interface ClusterDatabase {
  readonly url: string
  /** The same database on a node. */
  urlOf(node: ClusterNode): string
  drop(): Promise<void>
}

/** An empty database on all servers, with Citus, that knows the nodes. */
export async function createClusterDatabase(cluster: Cluster, nodes = cluster.nodes): Promise<ClusterDatabase> {
  const name = `dogwatch_lab_${randomBytes(4).toString('hex')}`
  const { coordinator, known_as } = cluster
  const place = ({ host, port }: ClusterNode, path: string) =>
    Object.assign(new URL(coordinator), { hostname: host, port: String(port), pathname: path }).href
  const own = Object.assign(new URL(coordinator), { pathname: `/${name}` }).href
  const admins = [coordinator.href, ...cluster.nodes.map((node) => place(node, '/postgres'))]
  await Promise.all(admins.map((url) => ask(url, `create database ${name}`)))
  await Promise.all(
    [own, ...cluster.nodes.map((node) => place(node, `/${name}`))].map((url) => ask(url, 'create extension citus')),
  )
  await withClient(own, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [known_as.host, known_as.port])
    for (const { host, port } of nodes) await client.query('select citus_add_node($1, $2)', [host, port])
  })
  return {
    url: own,
    urlOf: (node) => place(node, `/${name}`),
    drop: async () => {
      // What a move or a conversion that was cut off has left.
      for (const url of [own, ...cluster.nodes.map((node) => place(node, `/${name}`))]) await endReplication(url)
      for (const url of admins) await dropDatabase(url, name)
    },
  }
}

/** A daemon of Citus uses each database, and on a busy machine does not go at once when it is told to. */
async function dropDatabase(url: string, name: string): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return void (await ask(url, `drop database if exists ${name} with (force)`))
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55006' || n === 20) throw error
    }
  }
}

/** A database with subscriptions or slots cannot be dropped. */
async function endReplication(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select quote_ident(subname) as name from pg_subscription s join pg_database d on d.oid = s.subdbid where d.datname = current_database()',
    )
    for (const { name } of rows) {
      for (const change of ['disable', 'set (slot_name = none)'])
        await client.query(`alter subscription ${name} ${change}`)
      await client.query(`drop subscription ${name}`)
    }
    const { rows: roles } = await client.query<{ name: string }>(
      "select quote_ident(rolname) as name from pg_roles where rolname like 'citus\\_shard\\_%subscription\\_role%'",
    )
    for (const { name } of roles) {
      await client.query(`drop owned by ${name}`)
      await client.query(`drop role ${name}`)
    }
    await client.query(
      `select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where database = current_database() and active_pid is not null`,
    )
    await client.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()',
    )
  })
}

/** Runs one statement. */
export function ask<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(statement, values)).rows)
}

async function withClient<Found>(url: string, work: (client: pg.Client) => Promise<Found>): Promise<Found> {
  const client = new pg.Client({ connectionString: url, application_name: 'dogwatch-lab' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The process id of a server that runs on this machine. */
export function postmasterOf(url: string): Promise<number> {
  // Looked up while it is open: the backend ends with its connection.
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = parentOf(rows[0]?.pid ?? 0)
    if (!(pid > 1)) throw new Error('a server of the cluster does not run on this machine')
    return pid
  })
}

export interface MortalNode {
  /** With SIGKILL, all of its processes. */
  kill(): Promise<void>
  /** As it was started before. Resolves when it answers. */
  start(): Promise<void>
}

/** A server of the cluster that runs on this machine, to be killed and started again by its own command line. */
export async function mortalNode(url: string): Promise<MortalNode> {
  const pid = await postmasterOf(url)
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const { uid, gid } = statSync(`/proc/${pid}`)
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    variables.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )
  const answers = () =>
    ask(url, 'select 1').then(
      () => true,
      () => false,
    )
  return {
    kill: async () => {
      const all = [pid, ...childrenOf(pid)]
      process.kill(pid, 'SIGKILL')
      for (const each of all) {
        if (!(await hasEnded(each, GONE_MS))) throw new Error(`process ${each} of the node outlives its postmaster`)
      }
    },
    start: async () => {
      const child = spawn(program, args, { env, uid, gid, detached: true, stdio: 'ignore', cwd: '/tmp' })
      child.unref()
      if (!(await until(answers, BACK_MS))) throw new Error('the node does not come back')
    },
  }
}

function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
