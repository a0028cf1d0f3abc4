// Defines what the rest of the domain knows about monitors.

/** The monitor behind an authenticated request. */
export interface Caller {
  id: string
  /** Hash of the key that authenticated the request. */
  key_hash: Buffer
  /** Organisation of the monitor. Null for the shared fleet. */
  org_id: number | null
  /** Lead of the monitor's clock over the server's at its last report, in milliseconds. Null if the monitor never reported. */
  clock_offset_ms: number | null
  /** Last offset of the monitor's clock that was too large to date results, in milliseconds. Null if there was none. */
  clock_far_ms: number | null
  /** Time since which the monitor's requests show its clock further behind than `clock_offset_ms`. Null while they do not. */
  clock_behind_since: string | null
  /** Whether the monitor is uploading results from a time when it was offline. */
  catching_up: boolean
  /** Time at which this request arrived. */
  seen_at: Date
  /** Maximum time that the request waited unseen before `seen_at`, in milliseconds, because this process just stood still. */
  held_ms: number
}

/** Permission to enroll a monitor, for an organisation or, if `org_id` is null, for the shared fleet. */
export interface Enrollment {
  org_id: number | null
  /** Person who created the token. Absent or null if unknown. */
  created_by?: number | null
  /** Hash of the token. Absent if there is no token that could be revoked or expire in the meantime. */
  token_hash?: Buffer
}

/** Class of a monitor: of one organisation, or of the shared fleet. */
export type MonitorClass = 'private' | 'shared'

export function classOf({ org_id }: Pick<Enrollment, 'org_id'>): MonitorClass {
  return org_id === null ? 'shared' : 'private'
}

/** Maximum age of the last request of an online monitor, in milliseconds. A disabled monitor is not online. */
export const ONLINE_MS = 180_000
