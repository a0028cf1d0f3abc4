// Prepares what every command needs: settings, the database, and access to the network.
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Deps } from '@dogwatch/domain/deps'
import type { KeepOptions } from '@dogwatch/embedded-postgres/keep'
import { openEmbeddedPostgres } from '@dogwatch/embedded-postgres/open'
import { systemClock } from '@dogwatch/runtime/clock'
import { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { DiskRoom } from '@dogwatch/runtime/disk-room'
import { newProcessId } from '@dogwatch/runtime/ids'
import { createLog, type Log, standardError } from '@dogwatch/runtime/log'
import { systemRandom } from '@dogwatch/runtime/random'
import { Witnesses } from '@dogwatch/runtime/witnesses'
import { openDatabase } from '@dogwatch/store/database'
import { migrateIfEmpty, migrateToLatest } from '@dogwatch/store/migrate'
import type { Pooler } from '@dogwatch/store/postgres/connections'
import type { StandbyOptions } from '@dogwatch/store/postgres/standby'
import type { ServerProcess } from '@dogwatch/store/processes/processes'
import { setByDatabase } from '@dogwatch/store/processes/time'
import { distributeNewFunctions } from '@dogwatch/store/results/sharding/functions'
import { Command, Option } from 'commander'
import { type Config, flagOf, readConfig, SETTINGS, type Setting } from '../config.ts'
import { keepTime } from './keep-time.ts'

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

export const EVERYWHERE = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_PREPARED',
  'DOGWATCH_DATA_DIR',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const

/** Adds the flags of settings to a command. A flag overrides the environment variable of its setting. */
export function withSettings<Some extends Command>(command: Some, which: readonly Setting[] = EVERYWHERE): Some {
  for (const name of which) command.option(flagOf(name), `overrides ${name}`)
  return command
}

export function readSettings(command: Command): Config {
  const options = command.opts<Record<string, string | undefined>>()
  const valueOf = (name: Setting) => options[new Option(flagOf(name)).attributeName()] ?? process.env[name]
  return readConfig(Object.fromEntries(SETTINGS.map((name) => [name, valueOf(name)])), `${PROJECT_ROOT}.dogwatch`)
}

export interface Setup {
  deps: Deps
  /** Clock of `deps`, which carries the database's time. */
  clock: DatabaseClock
  /** Identity of this process among the server's processes. */
  self: ServerProcess
  database_url: string
  /** Pooler that `database_url` leads to. Undefined if it leads to the server itself. */
  pooler: Pooler | undefined
  /** Knows whether the database has recently run out of disk space. */
  disk: DiskRoom
  /** URL for LISTEN. Undefined if the only URL leads to a pooler, which forwards no notifications. */
  listen_url: string | undefined
  config: Config
  close(): Promise<void>
}

export interface SetupOptions {
  /** Role of a long-running process. Absent for a command. */
  role?: string
  statement_ms?: number
  lock_ms?: number
}

export interface Postgres {
  url: string
  /** URL for migrations and LISTEN, which does not lead to a pooler if there is another. */
  direct_url: string
  /** Pooler that `url` leads to. Undefined if it leads to the server itself. */
  pooler: Pooler | undefined
  stop(): Promise<void>
}

/**
 * Opens the Postgres of the settings: a configured one, or the embedded one, which it starts if necessary and keeps running
 * according to `keep`.
 */
export async function openPostgres(config: Config, keep?: KeepOptions): Promise<Postgres> {
  const { database_url: url, database_direct_url, database_prepared: isPrepared } = config
  if (url === undefined) {
    const options = { dataDir: config.data_dir, random: systemRandom, ...(keep && { keep }) }
    const { url: embedded, stop } = await openEmbeddedPostgres(options)
    return { url: embedded, direct_url: embedded, pooler: undefined, stop }
  }
  const isPooled = database_direct_url !== undefined || !isPrepared
  const pooler = isPooled ? { isPrepared } : undefined
  return { url, direct_url: database_direct_url ?? url, pooler, stop: async () => {} }
}

/**
 * Opens the database of the settings. Migrates it for a server, and if it is empty or embedded. Other commands do not migrate,
 * because servers of a previous version might still be using the database.
 */
export async function setUp(config: Config, { role, ...bounds }: SetupOptions = {}): Promise<Setup> {
  const isServer = role !== undefined
  const self = { process_id: newProcessId(systemRandom), role: role ?? 'operator', host: hostname(), pid: process.pid }
  const log = createLog(config.log_level, standardError(config.log_format))
  const postgres = await openPostgres(config, isServer ? keepTelling(log) : undefined)
  const bringUp = isServer || config.database_url === undefined ? migrateToLatest : migrateIfEmpty
  try {
    const { applied } = await bringUp(postgres.direct_url)
    if (applied.length > 0) await distributeNewFunctions(postgres.direct_url)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  const disk = new DiskRoom(systemClock)
  const database = openDatabase({
    ...bounds,
    url: postgres.url,
    pooler: postgres.pooler,
    poolSize: config.database_pool_size,
    standby: isServer ? standbyOf(config, log) : undefined,
    onDiskFull: () => disk.noteFull(),
    onIdleError: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const clock = new DatabaseClock(undefined, new Witnesses(self.host))
  let endKeeping: () => Promise<void> = async () => {}
  try {
    if (isServer) endKeeping = await keepTime(postgres, clock, { log, self })
    else await setByDatabase(database.pools.asyncCommit, clock, 1)
  } catch (error) {
    await database.close()
    await postgres.stop()
    throw error
  }
  return {
    deps: {
      database,
      clock,
      random: systemRandom,
      log,
      bounds: config.bounds,
    },
    clock,
    self,
    config,
    database_url: postgres.url,
    pooler: postgres.pooler,
    disk,
    listen_url: postgres.pooler && config.database_direct_url === undefined ? undefined : postgres.direct_url,
    close: async () => {
      await endKeeping()
      await database.close()
      await postgres.stop()
    },
  }
}

function keepTelling(log: Log): KeepOptions {
  return {
    onRestart: () => log.warn('the embedded database server stopped and was restarted'),
    onFault: (err) => log.error({ err }, 'the embedded database server stopped and could not be restarted'),
  }
}

function standbyOf({ database_replica_url, database_replica_lag_sec }: Config, log: Log): StandbyOptions | undefined {
  if (database_replica_url === undefined) return undefined
  return {
    url: database_replica_url,
    lag_ms: database_replica_lag_sec * 1000,
    clock: systemClock,
    onChange: (why) => {
      if (why) log.warn(why, 'the replica is not used for reads')
      else log.info('the replica is used for reads')
    },
  }
}

/** Command of the operator, and its subcommands. */
export class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name)
  }

  /** Runs `work` with the values of the arguments and with the options, and prints its result. */
  prints(work: (deps: Deps, ...given: never[]) => Promise<unknown>): this {
    return this.action((...given) => runCommand(this, (deps) => work(deps, ...(given as never[]))))
  }
}

/** Runs one operator command and prints its result as one JSON document. */
export async function runCommand(
  command: Command,
  work: (deps: Deps, config: Config) => Promise<unknown>,
): Promise<void> {
  const setup = await setUp(readSettings(command))
  try {
    const answer = await work(setup.deps, setup.config)
    process.stdout.write(`${JSON.stringify(answer ?? {}, null, 2)}\n`)
  } finally {
    await setup.close()
  }
}
