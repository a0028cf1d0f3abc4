// Decides what an error of a statement means for the transaction or job that the statement is part of.

/** A failure to connect. Keeps the message and code of the cause. */
export class UnreachableDatabase extends Error {
  override readonly name = 'UnreachableDatabase'
  readonly code: string | undefined

  constructor(cause: Error & { code?: string }) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** Error code of a server that is read-only, because it follows another server. */
export const READ_ONLY = '25006'
const CANCELED = '57014'
const DISK_FULL = '53100'

/**
 * Codes of errors that leave nothing of the transaction: Postgres accepts no more connections, is shutting down, is no primary, or
 * ended the statement or transaction because of a timeout or conflict.
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

/**
 * Messages of a pooler without a free connection. A pooler has the same code for all its errors, and disconnects the client.
 */
const NOT_LENT =
  /^(query_wait_timeout|no more connections allowed|pgbouncer cannot connect to server|server login failed)/

/**
 * Messages of a Citus coordinator while tables change their layout, shards move, or a node is unreachable. No node changed
 * anything. The text about column definitions is a fault of Citus with subqueries that join both kinds of table.
 */
const BETWEEN_LAYOUTS =
  /^(could not find valid entry for shard|relation (?:\S* )?is not distributed|direct joins between distributed and local tables|a column definition list is required for functions returning "record"|failure on connection marked as essential|connection to the remote node)/

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '25P03', READ_ONLY])
const BROKEN_LINE = /^(Connection terminated|Query read timeout|Client (was closed|has encountered a connection error))/

/** Whether a failed statement left no change behind, so that the caller can retry its work. */
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

/**
 * Whether the database has no disk space left. The statement changed nothing, and will not succeed until an operator frees space.
 */
export function isDiskFull(error: unknown): boolean {
  return partsOf(error).code === DISK_FULL
}

/** Codes of faults of the whole server or of the connection, which do not depend on the statement. */
const RESOURCES = /^(53|57P0)/

/**
 * Whether the database could not be reached, or had no resources left for any client. Such an error does not depend on the
 * statement, unlike all others, such as a lock timeout.
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

/** Whether an error says that no connection could be opened. The pool has a message of its own for a timeout. */
function isUnreached(error: unknown): boolean {
  return error instanceof UnreachableDatabase || (error instanceof Error && error.cause instanceof UnreachableDatabase)
}

/**
 * Whether an error makes its connection unusable. The last statement might have been executed, unless {@link isUndone} returns
 * true.
 */
export function isBroken(error: unknown): boolean {
  const { code, message } = partsOf(error)
  return BROKEN.has(code) || code.startsWith('08') || BROKEN_LINE.test(message)
}

/** Whether a statement was ended because it took too long. It changed nothing, and a smaller one can succeed. */
export function isTimedOut(error: unknown): boolean {
  return partsOf(error).code === CANCELED
}

/** Codes of a deadlock, a serialization failure, a lock timeout, and a row that was deleted in the meantime. */
const CROSSED = new Set(['40P01', '40001', '55P03', '23503'])

/** Whether a transaction failed because of another one. It changed nothing, and a retry can succeed. */
export function isCrossed(error: unknown): boolean {
  return CROSSED.has(partsOf(error).code)
}

/**
 * Codes of a transaction that Postgres ended because of another one: both waited for each other, or read what the other changed.
 * A retry can succeed.
 */
const ENDED_FOR_OTHERS = new Set(['40P01', '40001'])

/** Whether Postgres undid a transaction because of another one. Unlike a timeout, that is no sign of load. */
export function isEndedForOthers(error: unknown): boolean {
  return ENDED_FOR_OTHERS.has(partsOf(error).code)
}

/** Codes for objects that a standby has not replayed yet: tables, columns and functions of a newer schema. */
const UNKNOWN_THERE = new Set(['42P01', '42703', '42883'])

/**
 * Whether a read that failed at a standby can succeed at the primary. Returns false for a timeout, which would also happen there.
 */
export function isElsewhere(error: unknown): boolean {
  const { code } = partsOf(error)
  if (code === CANCELED) return false
  return UNKNOWN_THERE.has(code) || isUndone(error) || isBroken(error)
}

/**
 * Whether a read failed at a standby that works: the read conflicted with replay, or needs tables that are not replayed yet.
 */
export function isUndoneByStandby(error: unknown): boolean {
  return isCrossed(error) || UNKNOWN_THERE.has(partsOf(error).code)
}

function partsOf(error: unknown): { code: string; message: string } {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : '' }
}
