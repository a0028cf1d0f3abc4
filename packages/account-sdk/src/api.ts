// Connects this package's client to its own API.

import type { Api } from '#core/operation'
import type { OperationName } from './core-types.ts'
import { operationOf } from './operations.ts'
import { VERSION } from './version.ts'

export const API: Api<OperationName> = {
  prefix: '/account-api/v1',
  userAgent: `dogwatch-account-sdk/${VERSION}`,
  operationOf,
}
