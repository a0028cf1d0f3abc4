// What a monitor is to the rest of the domain.

/** The monitor behind an authenticated request. */
export interface Caller {
  id: string
  /** Absent for the shared fleet. */
  org_id: number | null
}

/** Where an enrollment token leads: an org, or with null the shared fleet. */
export interface Enrollment {
  org_id: number | null
}
