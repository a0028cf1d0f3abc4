// Describes each operation to the client: its name, whether it may be repeated, and how to recognise a success.

import type { Operation, OperationName } from './core-types.ts'

/** Every operation by path, with the required field of its response. Without a field, the response is a list. */
const OPERATIONS = new Map<string, readonly [name: OperationName, field?: string]>([
  ['/checks', ['listChecks']],
  ['/checks/{guid}', ['getCheck', 'guid']],
  ['/checks/{guid}/results', ['listResults', 'results']],
  ['/checks/{guid}/arrivals', ['listArrivals', 'results']],
  ['/export', ['exportAccount', 'results']],
  ['/heartbeats', ['listHeartbeats']],
  ['/members', ['listMembers']],
  ['/monitors', ['listMonitors']],
  ['/notification-channels', ['listNotificationChannels']],
  ['/settings', ['getSettings', 'plan_usage']],
])

/** Returns the operation for a method and a path of the contract. Throws if there is none. */
export function operationOf(method: string, path: string): Operation {
  const [name, field] = OPERATIONS.get(path.replace(/^\/checks\/[^/]+/, '/checks/{guid}')) ?? []
  if (method !== 'GET' || !name) throw new TypeError(`no operation ${method} ${path}`)
  const isAnswer = (answer: unknown) => (field ? field in Object(answer) : Array.isArray(answer))
  // All operations are reads, which may be repeated.
  return { name, repeatable: true, isAnswer }
}
