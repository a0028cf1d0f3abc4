// Defines a page of a list that an organisation can make long.

export interface Slice {
  limit: number
  offset: number
}

/** Default page: all rows. */
export const ALL: Slice = { limit: 2_147_483_647, offset: 0 }
