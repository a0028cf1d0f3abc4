// Routes the monitor API with its five operations.
import { document } from '@dogwatch/contract/monitor'
import type { Deps } from '@dogwatch/domain/deps'
import { authenticateEnrollment } from '@dogwatch/domain/monitors/authenticate'
import type { Caller } from '@dogwatch/domain/monitors/monitor'
import { Intake } from '@dogwatch/domain/results/intake'
import type { Metrics } from '@dogwatch/runtime/metrics'
import { Router } from 'express'
import type { Admission } from '../admission.ts'
import { type AskedRoute, type Handlers, implement } from '../implement.ts'
import { AGENT_BODY, RESULTS_BODY } from '../lanes.ts'
import type { ContractDocument } from '../routes.ts'
import { authenticateWaiting } from './authenticate.ts'
import type { MonitorCallers, MonitorContract } from './contract.ts'
import { getChecks } from './get-checks.ts'
import { getPing } from './get-ping.ts'
import { Holds, ownerOf } from './holds.ts'
import { postEnroll } from './post-enroll.ts'
import { postResults } from './post-results.ts'
import { postStatus } from './post-status.ts'

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
    syncChecks: (input) => getChecks(deps, input),
    enroll: (input) => postEnroll(deps, input),
    ping: (input) => getPing(deps, holds, input),
    uploadResults: (input) => postResults(deps, { metrics, intake }, input),
    reportStatus: (input) => postStatus(deps, input),
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
