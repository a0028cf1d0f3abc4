// Describes each operation to the client: its name, whether it may be repeated, and how to recognise a success.

import { isObject, isText } from './core/operation.ts'
import type { Operation } from './core-types.ts'

/** Every operation, by method and path. */
const OPERATIONS = new Map(
  Object.entries<Operation>({
    'GET /checks': {
      name: 'syncChecks',
      repeatable: true,
      isAnswer: (answer) => isObject(answer) && Array.isArray(answer.checks) && isText(answer.server_time),
    },
    // A second enrollment makes a second monitor, and a key in a lost response is lost.
    'POST /enroll': {
      name: 'enroll',
      repeatable: false,
      isAnswer: (answer) => isObject(answer) && isText(answer.api_key) && isText(answer.monitor_id),
    },
    'GET /ping': { name: 'ping', repeatable: true, isAnswer: isObject },
    'POST /results': {
      name: 'uploadResults',
      repeatable: true,
      isAnswer: (answer) => isObject(answer) && Number.isInteger(answer.accepted),
    },
    'POST /status': { name: 'reportStatus', repeatable: true, isAnswer: isObject },
  }),
)

/** Returns the operation for a method and a path of the contract. Throws if there is none. */
export function operationOf(method: string, path: string): Operation {
  const operation = OPERATIONS.get(`${method} ${path}`)
  if (!operation) throw new TypeError(`the API has no operation ${method} ${path}`)
  return operation
}
