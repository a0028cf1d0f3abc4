// Connects this package's client to its own API.

import type { Api } from './core/operation.ts'
import type { OperationName } from './core-types.ts'
import { operationOf } from './operations.ts'
import { VERSION } from './version.ts'

export const API: Api<OperationName> = {
  prefix: '/monitor-api/v1',
  userAgent: `dogwatch-monitor-sdk/${VERSION}`,
  operationOf,
}
