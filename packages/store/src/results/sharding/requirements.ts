// Checks what `dogwatch shard` requires of a database and its nodes, one line for each.
import type pg from 'pg'
import { listWithout } from '../../abilities.ts'
import { DISTRIBUTED } from '../tables.ts'

export interface Finding {
  what: string
  ok: boolean
  /** Observed value, and the necessary change if it does not suffice. */
  line: string
}

/** Minimum version of Citus. Older versions convert partitioned tables differently, or not at all. */
const CITUS_LEAST = 12
const SLOTS_LEAST = 4

interface NodeRow {
  host: string
  port: number
  is_coordinator: boolean
  is_active: boolean
  has_shards: boolean
  is_synced: boolean
}

/** Settings of one server. */
export interface Facts {
  citus: string | null
  postgres: number
  wal_level: string
  max_prepared_transactions: number
  max_replication_slots: number
  max_wal_senders: number
  /** Null if this Postgres does not limit them. */
  output_plugin_libraries: string | null
}

const FACTS = `select json_build_object(
  'citus', (select extversion from pg_extension where extname = 'citus'),
  'postgres', current_setting('server_version_num')::integer / 10000,
  'wal_level', current_setting('wal_level'),
  'max_prepared_transactions', current_setting('max_prepared_transactions')::integer,
  'max_replication_slots', current_setting('max_replication_slots')::integer,
  'max_wal_senders', current_setting('max_wal_senders')::integer,
  'output_plugin_libraries', current_setting('output_plugin_libraries', true))::text as facts`

const NODES = `
  select nodename as host, nodeport as port, groupid = 0 as is_coordinator, isactive as is_active,
    shouldhaveshards as has_shards, metadatasynced as is_synced
  from pg_dist_node where noderole = 'primary' order by groupid`

const good = (what: string, line: string): Finding => ({ what, ok: true, line })
const bad = (what: string, line: string): Finding => ({ what, ok: false, line })

/** Whether the extension is in the database. Otherwise nothing else about it can be read. */
export async function hasCitus(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query("select from pg_extension where extname = 'citus'")
  return rows.length > 0
}

/** Checks every requirement, met or not. Changes nothing. */
export async function findRequirements(client: pg.Client): Promise<Finding[]> {
  const tables = await checkTables(client)
  const users = tables.ok ? [await checkProcesses(client)] : []
  if (!(await hasCitus(client))) {
    return [
      tables,
      ...users,
      bad(
        'extension',
        'this database has no Citus; add citus to shared_preload_libraries, then run create extension citus',
      ),
    ]
  }
  const { rows: nodes } = await client.query<NodeRow>(NODES)
  const own = await factsOfOwn(client)
  const found = [tables, ...users, ...checkOwn(own), await checkReplication(client), ...checkNodes(nodes)]
  const workers = nodes.filter(({ is_coordinator }) => !is_coordinator)
  if (workers.length === 0) return found
  return [...found, ...(await checkWorkers(client, own))]
}

async function checkTables(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is null',
    [DISTRIBUTED],
  )
  if (rows.length === 0) return good('schema', 'all tables exist')
  return bad('schema', `missing: ${rows.map(({ name }) => name).join(', ')}; run dogwatch migrate`)
}

/** Checks the builds of running processes, because older builds send statements that a cluster refuses. */
async function checkProcesses(client: pg.Client): Promise<Finding> {
  const older = await listWithout(client, 'nodes')
  const [first] = older
  if (!first) return good('processes', 'every running process supports sharding')
  const others = older.length > 1 ? ` and ${older.length - 1} more` : ''
  return bad(
    'processes',
    `${first.role} on ${first.host}, process ${first.pid}${others}, runs a build that does not support sharding; upgrade or stop this process, then wait a minute`,
  )
}

async function factsOfOwn(client: pg.Client): Promise<Facts> {
  const { rows } = await client.query<{ facts: string }>(FACTS)
  return JSON.parse(rows[0]?.facts ?? '{}') as Facts
}

function checkOwn(own: Facts): Finding[] {
  const version = own.citus ?? ''
  const major = Number(version.split('.')[0])
  return [
    major >= CITUS_LEAST
      ? good('extension', `Citus ${version} on Postgres ${own.postgres}`)
      : bad('extension', `Citus ${version} is too old; ${CITUS_LEAST} or newer is required`),
    ...checkSettings('coordinator', own),
  ]
}

