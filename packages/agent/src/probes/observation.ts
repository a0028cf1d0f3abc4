// Declares what a probe observes of a target, before anything is judged.
import type { X509Certificate } from 'node:crypto'
import type { Facts } from './facts.ts'

/** Reason for an absent or incomplete response. */
export type FaultKind =
  | 'dns'
  | 'refused'
  | 'timeout'
  | 'unreachable'
  | 'reset'
  | 'tls'
  | 'http'
  | 'protocol'
  | 'redirect'
  | 'blocked'
  | 'config'

/** Duration of each phase of a run, in milliseconds, summed over redirects. A phase without a start is absent. */
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
  /** Whether the fault depends on this machine's own clock, which may be wrong. */
  isDated?: true
}

export interface Certificate {
  summary: string
  /** Start of the certificate's validity. Absent if the date cannot be read. */
  not_before?: Date
  not_after: Date
  /** Time at which the first certificate of the verified path expires. Equal to `not_after` if nothing was verified. */
  path_ends: Date
  /** Certificate as the target presented it. */
  presented?: X509Certificate
  /** Version of TLS of the handshake that presented the certificate, such as `TLSv1.3`. */
  tls_version?: string
  /** Address of the machine that presented the certificate. Absent unless the check tests every address of a name. */
  address?: string
}

/** Everything that a probe saw of a target. */
export interface Observation {
  /** Reason for an absent or incomplete response. Absent if a complete response came. */
  fault?: Fault
  http_status: number
  latency_ms: number
  /** The part of the decoded body or banner that was read. */
  content: string
  /** Values that rules can compare, in addition to the content. */
  facts: Facts
  /** Name of an unknown content encoding. The content is then empty. Absent if the content is decoded. */
  unknown_encoding?: string
  /** Length of the content that was read, such as `1 MiB`, if there may be more. */
  read?: string
  /** Certificate of each TLS handshake whose certificate the probe reports. Undefined if the target presented none. */
  certificates: (Certificate | undefined)[]
  /** Locations that the target redirected to, in order, without parts that may be secret. */
  redirects?: readonly string[]
  phases: Phases
  /** Phase of the failure. Absent if a complete response came. */
  failed_in?: Phase
  address?: string
  /** Time that the lookup waited because all lookup threads of this machine were in use, in milliseconds. */
  hindered_ms?: number
  /** Age of the lookup when the attempt began, in milliseconds, if another attempt had started it. */
  lookup_age_ms?: number
}
