// What the rest of the domain knows of a monitor.

/** The monitor behind an authenticated request. */
export interface Caller {
  id: string
  /** The hash of the key by which it was authenticated. */
  key_hash: Buffer
  /** Absent for the shared fleet. */
  org_id: number | null
  /** How far its clock was ahead of ours when it last reported; null when it never did. */
  clock_offset_ms: number | null
  /** The last such offset with which its clock could not date results; null when there was none. */
  clock_far_ms: number | null
  /** Since when its requests show its clock further behind than that. */
  clock_behind_since: string | null
  /** Whether it is uploading results from the time when it was away. */
  catching_up: boolean
  /** When this request arrived. */
  seen_at: Date
  /** How much earlier it may have arrived, in milliseconds, because this process just stood still. */
  held_ms: number
}

/** What an enrollment token is for: an org, or with null the shared fleet. */
export interface Enrollment {
  org_id: number | null
  /** Who created the token; left out or null when that is not known. */
  created_by?: number | null
  /** Left out when there is no token that could end meanwhile. */
  token_hash?: Buffer
}

/** A monitor of one org, or of the shared fleet. */
export type MonitorClass = 'private' | 'shared'

export function classOf({ org_id }: Pick<Enrollment, 'org_id'>): MonitorClass {
  return org_id === null ? 'shared' : 'private'
}

/** A monitor is online while it is enabled and its last request is not older than this, in milliseconds. */
export const ONLINE_MS = 180_000
