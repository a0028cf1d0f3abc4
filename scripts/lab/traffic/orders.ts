// The messages to and from a process that makes traffic.
import type { Unit } from './units.ts'

/** How the agents behave. */
export interface Manner {
  /** Uploads, as a multiple of what agents send. */
  haste: number
  /** Connections of an agent at most. One, like real agents: a request waits for the answer before it. */
  lanes: number
  /** After this long without an answer, the connection is closed and the request given up. */
  patience_ms: number
  /** Requests that wait in an agent; further ones that fall due are never sent. */
  waiting: number
}

/** As agents are. */
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
  /** Of the refusals, those with a Retry-After. */
  retry_after: number
  /** No answer: the connection broke. */
  broken: number
  /** No answer in time. */
  given_up: number
  /** Never sent, because too many waited. */
  dropped: number
  /** Of the answers with 200, in ms from when they were due. */
  p50: number
  p99: number
  most: number
}

export interface Window {
  seconds: number
  /** What the process itself used. */
  cpu_sec: number
  /** How late it was to begin with what was due, in ms. */
  late_p99: number
  tallies: Record<RequestKind, Tally>
  /** That were acknowledged. */
  results: number
  /** Requests that are due and not answered yet, at the window's end. */
  waiting: number
  connections: number
  /** Webhooks that came. */
  messages: number
}

/** The results of a tick whose upload was answered with 200: the tick's monitor, and its number. */
export interface Acknowledged {
  monitor_id: string
  number: number
  due: number
}
