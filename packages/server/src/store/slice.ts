// Some rows of a list that a tenant can make long.

export interface Slice {
  limit: number
  offset: number
}

/** What is meant where nothing is said: all of them. */
export const ALL: Slice = { limit: 2_147_483_647, offset: 0 }
