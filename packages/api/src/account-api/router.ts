// Handles the ten operations of the account API. Verifies callers at the primary, and can read their data from a standby.
import { document } from '@dogwatch/contract/account'
import { readChannels } from '@dogwatch/domain/channels/edit'
import { readChecksWithStates, readCheckWithState, readResults } from '@dogwatch/domain/checks/read'
import type { Deps } from '@dogwatch/domain/deps'
import { readHeartbeats } from '@dogwatch/domain/heartbeats/read'
import { readVisibleMonitors } from '@dogwatch/domain/monitors/read'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import { readMembers } from '@dogwatch/domain/organisations/members'
import { authenticateReader, type Reader } from '@dogwatch/domain/organisations/personal-tokens'
import { readArrivals, settleArrivals } from '@dogwatch/domain/results/arrivals'
import { openStandbyReads, type StandbyReads } from '@dogwatch/domain/standby-reads'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import { Router } from 'express'
import type { Admission } from '../admission.ts'
import { type Handlers, implement } from '../implement.ts'
import type { ContractDocument } from '../routes.ts'
import { slotOwnerOf } from '../shed.ts'
import type { AccountCallers, AccountContract } from './contract.ts'
import { type ExportBounds, ExportQueue, exportBoundsFor } from './export-queue.ts'
import { getExport } from './get-export.ts'
import { toAccountCheck, toChannel, toHeartbeat, toMember, toMonitor, toResult, toSettings } from './wire.ts'

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
    listChecks: ({ caller, reply }) =>
      reading(async (from) => {
        const checks = await readChecksWithStates(from, caller.org_id)
        return reply(
          200,
          lazyList(checks, ({ check, state }) => toAccountCheck(check, state)),
        )
      }),
    getCheck: ({ caller, path, reply }) =>
      reading(async (from) => {
        const { check, state } = await readCheckWithState(from, caller.org_id, path.guid)
        return reply(200, toAccountCheck(check, state))
      }),
    listResults: ({ caller, path, query, reply }) =>
      reading(async (from) => {
        const rows = await readResults(from, caller.org_id, path.guid, query)
        const last = rows.at(-1)
        const next = last && { after: last.ran_at, after_monitor: last.monitor_id }
        return reply(200, { results: rows.map(toResult), ...(next && { next }) })
      }),
    // Advances the time before which no more results can arrive. Only the primary can do this. A standby that is read
    // may not know the new time yet, and its response then ends earlier.
    listArrivals: async ({ caller, path, query, reply }) => {
      await settleArrivals(deps)
      return reading(async (from) => {
        const { results, cursor } = await readArrivals(from, caller.org_id, path.guid, query)
        return reply(200, { results: results.map(toResult), cursor })
      })
    },
    exportAccount: (input) => getExport(deps, queue, input),
    listHeartbeats: ({ caller, reply }) =>
      reading(async (from) => reply(200, (await readHeartbeats(from, caller.org_id)).map(toHeartbeat))),
    listMembers: ({ caller, reply }) =>
      reading(async (from) => reply(200, (await readMembers(from, caller.org_id)).map(toMember))),
    listMonitors: ({ caller, reply }) =>
      reading(async (from) => reply(200, (await readVisibleMonitors(from, caller.org_id)).map(toMonitor))),
    listNotificationChannels: ({ caller, reply }) =>
      reading(async (from) => reply(200, (await readChannels(from, caller.org_id)).map(toChannel))),
    getSettings: ({ caller, reply }) =>
      reading(async (from) => reply(200, toSettings(await readSettings(from, caller.org_id)))),
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
