// The types of the account API. The client that goes with them follows.
export type * from './generated.ts'