function checkSettings(node: string, facts: Facts): Finding[] {
  const faults = settingFaults(facts)
  if (faults.length === 0)
    return [good(`settings of ${node}`, 'wal_level, replication slots and prepared transactions are sufficient')]
  return [bad(`settings of ${node}`, `${faults.join('; ')} (change postgresql.conf and restart that server)`)]
}

/** Lists the settings of a server that keep Citus from copying tables during writes, and what each must be. */
export function settingFaults(facts: Facts): string[] {
  return [
    ...(facts.wal_level === 'logical' ? [] : [`wal_level is ${facts.wal_level}, but must be logical`]),
    ...(facts.max_prepared_transactions > 0 ? [] : ['max_prepared_transactions is 0, but must be greater than 0']),
    ...(['max_replication_slots', 'max_wal_senders'] as const).flatMap((name) =>
      facts[name] >= SLOTS_LEAST ? [] : [`${name} is ${facts[name]}, but must be at least ${SLOTS_LEAST}`],
    ),
    ...(mayDecode(facts.output_plugin_libraries)
      ? []
      : [`output_plugin_libraries is ${facts.output_plugin_libraries}, but must include citus`]),
  ]
}

/**
 * Whether Citus may decode changes. Newer releases of Postgres (15.20 is one) let only the libraries in this list decode them,
 * and Citus uses its own.
 */
function mayDecode(libraries: string | null): boolean {
  if (libraries === null) return true
  return libraries.split(',').some((name) => name.trim().replaceAll('"', '') === 'citus')
}

async function checkReplication(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ factor: string }>(
    "select current_setting('citus.shard_replication_factor') as factor",
  )
  const factor = rows[0]?.factor ?? '1'
  if (factor === '1') return good('citus.shard_replication_factor', '1')
  return bad(
    'citus.shard_replication_factor',
    `${factor}, but must be 1; use standbys of the nodes for redundancy instead`,
  )
}

function checkNodes(nodes: readonly NodeRow[]): Finding[] {
  const coordinator = nodes.find(({ is_coordinator }) => is_coordinator)
  const workers = nodes.filter(({ is_coordinator }) => !is_coordinator)
  return [
    coordinator
      ? good('coordinator', `known to the nodes as ${coordinator.host}:${coordinator.port}`)
      : bad('coordinator', "run select citus_set_coordinator_host('an address that the other nodes reach', port)"),
    ...(coordinator?.has_shards
      ? [
          bad(
            'shards of the coordinator',
            `it must have none; run select citus_set_node_property('${coordinator.host}', ${coordinator.port}, 'shouldhaveshards', false)`,
          ),
        ]
      : []),
    ...(workers.length > 0
      ? []
      : [bad('nodes', "there are none; run select citus_add_node('host', port) for each node")]),
    ...workers.map((node) => checkNode(node)),
  ]
}

function checkNode({ host, port, is_active, has_shards, is_synced }: NodeRow): Finding {
  const what = `node ${host}:${port}`
  if (!is_active) return bad(what, `not active; run select citus_activate_node('${host}', ${port})`)
  if (!is_synced) return bad(what, `has no metadata; run select start_metadata_sync_to_node('${host}', ${port})`)
  if (!has_shards) {
    return bad(
      what,
      `accepts no shards; run select citus_set_node_property('${host}', ${port}, 'shouldhaveshards', true)`,
    )
  }
  return good(what, 'active, has metadata, accepts shards')
}

async function checkWorkers(client: pg.Client, own: Facts): Promise<Finding[]> {
  const { rows } = await client.query<{ node: string; success: boolean; result: string }>(
    "select nodename || ':' || nodeport as node, success, result from run_command_on_workers($1) order by 1",
    [FACTS],
  )
  return rows.flatMap(({ node, success, result }) => {
    if (!success) return [bad(`node ${node}`, result.split(/[\r\n]/)[0] ?? '')]
    const facts = JSON.parse(result) as Facts
    const isSame = facts.citus === own.citus && facts.postgres === own.postgres
    const version = `Citus ${facts.citus} on Postgres ${facts.postgres}`
    return [
      isSame
        ? good(`version of ${node}`, version)
        : bad(`version of ${node}`, `${version}, but the coordinator has ${own.citus} on ${own.postgres}`),
      ...checkSettings(node, facts),
    ]
  })
}
