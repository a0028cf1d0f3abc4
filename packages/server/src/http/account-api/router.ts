// The account API: ten routes, read top to bottom. Who calls is proved at the primary; what they read may come from a standby.
import { document } from '@dogwatch/contract/account'
import { Router } from 'express'
import type { Deps } from '../../domain/deps.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Limit, RateLimiter } from '../../domain/limits/spend.ts'
import { authenticateReader, type Reader } from '../../domain/organisations/personal-tokens.ts'
import { openReading, type Reading } from '../../domain/reading.ts'
import { settleArrivals } from '../../domain/results/arrivals.ts'
import { type Handlers, implement } from '../implement.ts'
import type { ContractDocument } from '../validate.ts'
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

const TOKEN_LIMIT: Limit = { name: 'token', per_sec: 5, burst: 20 }
const EXPORT_LIMIT: Limit = { name: 'export', per_sec: 1 / 60, burst: 2 }
/** Of all tokens of an organisation together. */
const ORG_EXPORT_LIMIT: Limit = { name: 'export-org', per_sec: 1 / 20, burst: 6 }
/** For a pool of eight connections. */
const EXPORTS = exportBoundsFor(8)

export interface AccountApiOptions {
  validateResponses?: boolean
  /** Instead of the published document: a stricter copy, for tests. */
  contract?: ContractDocument
  /** Instead of the limits by token: none, for tests and benchmarks of what is behind them. */
  unlimited?: boolean
  /** How many exports there may be at once. */
  exports?: ExportBounds
}

export function accountApi(
  deps: Deps,
  limiter: RateLimiter,
  { contract = document, unlimited = false, exports = EXPORTS, ...options }: AccountApiOptions = {},
): Router {
  const reading: Reading = (read) => openReading(deps)(read)
  const queue = new ExportQueue(exports)
  const handlers: Handlers<AccountContract, AccountCallers> = {
    listChecks: (input) => reading((from) => getChecks(from, input)),
    getCheck: (input) => reading((from) => getCheck(from, input)),
    listResults: (input) => reading((from) => getResults(from, input)),
    // How far results are settled is moved on at the primary, and told by wherever they are read.
    listArrivals: async (input) => {
      await settleArrivals(deps)
      return reading((from) => getArrivals(from, input))
    },
    exportAccount: (input) => getExport(deps, queue, input),
    listHeartbeats: (input) => reading((from) => getHeartbeats(from, input)),
    listMembers: (input) => reading((from) => getMembers(from, input)),
    listMonitors: (input) => reading((from) => getMonitors(from, input)),
    listNotificationChannels: (input) => reading((from) => getNotificationChannels(from, input)),
    getSettings: (input) => reading((from) => getSettings(from, input)),
  }
  const limit = async (operationId: string, caller: unknown): Promise<void> => {
    const { token_id, org_id } = caller as Reader
    const ofExport = [
      [EXPORT_LIMIT, token_id],
      [ORG_EXPORT_LIMIT, org_id],
    ] as const
    for (const [each, subject] of [
      [TOKEN_LIMIT, token_id] as const,
      ...(operationId === 'exportAccount' ? ofExport : []),
    ]) {
      const verdict = await limiter.spend(each, String(subject))
      if (verdict.kind === 'wait') {
        throw new DomainError('limited', 'rate limit exceeded', Math.max(1, Math.ceil(verdict.seconds)))
      }
    }
  }
  const security = { personalAccessToken: (token: string) => authenticateReader(deps, token) }
  const rest = { ...options, bodyLimits: {}, ...(!unlimited && { limit }) }
  const router = Router()
  router.use(implement<AccountContract, AccountCallers>(contract, security, handlers, rest))
  return router
}
