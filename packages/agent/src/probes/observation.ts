// What a probe observed of a target, before anything is judged.

/** Why there was no answer, or not a complete one. */
export type FaultKind =
  | 'dns'
  | 'refused'
  | 'timeout'
  | 'unreachable'
  | 'reset'
  | 'tls'
  | 'http'
  | 'redirect'
  | 'blocked'

/** Milliseconds of each part of a run, summed over redirects; absent when it did not come to that. */
export interface Phases {
  dns?: number
  connect?: number
  tls?: number
  first_byte?: number
  body?: number
}

export type Phase = keyof Phases

export interface Fault {
  kind: FaultKind
  words: string
  /** Found by this machine's own clock, which may be wrong. */
  isDated?: true
}

export interface Certificate {
  summary: string
  not_after: Date
  /** Time at which the first certificate of the verified path ends. That of `not_after` if nothing was verified. */
  path_ends: Date
}

/** What was seen of a target. */
export interface Observation {
  /** Absent when a whole answer came. */
  fault?: Fault
  http_status: number
  latency_ms: number
  /** The decoded body or the banner as far as it was read. */
  content: string
  /** Content encoding that is not known. Absent if the content is decoded; empty content otherwise. */
  unknown_encoding?: string
  /** How much of the content is read, such as `1 MiB`, when there may be more. */
  read?: string
  /** One for each TLS handshake whose certificate is of interest, undefined where none was presented. */
  certificates: (Certificate | undefined)[]
  /** Where the target redirected to, in order, without what may be secret. */
  redirects?: readonly string[]
  phases: Phases
  /** The part in which it failed; absent when a whole answer came. */
  failed_in?: Phase
  address?: string
  /** For how long this machine had no thread to look up a name. */
  hindered_ms?: number
  /** For how long the lookup that it waited for last had been under way when it began. */
  lookup_age_ms?: number
}
