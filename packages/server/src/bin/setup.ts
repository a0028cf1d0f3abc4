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
import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { keepTime } from './keep-time.ts'

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Command-line flags of all settings, such as `--database-url` for DATABASE_URL. A flag overrides its environment variable. */
const FLAGS = {
  PORT: '--port <port>',
  HOST: '--host <address>',
  DATABASE_URL: '--database-url <url>',
  DATABASE_DIRECT_URL: '--database-direct-url <url>',
  DATABASE_REPLICA_URL: '--database-replica-url <url>',
  DATABASE_REPLICA_LAG_SEC: '--database-replica-lag-sec <seconds>',
  DATABASE_PREPARED: '--database-prepared <on|off>',
  DATABASE_POOL_SIZE: '--database-pool-size <connections>',
  DOGWATCH_DATA_DIR: '--data-dir <path>',
  PUBLIC_URL: '--public-url <url>',
  TRUST_PROXY: '--trust-proxy <ranges>',
  ADDRESS_RATE_LIMIT: '--address-rate-limit <limit>',
  ADDRESS_CONNECTIONS: '--address-connections <count>',
  ALERTS_OF_CHANNEL: '--alerts-of-channel <budget>',
  ALERTS_OF_ORG: '--alerts-of-org <budget>',
  ALERTS_OF_ORG_BY_NTFY: '--alerts-of-org-by-ntfy <budget>',
  ALERTS_TO_MAILBOX: '--alerts-to-mailbox <budget>',
  EGRESS_ALLOW: '--egress-allow <ranges>',
  SMTP_URL: '--smtp-url <url>',
  MAIL_FROM: '--mail-from <address>',
  SMTP_CLEARTEXT_LOGIN: '--smtp-cleartext-login <on|off>',
  NTFY_URL: '--ntfy-url <url>',
  CORS_ORIGINS: '--cors-origins <origins>',
  LOG_LEVEL: '--log-level <level>',
  LOG_FORMAT: '--log-format <json|text>',
  METRICS_PORT: '--metrics-port <port>',
  METRICS_HOST: '--metrics-host <address>',
  DRAIN_SEC: '--drain-sec <seconds>',
  SIGN_UP: '--sign-up <open|invited|closed>',
  DEFAULT_PLAN: '--default-plan <plan>',
  LOCAL_MONITOR: '--local-monitor <on|off>',
  AGENT_ARCHIVES: '--agent-archives <folder>',
  OIDC_ISSUER: '--oidc-issuer <url>',
  OIDC_CLIENT_ID: '--oidc-client-id <id>',
  OIDC_CLIENT_SECRET: '--oidc-client-secret <secret>',
  OIDC_NAME: '--oidc-name <name>',
  OIDC_ALLOWED_DOMAINS: '--oidc-allowed-domains <domains>',
  OIDC_REQUIRED_GROUPS: '--oidc-required-groups <groups>',
  OIDC_GROUPS_CLAIM: '--oidc-groups-claim <claim>',
  API_TOKENS_PER_ORG: '--api-tokens-per-org <count>',
  API_TOKENS_PER_PERSON: '--api-tokens-per-person <count>',
  RESULTS_BEYOND: '--results-beyond <count>',
  MONITORS_PER_PLAN: '--monitors-per-plan <counts>',
} as const
export const EVERYWHERE = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_PREPARED',
  'DOGWATCH_DATA_DIR',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const

export function withSettings<Some extends Command>(
  command: Some,
  which: readonly (keyof typeof FLAGS)[] = EVERYWHERE,
): Some {
  for (const name of which) command.option(FLAGS[name], `overrides ${name}`)
  return command
}

export const ALL_SETTINGS = Object.keys(FLAGS) as (keyof typeof FLAGS)[]

export function readSettings(command: Command): Config {
  const options = command.opts<Record<string, string | undefined>>()
  const given = Object.entries(FLAGS).map(([name, flag]) => [name, options[optionName(flag)] ?? process.env[name]])
  return readConfig(Object.fromEntries(given) as Record<string, string | undefined>, `${PROJECT_ROOT}.dogwatch`)
}

/** Returns Commander's name for an option, such as `dataDir` for `--data-dir <path>`. */
function optionName(flag: string): string {
  return flag.replace(/^--| <.*$/gs, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
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
  prints<Given extends unknown[]>(work: (deps: Deps, ...given: Given) => Promise<unknown>): this {
    return this.action((...given) => runCommand(this, (deps) => work(deps, ...(given as Given))))
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
