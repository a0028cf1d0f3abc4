// Uses a given Citus cluster: creates databases on all its servers, and finds those nodes that are processes of this machine.
// Does not install Citus.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import pg from 'pg'
import { parentOf } from './cpu.ts'
import { ask, killWithChildren } from './postgres.ts'
import { need } from './proof.ts'
import type { Mortal } from './server.ts'

export interface ClusterNode {
  host: string
  port: number
}

export interface Cluster {
  /** Versions of the cluster, such as `Citus 13.2 on Postgres 15.18`. */
  readonly version: string
  readonly coordinator: URL
  /** Address that the nodes use for the coordinator. */
  readonly known_as: ClusterNode
  readonly nodes: readonly ClusterNode[]
}

/** Error with the reason why no cluster can be used. */
export class NoCluster extends Error {}

const BACK_MS = 60_000

/** Finds the cluster by the URL of a database with Citus that knows its nodes. Changes nothing in that database. */
export async function findCluster(url: string | undefined): Promise<Cluster> {
  if (url === undefined) {
    throw new NoCluster(
      'no cluster was given: --coordinator postgres://... (a database with Citus that knows its nodes)',
    )
  }
  const coordinator = new URL(url)
  const [found] = await ask<{ citus: string; postgres: string }>(
    url,
    "select extversion as citus, current_setting('server_version') as postgres from pg_extension where extname = 'citus'",
  )
  if (!found) throw new NoCluster(`${coordinator.host} has no Citus`)
  const rows = await ask<ClusterNode & { groupid: number }>(
    url,
    "select nodename as host, nodeport as port, groupid from pg_dist_node where noderole = 'primary' and isactive order by nodeid",
  )
  const nodes = rows.filter(({ groupid }) => groupid > 0)
  if (nodes.length < 2) throw new NoCluster(`${coordinator.host} knows ${nodes.length} nodes: two are needed`)
  const own = { host: coordinator.hostname, port: Number(coordinator.port || 5432) }
  const known_as = rows.find(({ groupid }) => groupid === 0) ?? own
  return { version: `Citus ${found.citus} on Postgres ${found.postgres}`, coordinator, known_as, nodes }
}

export interface ClusterDatabase {
  readonly url: string
  /** Returns the URL of the same database on a node. */
  urlOf(node: ClusterNode): string
  /** Creates the database on one more server. Returns a function that drops it there. */
  join(node: ClusterNode): Promise<() => Promise<void>>
  drop(): Promise<void>
}

/** Creates an empty database with Citus on all servers. The database knows the nodes. */
export async function createClusterDatabase(cluster: Cluster): Promise<ClusterDatabase> {
  const name = `dogwatch_lab_${randomBytes(4).toString('hex')}`
  const { coordinator, known_as, nodes } = cluster
  const at = ({ host, port }: ClusterNode, path: string) =>
    Object.assign(new URL(coordinator), { hostname: host, port: String(port), pathname: path }).href
  const create = async (node: ClusterNode) => {
    await ask(at(node, '/postgres'), `create database ${name}`)
    await ask(at(node, `/${name}`), 'create extension citus')
    return () => dropDatabase(at(node, '/postgres'), name)
  }
  const own = { host: coordinator.hostname, port: Number(coordinator.port || 5432) }
  const drops = await Promise.all([own, ...nodes].map(create))
  const url = at(own, `/${name}`)
  await ask(url, 'select citus_set_coordinator_host($1, $2)', [known_as.host, known_as.port])
  for (const { host, port } of nodes) await ask(url, 'select citus_add_node($1, $2)', [host, port])
  return {
    url,
    urlOf: (node) => at(node, `/${name}`),
    join: create,
    drop: async () => {
      // Removes what killed commands have left, because Postgres cannot drop a database with subscriptions or replication slots.
      await ask(url, 'call citus_cleanup_orphaned_resources()')
      for (const drop of drops) await drop()
    },
  }
}

/** Drops a database. A background process of Citus uses the database, and may take some time to disconnect. */
async function dropDatabase(url: string, name: string): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return void (await ask(url, `drop database if exists ${name} with (force)`))
    } catch (error) {
      if ((error as { code?: unknown }).code !== '55006' || n === 20) throw error
    }
  }
}

/** Returns the process id of the Postgres server that has this URL and runs on this machine. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Reads the parent process before the connection, and with it its backend process, ends.
    const pid = parentOf(rows[0]?.pid ?? 0)
    if (!(pid > 1)) throw new Error('a server of the cluster does not run on this machine')
    return pid
  } finally {
    await client.end()
  }
}

/** Returns a node of the cluster on this machine that a proof can kill, and can start again by the node's own command line. */
export async function mortalNode(url: string): Promise<Omit<Mortal, 'name'>> {
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
