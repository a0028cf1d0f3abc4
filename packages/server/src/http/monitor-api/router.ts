// Routes the monitor API with its five operations.
import { document } from '@dogwatch/contract/monitor'
import { Router } from 'express'
import type { Deps } from '../../domain/deps.ts'
import { authenticateEnrollment } from '../../domain/monitors/authenticate.ts'
import type { Caller } from '../../domain/monitors/monitor.ts'
import { Intake } from '../../domain/results/intake.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { type AskedRoute, type Connection, type Handlers, implement } from '../implement.ts'
import { FairQueue } from '../../runtime/fair-queue.ts'
import type { RouteParts } from '../parts.ts'
import type { ContractDocument } from '../routes.ts'
import type { MonitorCallers, MonitorContract } from './contract.ts'
import { getChecks } from './get-checks.ts'
import { authenticateWaiting, getPing } from './get-ping.ts'
import { Holds } from './holds.ts'
import { postEnroll } from './post-enroll.ts'
import { postResults } from './post-results.ts'
import { postStatus } from './post-status.ts'
import { type UploadBounds, turnOf, uploadBoundsFor, Uploads } from './uploads.ts'

export const MONITOR_API = '/monitor-api/v1'

const SMALL_BODY = { bytes: 16 * 1024, status: 400 } as const
const RESULTS_BODY = { bytes: 1024 * 1024, status: 413 } as const
/** Maximum number of syncs at once, in all and for one organisation, because a large set of checks takes a while to write. */
const SYNCS = { at_once: 8, of_client: 2 }
/** Limits for a pool of eight connections. */
const UPLOADS = uploadBoundsFor(8)

export interface MonitorApiOptions {
  validateResponses?: boolean
  /** Whether requests are validated. Only a measurement of the cost sets it to false. */
  validateRequests?: boolean
  /** A stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Limits of uploads in progress. */
  uploads?: UploadBounds
  /** Holds for requests that wait for news. */
  holds?: Holds
  /** Receives the part of each route. */
  parts?: RouteParts | undefined
}

export function monitorApi(
  deps: Deps,
  metrics: Metrics,
  { contract = document, uploads: bounds = UPLOADS, holds = new Holds(), parts, ...options }: MonitorApiOptions = {},
): Router {
  const intake = new Intake(deps)
  const uploads = new Uploads(bounds, () => metrics.limited.inc({ limit: 'uploads' }))
  const syncs = new FairQueue(SYNCS)
  const security = {
    monitorKey: (key: string, _address: string, asked: AskedRoute) => authenticateWaiting(deps, holds, key, asked),
    enrollmentToken: (token: string) => authenticateEnrollment(deps, token),
  }
  const handlers: Handlers<MonitorContract, MonitorCallers> = {
    syncChecks: (input) => syncs.run(turnOf(input.caller), () => getChecks(deps, input)),
    enroll: (input) => postEnroll(deps, input),
    ping: (input) => getPing(deps, holds, input),
    uploadResults: (input) =>
      uploads.store(input.caller, input.connection, () => postResults(deps, { metrics, intake }, input)),
    reportStatus: (input) => postStatus(deps, input),
  }
  const limit = async (operationId: string, caller: unknown, connection: Connection): Promise<void> => {
    if (operationId === 'uploadResults') uploads.take(caller as Caller, connection)
  }
  const bodyLimits = { enroll: SMALL_BODY, uploadResults: RESULTS_BODY, reportStatus: SMALL_BODY }
  const router = Router()
  // The response contains the API key.
  router.use('/enroll', (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store')
    next()
  })
  const gates = { bodyLimits, limit, parts: { uploadResults: 'uploads' } as const }
  const mount = parts && { surface: 'monitor-api' as const, prefix: MONITOR_API, parts }
  const rest = { ...options, ...gates, ...(mount && { mount }) }
  router.use(implement<MonitorContract, MonitorCallers>(contract, security, handlers, rest))
  return router
}
