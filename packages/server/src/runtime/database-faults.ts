// What an error of a statement means for the work it was part of.

/** A connection could not be made. Keeps the message and code of the cause. */
export class Unreached extends Error {
  override readonly name = 'Unreached'
  readonly code: string | undefined

  constructor(cause: Error & { code?: string }) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** The code of a read-only server, which follows another one. */
export const READ_ONLY = '25006'
const CANCELED = '57014'
const DISK_FULL = '53100'

/**
 * Postgres undid the whole transaction, or never began it: it accepts no more, is shutting down, is no primary, or
 * ended the statement or transaction because of a timeout or a conflict.
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
  CANCELED, // statement timeout
  '55P03', // lock timeout
  '40P01', // deadlock
  '40001', // serialization failure
  '25P03', // idle in a transaction for too long
])
const CONNECT_TIMEOUT = 'timeout exceeded when trying to connect'

/** A pooler had no free connection: it uses one code for all its errors, and disconnects the client. */
const NOT_LENT =
  /^(query_wait_timeout|no more connections allowed|pgbouncer cannot connect to server|server login failed)/

/**
 * What the coordinator of a Citus cluster says while tables become distributed or come back, while shards move, and of a node that
 * it cannot reach: it began nothing, or undid it on every node. Citus itself causes the error about a column
 * definition list, for a subquery that joins distributed and local tables and selects no columns.
 */
const BETWEEN_LAYOUTS =
  /^(could not find valid entry for shard|relation (?:\S* )?is not distributed|direct joins between distributed and local tables|a column definition list is required for functions returning "record"|failure on connection marked as essential|connection to the remote node)/

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '25P03', READ_ONLY])
const BROKEN_LINE = /^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error))/

/** Whether nothing was done, so that the work may be retried. */
export function isUndone(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return (
    UNDONE.has(code) ||
    message === CONNECT_TIMEOUT ||
    NOT_LENT.test(message) ||
    BETWEEN_LAYOUTS.test(message) ||
    isUnreached(error)
  )
}

/** Whether the database has no disk space left. Nothing was done, and nothing will be until somebody frees space. */
export function isDiskFull(error: unknown): boolean {
  return partsOf(error).code === DISK_FULL
}

/** Faults of the server as a whole, or of the connection: any other statement would have failed as well. */
const RESOURCES = /^(53|57P0)/

/**
 * Whether the database could not be reached, or had no resources left for anybody: such an error says nothing about the
 * statement. All others, such as a lock timeout, concern the statement alone.
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

/** The pool wraps a connection timeout in its own message. */
function isUnreached(error: unknown): boolean {
  return error instanceof Unreached || (error instanceof Error && error.cause instanceof Unreached)
}

/** Whether the connection is unusable. Its last statement may have been executed, unless `isUndone`. */
export function isBroken(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return BROKEN.has(code) || code.startsWith('08') || BROKEN_LINE.test(message)
}

/** Whether a statement was ended because it took too long: nothing was done, and less of the same may well succeed. */
export function isTimedOut(error: unknown): boolean {
  return partsOf(error).code === CANCELED
}

/** Deadlock, serialization failure, lock timeout, a row that was deleted meanwhile. */
const CROSSED = new Set(['40P01', '40001', '55P03', '23503'])

/** Whether two transactions got in each other's way: nothing was done, and a retry may well succeed. */
export function isCrossed(error: unknown): boolean {
  return CROSSED.has(partsOf(error).code)
}

/** Two transactions waited for each other, or read what the other changed: Postgres ended this one, and a retry may well succeed. */
const ENDED_FOR_OTHERS = new Set(['40P01', '40001'])

/** Whether a transaction was undone because another one got in its way. Unlike a timeout, that is no sign of load. */
export function isEndedForOthers(error: unknown): boolean {
  return ENDED_FOR_OTHERS.has(partsOf(error).code)
}

/** What a standby has not replayed yet: tables, columns and functions of a newer schema. */
const UNKNOWN_THERE = new Set(['42P01', '42703', '42883'])

/**
 * Whether a read that failed at a standby is worth retrying at the primary. One that timed out would time out there,
 * too.
 */
export function isElsewhere(error: unknown): boolean {
  const { code } = partsOf(error)
  if (code === CANCELED) return false
  return UNKNOWN_THERE.has(code) || isUndone(error) || isBroken(error)
}

/** Whether the error is not the standby's fault: the read conflicted with replay, or needs what is not replayed yet. */
export function isUndoneByStandby(error: unknown): boolean {
  return isCrossed(error) || UNKNOWN_THERE.has(partsOf(error).code)
}

function partsOf(error: unknown): { code: string; message: string } {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : '' }
}
