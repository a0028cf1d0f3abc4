// Uses a given Citus cluster: databases of its own on all servers, and the nodes as processes of this machine. It does not install Citus.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import pg from 'pg'
import { parentOf } from './cpu.ts'
import { ask, killWithChildren } from './postgres.ts'
import { need } from './proof.ts'

export { ask } from './postgres.ts'

export interface ClusterNode {
  host: string
  port: number
}

export interface Cluster {
  /** Like `Citus 13.2 on Postgres 15.18`. */
  readonly version: string
  readonly coordinator: URL
  /** Address of the coordinator, as the nodes use it. */
  readonly known_as: ClusterNode
  readonly nodes: readonly ClusterNode[]
}

/** Reason why there is no cluster. */
export class NoCluster extends Error {}

const BACK_MS = 60_000

/** Finds the cluster by a database with Citus that knows its nodes, and changes nothing in it. */
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
  /** Returns the URL of the same database on a node. */
  urlOf(node: ClusterNode): string
  drop(): Promise<void>
}

/** Creates an empty database on all servers, with Citus, that knows the nodes. */
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
      for (const url of [own, ...cluster.nodes.map((node) => place(node, `/${name}`))]) await endReplication(url)
      for (const url of admins) await dropDatabase(url, name)
    },
  }
}

/** Drops a database. A daemon of Citus uses it, and may take some time to leave. */
async function dropDatabase(url: string, name: string): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return void (await ask(url, `drop database if exists ${name} with (force)`))
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55006' || n === 20) throw error
    }
  }
}

/** Ends subscriptions and slots, because a database that has some cannot be dropped. */
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

/** Returns the process id of a server that runs on this machine. */
export function postmasterOf(url: string): Promise<number> {
  // The backend ends with its connection.
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = parentOf(rows[0]?.pid ?? 0)
    if (!(pid > 1)) throw new Error('a server of the cluster does not run on this machine')
    return pid
  })
}

export interface MortalNode {
  kill(): Promise<void>
  /** Starts the node as it was started before. Resolves when it accepts connections. */
  start(): Promise<void>
}

/** Returns a server of the cluster on this machine, which a proof kills and starts again by its own command line. */
export async function mortalNode(url: string): Promise<MortalNode> {
  const pid = await postmasterOf(url)
  const wordsOf = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean)
  const [program = '', ...args] = wordsOf('cmdline')
  const { uid, gid } = statSync(`/proc/${pid}`)
  const env = Object.fromEntries(wordsOf('environ').map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]))
  return {
    kill: () => killWithChildren(pid),
    start: async () => {
      spawn(program, args, { env, uid, gid, detached: true, stdio: 'ignore', cwd: '/tmp' }).unref()
      const isBack = () => ask(url, 'select 1').then(Boolean, () => false)
      await need(isBack, BACK_MS, 'the node does not come back')
    },
  }
}

function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
