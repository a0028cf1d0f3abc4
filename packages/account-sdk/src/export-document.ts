// Validates an export, and makes the errors for an invalid one. Loaded on demand.

import type { ConnectionError } from '#core/errors'
import { isObject, isText } from '#core/operation'
import type { ExportHeader } from './export-parts.ts'
import type { Unusable } from './unusable.ts'

export const CUT_SHORT = 'the export was cut short; request it again'

/** Returns the error for a document that ended too early, or is not JSON. */
export function cutShort(unusable: Unusable, what?: string): ConnectionError {
  return unusable('/export', what === undefined ? CUT_SHORT : `${CUT_SHORT}: ${what}`)
}

/** Returns the error for a complete document that is not an export. */
export function notPromised(unusable: Unusable): ConnectionError {
  return unusable('/export', 'the response does not match the contract')
}

/** Whether the value contains all fields of an export that callers rely on, except the results. */
export function isHeader(answer: unknown): answer is ExportHeader {
  const lists = ['checks', 'monitors', 'heartbeats', 'notification_channels', 'members']
  return isObject(answer) && isText(answer.generated_at) && lists.every((name) => Array.isArray(answer[name]))
}
