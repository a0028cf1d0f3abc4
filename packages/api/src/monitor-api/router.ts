// Handles the five operations of the monitor API.
import { document } from '@dogwatch/contract/monitor'
import { hasAskedRuns } from '@dogwatch/domain/checks/asked-runs'
import { syncChecks } from '@dogwatch/domain/checks/sync'
import type { Deps } from '@dogwatch/domain/deps'
import { authenticateEnrollment } from '@dogwatch/domain/monitors/authenticate'
import { enroll } from '@dogwatch/domain/monitors/enroll'
import { type Caller, classOf } from '@dogwatch/domain/monitors/monitor'
import { reportStatus } from '@dogwatch/domain/monitors/report-status'
import { Intake } from '@dogwatch/domain/results/intake'
import type { Metrics } from '@dogwatch/runtime/metrics'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import { Router } from 'express'
import type { Admission } from '../admission.ts'
import { type AskedRoute, type Handlers, implement } from '../implement.ts'
import { AGENT_BODY, RESULTS_BODY } from '../lanes.ts'
import type { ContractDocument } from '../routes.ts'
import { authenticateWaiting } from './authenticate.ts'
import type { MonitorCallers, MonitorContract } from './contract.ts'
import { HOLD_SEC, Holds, ownerOf } from './holds.ts'
import { postResults } from './post-results.ts'
import { toChecksResponse } from './wire.ts'

export const MONITOR_API = '/monitor-api/v1'

export interface MonitorApiOptions {
  validateResponses?: boolean
  /** Stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Holds for requests that wait until there is something to sync. */
  holds?: Holds
}

export function monitorApi(
  deps: Deps,
  admission: Admission,
  metrics: Metrics,
  { contract = document, holds = new Holds(), ...options }: MonitorApiOptions = {},
): Router {
  const intake = new Intake(deps)
  const security = {
    monitorKey: (key: string, _address: string, asked: AskedRoute) => authenticateWaiting(deps, holds, key, asked),
    enrollmentToken: (token: string) => authenticateEnrollment(deps, token),
  }
  const handlers: Handlers<MonitorContract, MonitorCallers> = {
    syncChecks: async ({ caller, query, reply }) => {
      const since = query.since === undefined ? undefined : toMicroseconds(query.since)
      return reply(200, toChecksResponse(await syncChecks(deps, caller, since), classOf(caller)))
    },
    enroll: async ({ body, caller, reply }) => {
      const { api_key, monitor_id } = await enroll(deps, caller, body)
      return reply(200, { api_key, monitor_id, class: classOf(caller) })
    },
    ping: async ({ caller, query, connection, reply }) => {
      const wait_sec = Math.min(query.wait_sec ?? 0, HOLD_SEC)
      if (wait_sec <= 0) return reply(200, { status: 'ok' })
      const rung = holds.wait(caller, wait_sec * 1000, connection.closed())
      // Looks for earlier requests, because a run that was requested before the hold began causes no further event.
      const isAsked = await hasAskedRuns(deps, caller)
      if (isAsked) holds.answer(caller.id)
      if (rung) connection.rest()
      return reply(200, { status: 'ok', ...((isAsked || (await rung)) && { sync: true }) })
    },
    uploadResults: (input) => postResults(deps, { metrics, intake }, input),
    reportStatus: async ({ body, caller, reply }) => {
      await reportStatus(deps, caller, body)
      return reply(200, { status: 'ok' })
    },
  }
  const router = Router()
  // Not cached, because the response contains the API key.
  router.use('/enroll', (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store')
    next()
  })
  const implementing = implement<MonitorContract, MonitorCallers>(contract, security, handlers, {
    ...options,
    bodyLimits: { enroll: AGENT_BODY, uploadResults: RESULTS_BODY, reportStatus: AGENT_BODY },
    gates: {
      admission,
      prefix: MONITOR_API,
      surface: 'monitor-api',
      lanes: { uploadResults: 'uploads', syncChecks: 'sync' },
      ownerOf: (caller) => ({ caller: (caller as Caller).id, owner: ownerOf(caller as Caller) }),
    },
  })
  router.use(implementing)
  return router
}
