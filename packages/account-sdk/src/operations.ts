// What the client knows about each operation: its name, whether it may be repeated, what a success looks like.

import type { Operation, OperationName } from './core-types.ts'

/** Every operation by path, with the field that its answer must have. Without one the answer is a list. */
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

/** The operation behind a method and a path of the contract. Throws when there is none. */
export function operationOf(method: string, path: string): Operation {
  const [name, field] = OPERATIONS.get(path.replace(/^\/checks\/[^/]+/, '/checks/{guid}')) ?? []
  if (method !== 'GET' || !name) throw new TypeError(`no operation ${method} ${path}`)
  const isAnswer = (answer: unknown) => (field ? field in Object(answer) : Array.isArray(answer))
  // All of them are reads: doing one twice does no harm.
  return { name, repeatable: true, isAnswer }
}
