// The types of the configuration API. The client comes beside them.
export type * from './generated.ts'
