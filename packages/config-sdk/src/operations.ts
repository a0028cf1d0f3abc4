// Tells the transport the operation of a request. There is no table of operations: each one is a separate function, so that a
// program contains only those that it uses.

import type { Operation } from './core-types.ts'

let sent: Operation | undefined

/** Runs `send` for a request of this operation. The transport must look up the operation before it waits for anything. */
export function sendAs<Result>(operation: Operation, send: () => Result): Result {
  sent = operation
  try {
    return send()
  } finally {
    sent = undefined
  }
}

/** Returns the operation of the request that is being sent. */
export function operationOf(method: string, path: string): Operation {
  if (!sent) throw new TypeError(`${method} ${path} was not sent by an operation`)
  return sent
}
