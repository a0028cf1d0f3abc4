// Adds the commands dogwatch shard: they move results to the nodes of a Citus cluster, and back.

import { DomainError } from '@dogwatch/domain/errors'
import { systemClock } from '@dogwatch/runtime/clock'
import { readNodes } from '@dogwatch/store/results/sharding/cluster'
import { type Finding, findRequirements, hasCitus } from '@dogwatch/store/results/sharding/requirements'
import { connect } from '@dogwatch/store/results/sharding/session'
import { shardTables, type TableConversion, unshardTables } from '@dogwatch/store/results/sharding/shard'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readSettings, withSettings } from '../setup.ts'

const SHARDS = 32
const MOST_SHARDS = 1024

interface Options {
  dryRun?: true
  undo?: true
  shards: number
}

interface ShardReport {
  layout: 'plain' | 'sharded'
  requirements?: Finding[]
  tables?: TableConversion[]
  nodes: { node: string; shards: number }[]
}

export function addShardCommand(program: Command): void {
  const command = program
    .command('shard')
    .description('distribute results over the nodes of a Citus cluster while servers keep running')
    .addOption(
      new Option('--dry-run', 'report what is required and what was found, without changing anything').conflicts(
        'undo',
      ),
    )
    .addOption(
      new Option('--undo', 'move all results back into the single database; results are unavailable during the move'),
    )
    .addOption(
      new Option('--shards <count>', 'number of shards; choose several for each node that you will ever have')
        .argParser(readShards)
        .default(SHARDS),
    )
  withSettings(command, ['DATABASE_URL', 'DATABASE_DIRECT_URL']).action(async (options: Options) => {
    const { database_url, database_direct_url } = readSettings(command)
    const url = database_direct_url ?? database_url
    if (url === undefined) {
      throw new DomainError(
        'invalid',
        'the embedded Postgres cannot be sharded; use the URL of a Citus coordinator as DATABASE_URL',
      )
    }
    process.stdout.write(`${JSON.stringify(await shard(url, options), null, 2)}\n`)
  })
}

function readShards(value: string): number {
  const count = Number(value)
  if (!/^\d+$/.test(value) || count < 1 || count > MOST_SHARDS) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_SHARDS}.`)
  }
  return count
}

async function shard(url: string, { dryRun, undo, shards }: Options): Promise<ShardReport> {
  const options = {
    url,
    monotonicMs: () => systemClock.monotonicMs(),
    tell: (line: string) => void process.stderr.write(`dogwatch: ${line}\n`),
  }
  if (undo) {
    const tables = (await isCitus(url)) ? await unshardTables(options) : []
    return { ...(await readLayout(url)), tables }
  }
  const requirements = await findAll(url)
  if (dryRun) return { ...(await readLayout(url)), requirements }
  const unmet = requirements.filter(({ ok }) => !ok)
  if (unmet.length > 0) {
    const lines = unmet.map(({ what, line }) => `${what}: ${line}`)
    throw new DomainError('invalid', `this database does not meet the requirements for sharding: ${lines.join('; ')}`)
  }
  const tables = await shardTables({ ...options, shards })
  return { ...(await readLayout(url)), tables }
}

async function withClient<Found>(url: string, work: (client: Awaited<ReturnType<typeof connect>>) => Promise<Found>) {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const isCitus = (url: string): Promise<boolean> => withClient(url, hasCitus)
const findAll = (url: string): Promise<Finding[]> => withClient(url, findRequirements)

async function readLayout(url: string): Promise<Pick<ShardReport, 'layout' | 'nodes'>> {
  const nodes = await withClient(url, readNodes)
  return {
    layout: nodes ? 'sharded' : 'plain',
    nodes: (nodes ?? []).map(({ host, port, shards }) => ({ node: `${host}:${port}`, shards })),
  }
}
