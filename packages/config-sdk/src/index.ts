// The public face of the package.

export { type Call, etagOf } from './call.ts'
export * from './calls.gen.ts'
export { ConfigClient, type ConfigClientOptions } from './client.ts'
export { ApiError, ConnectionError, DogwatchError, type RequestSummary, TimeoutError } from './errors.ts'
export type { components, operations, paths } from './generated.ts'
export type { Answer, Arguments, Input, Item, Paged } from './inputs.ts'
export type { OperationName } from './operation.ts'
export type { CallOptions, ClientOptions, Clock, Fetch, LogEvent, Token } from './options.ts'
export { each, pages } from './paging.ts'
export type { PartialWorkError } from './partial-work.ts'

import type { components } from './generated.ts'

/** The contract's schemas by name: `Schemas['ConfiguredCheck']`. */
export type Schemas = components['schemas']
