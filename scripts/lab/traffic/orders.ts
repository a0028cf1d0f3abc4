// What a process that makes traffic is told, and what it tells.
import type { Unit } from './units.ts'

/** How the agents behave. */
export interface Manner {
  /** How many times as often as agents do they upload. */
  haste: number
  /** Connections that an agent has at most. One, as agents have it: what is due waits for the answer before. */
  lanes: number
  /** After so long without an answer, the connection is closed and the request given up. */
  patience_ms: number
  /** Requests that wait in an agent; what is due beyond them is never sent. */
  waiting: number
}

/** As agents are. */
export const CALM: Manner = { haste: 1, lanes: 1, patience_ms: 30_000, waiting: 60 }

export type Order =
  | { do: 'take on'; units: Unit[] }
  /** From now on the first so many units send, to this port; others are silent. */
  | { do: 'drive'; port: number; units: number; manner: Manner }
  /** Jobs call these paths, all of them once in so many milliseconds. */
  | { do: 'heartbeat'; port: number; paths: string[]; every_ms: number }
  /** So many connections are held, each with a question now and then. */
  | { do: 'crowd'; port: number; count: number }
  /** Nothing more becomes due, and what waits is forgotten; what is under way comes to its end. */
  | { do: 'rest' }
  /** Tells the window since the last one. */
  | { do: 'tell' }
  /** Tells which uploads were acknowledged. */
  | { do: 'account' }

export type RequestKind = 'upload' | 'sync' | 'full sync' | 'status' | 'ping' | 'heartbeat'
export const KINDS: readonly RequestKind[] = ['upload', 'sync', 'full sync', 'status', 'ping', 'heartbeat']

/** What became of requests of one kind in a window. */
export interface Tally {
  due: number
  /** How many were answered with each status. */
  statuses: Record<number, number>
  /** Of the refusals, those that said when to come again. */
  retry_after: number
  /** No answer: the connection broke. */
  broken: number
  /** No answer in time. */
  given_up: number
  /** Never sent, since too many waited. */
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
  /** By how much it was late to begin with what was due, in ms. */
  late_p99: number
  tallies: Record<RequestKind, Tally>
  /** That were acknowledged. */
  results: number
  /** Requests that are due and not answered yet, at its end. */
  waiting: number
  connections: number
  /** Webhooks that came. */
  messages: number
}

/** An upload that was answered with 200: which monitor's, and which of its uploads. */
export interface Acknowledged {
  monitor_id: string
  number: number
  due: number
}
