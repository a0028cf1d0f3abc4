// What a probe is: it looks at a target, within its bounds, and tells what it saw without judging it.
import type { Target } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Kind, Phases } from '../run/run-check.ts'
import type { Attempt } from './attempt.ts'
import type { Lease } from './body-memory.ts'

/** Why no answer came, or not a whole one. */
export interface Fault {
  kind: Extract<Kind, 'dns' | 'refused' | 'timeout' | 'unreachable' | 'reset' | 'tls' | 'http' | 'redirect' | 'blocked'>
  words: string
  /** Found by this machine's own clock, which may be wrong. */
  isDated?: true
}

export interface Certificate {
  summary: string
  not_after: Date
}

/** What was seen of a target. */
export interface Observation {
  /** Absent when a whole answer came. */
  fault?: Fault
  http_status: number
  latency_ms: number
  /** The decoded body or the banner as far as it was read. */
  content: string
  /** How much of the content is read, such as `1 MiB`, when there may be more. */
  read?: string
  /** One for each TLS handshake whose certificate a rule asks for, undefined where none was presented. */
  certificates: (Certificate | undefined)[]
  phases: Phases
  /** The part in which it failed; absent when a whole answer came. */
  failed_in?: keyof Phases
  address?: string
  /** For how long this machine had no thread to look up a name. */
  hindered_ms?: number
  /** For how long the lookup that it waited for last had been under way when it began. */
  lookup_age_ms?: number
}

/** What a probe must keep to. */
export interface Bounds {
  timeout_ms: number
  /** Whether this address may be dialled. */
  mayDial: (address: string) => boolean
  /** Whether names are those of the public DNS alone. */
  publicNamesOnly?: boolean
  /** Whether a banner that begins so needs no more to be judged. Absent: a connection alone is enough. */
  isEnough?: (banner: string) => boolean
  /** Whether the check's content is for its own target alone, wherever that redirects to. */
  isPrivate?: boolean
  /** How many bytes of a body, decoded, are of use to anybody. Absent: all that are read. */
  body_bytes?: number
  /** What a long body needs besides. Absent: nobody counts. */
  lease?: Lease | undefined
  /** Ends the attempt early; nothing was observed then. */
  signal?: AbortSignal | undefined
}

/** Starts to look at the target; the attempt ends by what happens on its sockets. */
export type Probe = (attempt: Attempt, target: Target, check: Check) => void
