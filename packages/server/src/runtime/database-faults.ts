// What a statement's failure says of the work it was part of.

/** No connection came about. Keeps the line and the code of what stood in the way. */
export class Unreached extends Error {
  override readonly name = 'Unreached'
  readonly code: string | undefined

  constructor(cause: Error & { code?: string }) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** What a server says of itself that follows another one: it takes no changes. */
export const READ_ONLY = '25006'
const CANCELED = '57014'
const DISK_FULL = '53100'

/**
 * Postgres undid the whole transaction, or never began it: it takes no more, shuts down, is no primary, or ended the statement or
 * the transaction for its time or for another's sake.
 */
const UNDONE = new Set([
  READ_ONLY,
  '53000', // some resource is used up
  DISK_FULL,
  '53200', // out of memory
  '53300', // too many connections
  '53400', // a limit of its configuration
  '57P03', // cannot connect now
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  CANCELED, // for its time
  '55P03', // a lock was not to be had in time
  '40P01', // deadlock
  '40001', // serialization failure
  '25P03', // idle in a transaction for too long
])
const CONNECT_TIMEOUT = 'timeout exceeded when trying to connect'

/** A pooler had no connection to lend: it has one code for all that it says, and ends the client with it. */
const NOT_LENT =
  /^(query_wait_timeout|no more connections allowed|pgbouncer cannot connect to server|server login failed)/

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '25P03', READ_ONLY])
const BROKEN_LINE = /^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error))/

/** Whether nothing was done, so that whatever it was may be tried again. */
export function isUndone(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return UNDONE.has(code) || message === CONNECT_TIMEOUT || NOT_LENT.test(message) || isUnreached(error)
}

/** Whether the database has no room left on its disk. Nothing was done, and nothing will be until somebody makes room. */
export function isDiskFull(error: unknown): boolean {
  return partsOf(error).code === DISK_FULL
}

/** Of the server as a whole, or of the connection: whatever else had been asked would have failed as well. */
const RESOURCES = /^(53|57P0)/

/**
 * Whether the database could not be reached, or had nothing left for anybody: such a failure says nothing of what was asked.
 * All others, such as a lock that was not to be had in time, concern what was asked alone.
 */
export function isOutOfReach(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return (
    RESOURCES.test(code) ||
    message === CONNECT_TIMEOUT ||
    NOT_LENT.test(message) ||
    isUnreached(error) ||
    isBroken(error)
  )
}

/** The pool puts its own line around a connection that took too long. */
function isUnreached(error: unknown): boolean {
  return error instanceof Unreached || (error instanceof Error && error.cause instanceof Unreached)
}

/** Whether the connection is of no use any more. What was asked of it last may have been done, unless `isUndone`. */
export function isBroken(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return BROKEN.has(code) || code.startsWith('08') || BROKEN_LINE.test(message)
}

/** Deadlock, serialization failure, a lock that was not to be had, a row that went away meanwhile. */
const CROSSED = new Set(['40P01', '40001', '55P03', '23503'])

/** Whether two got in each other's way: nothing was done, and the next time it may well go through. */
export function isCrossed(error: unknown): boolean {
  return CROSSED.has(partsOf(error).code)
}

/** Of what a standby has not heard of yet: tables, columns and functions of a newer schema. */
const UNKNOWN_THERE = new Set(['42P01', '42703', '42883'])

/** Whether a read that failed at a standby is worth another try at the primary. One that took too long would do so there. */
export function isElsewhere(error: unknown): boolean {
  const { code } = partsOf(error)
  if (code === CANCELED) return false
  return UNKNOWN_THERE.has(code) || isUndone(error) || isBroken(error)
}

/** Whether it says nothing against the standby: it had to replay what the read stood in the way of, or lacks what is new. */
export function isUndoneByStandby(error: unknown): boolean {
  return isCrossed(error) || UNKNOWN_THERE.has(partsOf(error).code)
}

function partsOf(error: unknown): { code: string; message: string } {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : '' }
}
