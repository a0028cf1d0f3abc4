// Declares how another process controls the traffic, and what the traffic reports.

/** Behaviour of the agents. */
export interface Manner {
  /** Number of uploads of an agent for each upload of a real agent in the same time. */
  haste: number
  /** Maximum number of connections of each agent. Real agents have one, so that a request waits for the previous response. */
  lanes: number
  /** Time without a response after which an agent closes the connection and gives the request up, in milliseconds. */
  patience_ms: number
  /** Maximum number of requests that wait in an agent. Further requests are dropped. */
  waiting: number
}

/** Behaviour of real agents. */
export const CALM: Manner = { haste: 1, lanes: 1, patience_ms: 30_000, waiting: 60 }

export const KINDS = ['upload', 'sync', 'full sync', 'status', 'heartbeat'] as const
export type RequestKind = (typeof KINDS)[number]

/** Quantiles of durations, in milliseconds. */
export interface Quantiles {
  p50: number
  p99: number
  most: number
}

/**
 * Outcomes of one kind of request in a window. The quantiles are of the time from when a request was due to its response of 200.
 */
export interface Tally extends Quantiles {
  due: number
  /** Number of responses by their status. */
  statuses: Record<number, number>
  /** Number of refusals with a Retry-After header. */
  retry_after: number
  /** Number of requests without a response because the connection broke. */
  broken: number
  /** Number of requests without a response in time. */
  given_up: number
  /** Number of requests that were never sent, because too many waited. */
  dropped: number
}

export interface Window {
  seconds: number
  /** Delay between the due time of requests and their handling by the generator, 99th percentile, in milliseconds. */
  late_p99: number
  tallies: Record<RequestKind, Tally>
  /** Number of results that the server acknowledged. */
  results: number
  /** Number of due requests that have no response at the window's end. */
  waiting: number
  /** Number of webhooks that arrived. */
  messages: number
  /** Time from sending the result that changes a check's state to its webhook. */
  alerts: Quantiles
}

/** A tick of a monitor whose results the server acknowledged: the monitor, the number of the tick, and its time. */
export interface AcknowledgedTick {
  monitor_id: string
  number: number
  due: number
}
