// Exports the public API of the package.

export {
  type EnrollOptions,
  MonitorClient,
  type MonitorClientOptions,
  type PingOptions,
  type SyncAnswer,
  type SyncOptions,
} from './client.ts'
export { type SyncCursor, syncCursor } from './cursor.ts'
export { ApiError, ConnectionError, DogwatchError, type RequestSummary, TimeoutError } from './core/errors.ts'
export type {
  Check,
  ChecksResponse,
  components,
  EnrollRequest,
  EnrollResponse,
  MonitorStatus,
  OkResponse,
  operations,
  paths,
  Result,
  ResultsRequest,
  ResultsResponse,
  RunReport,
  RunRequest,
} from './generated.ts'
export type { CallOptions, Clock, Fetch, Token } from './core/options.ts'
export type { ClientOptions, LogEvent, OperationName, PartialWorkError, UploadCounts } from './core-types.ts'
export type { UploadOptions } from './upload-options.ts'

import type { components } from './generated.ts'

/** The contract's schemas by name: `Schemas['Check']`. */
export type Schemas = components['schemas']
