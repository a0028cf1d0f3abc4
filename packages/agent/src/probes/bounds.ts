// Declares the limits that a probe must keep to: time, addresses, memory.
import type { Lease } from './body-memory.ts'

/** Limits of a probe. */
export interface Bounds {
  timeout_ms: number
  /** Returns the time for judging certificates, because this machine's clock may be wrong. */
  server_time?: () => Date
  /** Version of IP of the addresses to connect to. Absent if any. */
  family?: 4 | 6 | undefined
  /** Whether the probe may connect to this address. */
  mayDial: (address: string) => boolean
  /** Whether to look up names in the public DNS only. */
  publicNamesOnly?: boolean
  /** Whether a banner that begins so is enough to judge. Absent if a connection alone is enough. */
  isEnough?: (banner: string) => boolean
  /** Searches a text for a pattern of the check, without blocking other checks. */
  findPattern?: (pattern: string, text: string) => Promise<boolean | 'too_costly' | 'no_pattern'>
  /** Whether the check's content is meant for its own target only, wherever that redirects to. */
  isPrivate?: boolean
  /** Whether to examine certificates although no rule asks for them. */
  showsCertificates?: boolean
  /** Maximum length of the decoded body that is of use, in bytes. Absent if all that is read is of use. */
  body_bytes?: number
  /** Lease for the memory of a long body. Absent if memory is not counted. */
  lease?: Lease | undefined
  /** Signal that ends the attempt early, without an observation. */
  signal?: AbortSignal | undefined
}
