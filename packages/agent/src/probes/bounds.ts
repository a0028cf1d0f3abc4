// Declares the limits that a probe must keep to: time, addresses, memory.
import type { Lease } from './body-memory.ts'

/** Limits of a probe. */
export interface Bounds {
  timeout_ms: number
  /** Returns the time for judging certificates, because this machine's clock may be wrong. */
  server_time?: () => Date
  /** Version of IP of the addresses to connect to. Absent if any. */
  family?: 4 | 6 | undefined
  /** Whether the probe may connect to this IP address. */
  mayDial: (address: string) => boolean
  /** Whether to look up names in the public DNS only. */
  publicNamesOnly?: boolean
  /** Whether the part of a banner that has arrived is enough to judge the check. Absent if the check passes without a banner. */
  isEnough?: (banner: string) => boolean
  /** Searches a text for a pattern of the check, without blocking other checks. */
  findPattern?: (pattern: string, text: string) => Promise<boolean | 'too_costly' | 'no_pattern'>
  /**
   * Whether the definition of the check is private, so that its headers and body never go to other sites, even if the target
   * redirects there.
   */
  isPrivate?: boolean
  /** Whether to examine certificates although no rule asks for them. */
  showsCertificates?: boolean
  /** Maximum length of the decoded body that a rule or sample uses, in bytes. Absent if they use all of it. */
  body_bytes?: number
  /** Lease for the memory of a long body. Absent if memory is not counted. */
  lease?: Lease | undefined
  /** Signal that ends the attempt early, without an observation. */
  signal?: AbortSignal | undefined
}
