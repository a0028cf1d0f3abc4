// Runs `dogwatch shard` in a separate process, and calls the Citus functions that an operator uses.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { SERVER_FLAGS } from '../server-flags.js'
import type { ClusterDatabase, ClusterNode } from './citus.ts'
import { ask } from './postgres.ts'
import { LIFELINE, SERVER } from './server.ts'

export interface Conversion {
  layout: 'plain' | 'sharded'
  tables: { table: string; is: string; rows: number | null; seconds: number; writes_waited_ms: number | null }[]
  nodes: { node: string; shards: number }[]
}

/** Runs `dogwatch shard`, and calls `onLine` with each line that it logs. Throws the lines if the command refuses. */
export async function runShard(
  url: string,
  flags: readonly string[] = [],
  onLine = (_line: string) => {},
): Promise<Conversion> {
  const { child, stdout, stderr } = start(url, flags)
  const lines: string[] = []
  createInterface({ input: stderr }).on('line', (line) => {
    lines.push(line)
    onLine(line)
  })
  const [said, [code]] = await Promise.all([text(stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`dogwatch shard ${flags.join(' ')}: ${lines.join('\n')}`)
  return JSON.parse(said) as Conversion
}

/** Starts `dogwatch shard`, and kills it with -9. Returns whether it was still running. */
export async function runShardAndKill(url: string, after_ms: number, ...flags: readonly string[]): Promise<boolean> {
  const { child, stdout, stderr } = start(url, flags)
  const ended = once(child, 'exit')
  stdout.resume()
  await Promise.race([once(stderr, 'data'), ended])
  await Promise.race([pause(after_ms), ended])
  const isRunning = child.exitCode === null
  child.kill('SIGKILL')
  await ended
  return isRunning
}

function start(url: string, flags: readonly string[]) {
  const child = spawn(process.execPath, [...SERVER_FLAGS, '--import', LIFELINE, SERVER, 'shard', ...flags], {
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('a command without output')
  return { child, stdout, stderr }
}

/** Formats a conversion like `results 12.3 s (a write waited 40 ms)`, the slowest first. */
export function figuresOf({ tables }: Conversion): string {
  const done = tables.filter(({ writes_waited_ms }) => writes_waited_ms !== null)
  const longest = done.toSorted((one, other) => other.seconds - one.seconds)
  return longest
    .map(({ table, seconds, writes_waited_ms }) => `${table} ${seconds} s (a write waited ${writes_waited_ms} ms)`)
    .join(', ')
}

export interface ShardLocation {
  shardid: string
  host: string
  port: number
}

/** Finds the results of an organisation. */
export async function locateShard({ url }: ClusterDatabase, org_id: number): Promise<ShardLocation> {
  const [row] = await ask<ShardLocation>(
    url,
    `select s.shardid::text as shardid, s.nodename as host, s.nodeport as port
     from citus_shards s where s.table_name = 'results'::regclass
       and s.shardid = get_shard_id_for_distribution_column('results', $1::bigint)`,
    [org_id],
  )
  if (!row) throw new Error(`no shard has the results of organisation ${org_id}`)
  return row
}

/** Moves an organisation's shards to another node, while servers write to them. */
export async function moveAway(
  database: ClusterDatabase,
  org_id: number,
  nodes: readonly ClusterNode[],
): Promise<string> {
  const from = await locateShard(database, org_id)
  const to = nodes.find(({ port, host }) => port !== from.port || host !== from.host)
  if (!to) throw new Error('there is no other node')
  await ask(database.url, "select citus_move_shard_placement($1, $2, $3, $4, $5, 'force_logical')", [
    from.shardid,
    from.host,
    from.port,
    to.host,
    to.port,
  ])
  return `from ${from.port} to ${to.port}`
}

/** Adds a node, and spreads the shards again. */
export async function addNode({ url }: ClusterDatabase, { host, port }: ClusterNode): Promise<void> {
  await ask(url, 'select citus_add_node($1, $2)', [host, port])
  await rebalance(url)
}

/** Moves all shards away from a node, and removes the node from the cluster. */
export async function removeNode({ url }: ClusterDatabase, { host, port }: ClusterNode): Promise<void> {
  await ask(url, "select citus_set_node_property($1, $2, 'shouldhaveshards', false)", [host, port])
  await rebalance(url)
  await ask(url, 'select citus_remove_node($1, $2)', [host, port])
}

async function rebalance(url: string): Promise<void> {
  await ask(url, "select citus_rebalance_start(drain_only => false, shard_transfer_mode => 'force_logical')")
  await ask(url, 'select citus_rebalance_wait()')
}
