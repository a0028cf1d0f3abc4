// Exports the public API of the package.

export { type Call, etagOf } from './call.ts'
export * from './calls.gen.ts'
export { ConfigClient, type ConfigClientOptions } from './client.ts'
export { ApiError, ConnectionError, DogwatchError, type RequestSummary, TimeoutError } from '#core/errors'
export type { components, operations, paths } from './generated.ts'
export type { Answer, Arguments, Input, Item, PagedOperation } from './inputs.ts'
export type { CallOptions, Clock, Fetch, Token } from '#core/options'
export type { ClientOptions, LogEvent, OperationName, PartialWorkError } from './core-types.ts'
export { each, pages } from './paging.ts'

import type { components } from './generated.ts'

/** The contract's schemas by name: `Schemas['ConfiguredCheck']`. */
export type Schemas = components['schemas']
