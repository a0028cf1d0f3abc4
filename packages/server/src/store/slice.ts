// One page of a list that a tenant can make long.

export interface Slice {
  limit: number
  offset: number
}

/** The default: all rows. */
export const ALL: Slice = { limit: 2_147_483_647, offset: 0 }
