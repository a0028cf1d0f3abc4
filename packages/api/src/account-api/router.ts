// Routes the account API with its ten operations. Verifies callers at the primary, and can read their data from a
// standby.
import { document } from '@dogwatch/contract/account'
import type { Deps } from '@dogwatch/domain/deps'
import { authenticateReader, type Reader } from '@dogwatch/domain/organisations/personal-tokens'
import { settleArrivals } from '@dogwatch/domain/results/arrivals'
import { openStandbyReads, type StandbyReads } from '@dogwatch/domain/standby-reads'
import { Router } from 'express'
import type { Admission } from '../admission.ts'
import { type Handlers, implement } from '../implement.ts'
import type { ContractDocument } from '../routes.ts'
import { slotOwnerOf } from '../shed.ts'
import type { AccountCallers, AccountContract } from './contract.ts'
import { type ExportBounds, ExportQueue, exportBoundsFor } from './export-queue.ts'
import { getArrivals } from './get-arrivals.ts'
import { getCheck } from './get-check.ts'
import { getChecks } from './get-checks.ts'
import { getExport } from './get-export.ts'
import { getHeartbeats } from './get-heartbeats.ts'
import { getMembers } from './get-members.ts'
import { getMonitors } from './get-monitors.ts'
import { getNotificationChannels } from './get-notification-channels.ts'
import { getResults } from './get-results.ts'
import { getSettings } from './get-settings.ts'

export const ACCOUNT_API = '/account-api/v1'

/** Limits of exports for a pool of eight connections. */
const EXPORTS = exportBoundsFor(8)

export interface AccountApiOptions {
  validateResponses?: boolean
  /** Stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Whether to omit limits per token, for tests and benchmarks of the code behind these limits. */
  unlimited?: boolean
  /** Limits of exports in progress. */
  exports?: ExportBounds
}

export function accountApi(
  deps: Deps,
  admission: Admission,
  { contract = document, unlimited = false, exports = EXPORTS, ...options }: AccountApiOptions = {},
): Router {
  const reading: StandbyReads = (read) => openStandbyReads(deps)(read)
  const queue = new ExportQueue(exports)
  const handlers: Handlers<AccountContract, AccountCallers> = {
    listChecks: (input) => reading((from) => getChecks(from, input)),
    getCheck: (input) => reading((from) => getCheck(from, input)),
    listResults: (input) => reading((from) => getResults(from, input)),
    // Advances the time before which no more results can arrive. Only the primary can do this. A standby that is read
    // may not know the new time yet, and its response then ends earlier.
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
  const security = { personalAccessToken: (token: string) => authenticateReader(deps, token) }
  const router = Router()
  const implementing = implement<AccountContract, AccountCallers>(contract, security, handlers, {
    ...options,
    bodyLimits: {},
    gates: {
      admission,
      prefix: ACCOUNT_API,
      surface: 'account-api',
      isUnlimited: unlimited,
      lanes: { exportAccount: 'export' },
      ownerOf: (caller) => slotOwnerOf(caller as Reader),
    },
  })
  router.use(implementing)
  return router
}
