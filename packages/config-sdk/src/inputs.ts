// Derives the inputs and results of the operations from the contract's types, so that this file need not change for a new
// operation.

import type { CallOptions } from '#core/options'
import type { OperationName } from './core-types.ts'
import type { operations } from './generated.ts'

type Parameters<Name extends OperationName> = operations[Name]['parameters']
/** A part of the input, or `unknown`, which vanishes in an intersection. */
type InputPart<Part> = [NonNullable<Part>] extends [never] ? unknown : NonNullable<Part>
type PathOf<Name extends OperationName> = Parameters<Name> extends { path: infer Path } ? InputPart<Path> : unknown
type QueryOf<Name extends OperationName> = Parameters<Name> extends { query?: infer Query } ? InputPart<Query> : unknown
type HeaderOf<Name extends OperationName> =
  Parameters<Name> extends { header?: infer Header } ? InputPart<Header> : unknown
type Json<Body> = Body extends { content: { 'application/json': infer Value } } ? Value : never
type BodyOf<Name extends OperationName> = operations[Name] extends { requestBody: infer Body }
  ? { body: Json<Body> }
  : operations[Name] extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? unknown
      : { body?: Json<NonNullable<Body>> }
    : unknown

interface IfMatch {
  /**
   * The `etag` of the version to change. After another change in the meantime, the call fails with an `ApiError` of status 412.
   */
  ifMatch?: string | undefined
}

interface Idempotency {
  /**
   * Identifies this request, so that it is carried out once. Each attempt sends the same key. By default, the client makes one.
   */
  idempotencyKey?: string | undefined
}

/** Input of an operation: the parameters of its path and its query, its `body`, `ifMatch` and `idempotencyKey`. */
export type Input<Name extends OperationName> = PathOf<Name> &
  QueryOf<Name> &
  BodyOf<Name> &
  (HeaderOf<Name> extends { 'If-Match'?: string } ? IfMatch : unknown) &
  (HeaderOf<Name> extends { 'Idempotency-Key'?: string } ? Idempotency : unknown)

type Success<Name extends OperationName> = operations[Name]['responses'] extends infer Responses
  ? Responses[keyof Responses & (200 | 201 | 202)]
  : never

/** Result of an operation: JSON, or text where the contract says so. */
export type Answer<Name extends OperationName> =
  Success<Name> extends infer One
    ? One extends { content: infer Content }
      ? Content[keyof Content]
      : undefined
    : never

/** Arguments of an operation. `input` is optional if it has no required part. */
export type Arguments<Name extends OperationName> =
  Record<never, never> extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions]

/** Operations that return pages. */
export type PagedOperation = {
  [Name in OperationName]: Answer<Name> extends { next?: string }
    ? Parameters<Name> extends { query?: { after?: string } }
      ? Name
      : never
    : never
}[OperationName]

type ListIn<Page> = { [Field in keyof Page]-?: Page[Field] extends readonly (infer Item)[] ? Item : never }[keyof Page]

/** An item in the pages of an operation. */
export type Item<Name extends PagedOperation> = ListIn<Answer<Name>>
