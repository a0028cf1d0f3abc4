// The messages to and from a process that makes traffic.
import type { Unit } from './units.ts'

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

export type Order =
  | { do: 'take on'; units: Unit[] }
  /** From now on this many units send, to this port; others are silent. */
  | { do: 'drive'; port: number; units: number; manner: Manner }
  /** Jobs ping these paths, all of them once per period. */
  | { do: 'heartbeat'; port: number; paths: string[]; every_ms: number }
  /** This many connections are held open, each with a request now and then. */
  | { do: 'crowd'; port: number; count: number }
  /** Nothing more falls due, and waiting requests are dropped; those in progress finish. */
  | { do: 'rest' }
  /** Report the window since the last report. */
  | { do: 'tell' }
  /** Report which uploads were acknowledged. */
  | { do: 'account' }

export type RequestKind = 'upload' | 'sync' | 'full sync' | 'status' | 'ping' | 'heartbeat'
export const KINDS: readonly RequestKind[] = ['upload', 'sync', 'full sync', 'status', 'ping', 'heartbeat']

/** The outcomes of one kind of request in a window. */
export interface Tally {
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
  /** Time from the due time to the response of 200. In milliseconds. */
  p50: number
  p99: number
  most: number
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
}

/** The results of a tick whose upload was answered with 200: the tick's monitor, and its number. */
export interface AcknowledgedTick {
  monitor_id: string
  number: number
  due: number
}
