// What an export must be, and the errors for one that is not. Loaded when asked.

import type { ConnectionError } from '#core/errors'
import type { ExportHeader } from './export-parts.ts'
import { isObject, isText } from '#core/operation'
import type { Unusable } from './unusable.ts'

export const CUT_SHORT = 'the export was cut short; request it again'

/** What to throw for a document that ended too early, or never was one. */
export function cutShort(unusable: Unusable, what?: string): ConnectionError {
  return unusable('/export', what === undefined ? CUT_SHORT : `${CUT_SHORT}: ${what}`)
}

/** What to throw for a whole document that is something else. */
export function notPromised(unusable: Unusable): ConnectionError {
  return unusable('/export', 'the response does not match the contract')
}

/** True for a parsed document, or its beginning, that holds what callers rely on beside the results. */
export function isHeader(answer: unknown): answer is ExportHeader {
  const lists = ['checks', 'monitors', 'heartbeats', 'notification_channels', 'members']
  return isObject(answer) && isText(answer.generated_at) && lists.every((name) => Array.isArray(answer[name]))
}
