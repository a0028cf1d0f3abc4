// What a monitor is to the rest of the domain.

/** The monitor behind an authenticated request. */
export interface Caller {
  id: string
  /** Absent for the shared fleet. */
  org_id: number | null
  /** How far its clock was ahead of ours when it last told; null: it never did. */
  clock_offset_ms: number | null
  /** Since when its requests show its clock further behind than that. */
  clock_behind_since: string | null
  /** Whether it uploads what it found while it was away. */
  catching_up: boolean
  /** When this request came. */
  seen_at: Date
  /** How much earlier it may have come, in milliseconds: this process just stood still. */
  held_ms: number
}

/** Where an enrollment token leads: an org, or with null the shared fleet. */
export interface Enrollment {
  org_id: number | null
  /** Who minted the token; left out or null: nobody knows. */
  created_by?: number | null
}

/** Of one org, or of the shared fleet. */
export type MonitorClass = 'private' | 'shared'

export function classOf({ org_id }: Pick<Enrollment, 'org_id'>): MonitorClass {
  return org_id === null ? 'shared' : 'private'
}

/** A monitor is online while it is enabled and its last request is no older than that, in milliseconds. */
export const ONLINE_MS = 180_000
