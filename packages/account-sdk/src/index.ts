// Exports the public API of the package.

export { AccountClient, type AccountClientOptions, cursorAfter } from './client.ts'
export { ApiError, ConnectionError, DogwatchError, type RequestSummary, TimeoutError } from '#core/errors'
export type { ExportedResult, ExportedResults, ExportHeader, ExportStream } from './export-parts.ts'
export type {
  AccountExport,
  AccountSettings,
  Check,
  CheckArrivalsPage,
  CheckResultsPage,
  components,
  Entitlements,
  Heartbeat,
  Member,
  Monitor,
  NotificationChannel,
  operations,
  PlanUsage,
  paths,
  Result,
  ResultsCursor,
} from './generated.ts'
export type { CallOptions, Clock, Fetch, Token } from '#core/options'
export type { ClientOptions, LogEvent, OperationName, PartialWorkError } from './core-types.ts'
export type { ArrivalsPage, FollowOptions, ResultsOptions, ResultsPage } from './results.ts'

import type { components } from './generated.ts'

/** The contract's schemas by name: `Schemas['Check']`. */
export type Schemas = components['schemas']
