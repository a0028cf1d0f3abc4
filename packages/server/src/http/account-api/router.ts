// Routes the account API with its ten operations. Callers are verified at the primary. Their data can come from a
// standby.
import { document } from '@dogwatch/contract/account'
import { Router } from 'express'
import type { Deps } from '../../domain/deps.ts'
import { ACCOUNT_TOKEN, EXPORTS_OF_ORG, EXPORTS_OF_TOKEN } from '../../domain/limits/rates.ts'
import type { RateLimiter } from '../../domain/limits/spend.ts'
import { authenticateReader, type Reader } from '../../domain/organisations/personal-tokens.ts'
import { openStandbyReads, type StandbyReads } from '../../domain/standby-reads.ts'
import { settleArrivals } from '../../domain/results/arrivals.ts'
import { type Connection, type Handlers, implement } from '../implement.ts'
import { FairQueue, type Origin } from '../../runtime/fair-queue.ts'
import type { RouteParts } from '../parts.ts'
import { Places } from '../places.ts'
import type { ContractDocument } from '../routes.ts'
import type { AccountCallers, AccountContract } from './contract.ts'
import { getArrivals } from './get-arrivals.ts'
import { getCheck } from './get-check.ts'
import { getChecks } from './get-checks.ts'
import { type ExportBounds, exportBoundsFor, ExportQueue } from './export-queue.ts'
import { getExport } from './get-export.ts'
import { getHeartbeats } from './get-heartbeats.ts'
import { getMembers } from './get-members.ts'
import { getMonitors } from './get-monitors.ts'
import { getNotificationChannels } from './get-notification-channels.ts'
import { getResults } from './get-results.ts'
import { getSettings } from './get-settings.ts'

export const ACCOUNT_API = '/account-api/v1'

/** Limits for a pool of eight connections. */
const EXPORTS = exportBoundsFor(8)
const READS = readBoundsFor(8)

export interface AccountApiOptions {
  validateResponses?: boolean
  /** A stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Whether there are no limits per token, for tests and benchmarks of the code behind them. */
  unlimited?: boolean
  /** Limits of exports in progress. */
  exports?: ExportBounds
  /** Limits of other requests in progress. */
  reads?: ReadBounds
  /** Called for each request that is refused because its organisation has its share already. */
  onExcess?: () => void
  /** Receives the part of each route. */
  parts?: RouteParts | undefined
}

export interface ReadBounds {
  /** Maximum number of requests in progress, including those that wait for others. Organisations get fair shares. */
  places: number
  /** Maximum number of requests that are handled at once, in all and for one organisation. */
  at_once: number
  of_org: number
}

/**
 * Returns the limits for a pool size. The share of an organisation has room for the burst of one token, and leaves half of the
 * connections to others.
 */
export function readBoundsFor(pool_size: number): ReadBounds {
  return { places: 16 * pool_size, at_once: pool_size, of_org: Math.max(1, Math.floor(pool_size / 2)) }
}

function turnOf({ org_id }: Reader): Origin {
  return { group: String(org_id), client: String(org_id) }
}

export function accountApi(
  deps: Deps,
  limiter: RateLimiter,
  {
    contract = document,
    unlimited = false,
    exports = EXPORTS,
    reads = READS,
    onExcess = () => {},
    parts,
    ...options
  }: AccountApiOptions = {},
): Router {
  const reading: StandbyReads = (read) => openStandbyReads(deps)(read)
  const queue = new ExportQueue(exports)
  const places = new Places({ places: reads.places, of_caller: Infinity, onExcess })
  const turns = new FairQueue({ at_once: reads.at_once, of_client: reads.of_org })
  const inTurn = <T>(reader: Reader, read: (from: Deps) => Promise<T>): Promise<T> =>
    turns.run(turnOf(reader), () => reading(read))
  const handlers: Handlers<AccountContract, AccountCallers> = {
    listChecks: (input) => inTurn(input.caller, (from) => getChecks(from, input)),
    getCheck: (input) => inTurn(input.caller, (from) => getCheck(from, input)),
    listResults: (input) => inTurn(input.caller, (from) => getResults(from, input)),
    // Settling advances at the primary. The database that is read returns how far results are settled.
    listArrivals: (input) =>
      turns.run(turnOf(input.caller), async () => {
        await settleArrivals(deps)
        return reading((from) => getArrivals(from, input))
      }),
    exportAccount: (input) => getExport(deps, queue, input),
    listHeartbeats: (input) => inTurn(input.caller, (from) => getHeartbeats(from, input)),
    listMembers: (input) => inTurn(input.caller, (from) => getMembers(from, input)),
    listMonitors: (input) => inTurn(input.caller, (from) => getMonitors(from, input)),
    listNotificationChannels: (input) => inTurn(input.caller, (from) => getNotificationChannels(from, input)),
    getSettings: (input) => inTurn(input.caller, (from) => getSettings(from, input)),
  }
  const limit = async (operationId: string, caller: unknown, connection: Connection): Promise<void> => {
    const { token_id, org_id } = caller as Reader
    const ofExport = [
      [EXPORTS_OF_TOKEN, token_id],
      [EXPORTS_OF_ORG, org_id],
    ] as const
    for (const [each, subject] of [
      [ACCOUNT_TOKEN, token_id] as const,
      ...(operationId === 'exportAccount' ? ofExport : []),
    ]) {
      await limiter.require(each, String(subject))
    }
    // Exports have their own queue.
    if (operationId !== 'exportAccount') places.take({ caller: String(token_id), owner: String(org_id) }, connection)
  }
  const security = { personalAccessToken: (token: string) => authenticateReader(deps, token) }
  const gates = { bodyLimits: {}, parts: { exportAccount: 'export' } as const, ...(!unlimited && { limit }) }
  const mount = parts && { surface: 'account-api' as const, prefix: ACCOUNT_API, parts }
  const rest = { ...options, ...gates, ...(mount && { mount }) }
  const router = Router()
  router.use(implement<AccountContract, AccountCallers>(contract, security, handlers, rest))
  return router
}
