// Tells the transport which operation a request belongs to. There is no table of them: each operation is a function of its own, so that
// a program carries only those that it uses.

import type { Operation } from './core-types.ts'

let sent: Operation | undefined

/** Runs `send`, whose request is of this operation. The transport asks for it before it waits for anything. */
export function sendAs<Result>(operation: Operation, send: () => Result): Result {
  sent = operation
  try {
    return send()
  } finally {
    sent = undefined
  }
}

/** The operation whose request is being sent. */
export function operationOf(method: string, path: string): Operation {
  if (!sent) throw new TypeError(`${method} ${path} was not sent by an operation`)
  return sent
}
