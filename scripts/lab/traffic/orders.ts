// How a process that makes traffic can be told to behave, and what it reports.

/** How the agents behave. */
export interface Manner {
  /** Multiple of the uploads of real agents. */
  haste: number
  /** Connections of an agent at most. One, like real agents: a request waits for the answer before it. */
  lanes: number
  /** After this long without an answer, the connection is closed and the request given up. */
  patience_ms: number
  /** Requests that wait in an agent; further ones that fall due are never sent. */
  waiting: number
}

/** Manner of real agents. */
export const CALM: Manner = { haste: 1, lanes: 1, patience_ms: 30_000, waiting: 60 }

export type RequestKind = 'upload' | 'sync' | 'full sync' | 'status' | 'ping' | 'heartbeat'
export const KINDS: readonly RequestKind[] = ['upload', 'sync', 'full sync', 'status', 'ping', 'heartbeat']

/** Quantiles of durations, in milliseconds. */
export interface Quantiles {
  p50: number
  p99: number
  most: number
}

/** The outcomes of one kind of request in a window, with the time from the due time to the response of 200. */
export interface Tally extends Quantiles {
  due: number
  /** How many were answered with each status. */
  statuses: Record<number, number>
  /** Refusals with a Retry-After. */
  retry_after: number
  /** No answer: the connection broke. */
  broken: number
  /** No answer in time. */
  given_up: number
  /** Never sent, because too many waited. */
  dropped: number
}

export interface Window {
  seconds: number
  /** CPU time of the process. */
  cpu_sec: number
  /** Delay of due requests. In milliseconds. */
  late_p99: number
  tallies: Record<RequestKind, Tally>
  /** Number of acknowledged results. */
  results: number
  /** Requests that are due and not answered yet, at the window's end. */
  waiting: number
  connections: number
  /** Webhooks that came. */
  messages: number
  /** Time from sending the result that changes a check to its webhook. */
  alerts: Quantiles
}

/** The results of a tick whose upload was answered with 200: the tick's monitor, its number, and when it ran. */
export interface AcknowledgedTick {
  monitor_id: string
  number: number
  due: number
}
