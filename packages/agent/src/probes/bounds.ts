// The limits that a probe must keep to: time, addresses, memory.
import type { Lease } from './body-memory.ts'

/** What a probe must keep to. */
export interface Bounds {
  timeout_ms: number
  /** The time by which certificates are judged, when this machine's clock may be wrong. */
  server_time?: () => Date
  /** Whether this address may be dialled. */
  mayDial: (address: string) => boolean
  /** Whether only the public DNS is used for names. */
  publicNamesOnly?: boolean
  /** Whether a banner that begins so needs no more to be judged. Absent: a connection alone is enough. */
  isEnough?: (banner: string) => boolean
  /** Whether the check's content is meant for its own target only, wherever that redirects to. */
  isPrivate?: boolean
  /** Whether certificates are looked at although no rule asks for them. */
  showsCertificates?: boolean
  /** How many bytes of a body, decoded, are of use to anybody. Absent: all that are read. */
  body_bytes?: number
  /** What a long body needs besides. Absent: nobody counts. */
  lease?: Lease | undefined
  /** Ends the attempt early; nothing was observed then. */
  signal?: AbortSignal | undefined
}
